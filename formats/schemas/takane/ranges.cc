#include "formats/schemas/takane/genomic_objects.h"

#include "formats/containers/hdf5/container.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/object.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

constexpr const char* kGenomicRanges = "genomic_ranges";
constexpr const char* kRangesFile = "ranges.h5";

GenomicRanges read_ranges(const Opening& opening) {
  const ObjectPlace& place = opening.place;
  check_version(opening.object, kGenomicRanges);
  const GroupPtr group = open_file_group(place, kRangesFile, kGenomicRanges, opening.context);
  GenomicRanges ranges;
  ranges.sequence = require_integers(*group, "sequence");
  ranges.start = require_integers(*group, "start");
  ranges.width = require_integers(*group, "width");
  ranges.strand = require_integers(*group, "strand");
  if (group->find("name")) ranges.names = require_texts(*group, "name");
  const uint64_t count = ranges.sequence->count();
  require_count(*ranges.start, count, "start");
  require_count(*ranges.width, count, "width");
  require_count(*ranges.strand, count, "strand");
  if (ranges.names) require_count(*ranges.names, count, "name");
  try {
    ranges.sequence_names = sequence_names(place.inside("sequence_information", nullptr), opening.context);
  } catch (const Error& error) {
    throw error.at("sequence_information");
  }
  return ranges;
}

// Returns codes. Reading throws damaged for one that is not an index into a list of count elements.
ArrayPtr within(ArrayPtr codes, uint64_t count) {
  const DType dtype = codes->dtype();
  return mapped(std::move(codes), dtype, [dtype, count](Elements elements, const Box&) {
    visit_number(dtype, [&](auto example) {
      using T = decltype(example);
      if constexpr (std::is_integral_v<T>)
        for (const T code : elements.values<T>())
          if (code < 0 || static_cast<uint64_t>(code) >= count)
            throw damaged("sequence {} is not below {}", code, count);
    });
    return elements;
  });
}

std::string_view strand_sign(int64_t strand) {
  if (strand == 1) return "+";
  if (strand == -1) return "-";
  if (strand == 0) return "*";
  throw damaged("strand is {}, expected -1, 0 or 1", strand);
}

ArrayPtr strand_signs(ArrayPtr strands) {
  const DType dtype = strands->dtype();
  return mapped(std::move(strands), text_type(), [dtype](const Elements& elements, const Box&) {
    TextBuilder signs(elements.count);
    visit_number(dtype, [&](auto example) {
      using T = decltype(example);
      if constexpr (std::is_integral_v<T>)
        for (const T strand : elements.values<T>()) signs.add(strand_sign(static_cast<int64_t>(strand)));
    });
    return signs.finish();
  });
}

// Returns the columns of range_annotations; empty if it is absent.
std::vector<Column> annotations(const ObjectPlace& ranges, uint64_t count, Context& context) {
  const ObjectPlace place = ranges.inside("range_annotations", nullptr);
  if (context.files.kind_of(place.directory) == EntryKind::nothing) return {};
  try {
    context.files.bounds().check(place.directory);
    Table table = data_frame_table(place, read_object_file(place.directory, context), context);
    if (table.rows != count) throw damaged("has {} rows for {} ranges", table.rows, count);
    return std::move(table.columns);
  } catch (const Error& error) {
    throw error.at("range_annotations");
  }
}

Table ranges_table(const GenomicRanges& ranges, const Opening& opening) {
  const uint64_t count = ranges.sequence->count();
  const ArrayPtr codes = within(ranges.sequence, ranges.sequence_names->count());
  Table table{count,
              ranges.names,
              {{"sequence", factor(codes, ranges.sequence_names, 0, opening.place.path, opening.context)},
               {"start", ranges.start},
               {"width", ranges.width},
               {"strand", strand_signs(ranges.strand)}}};
  for (Column& column : annotations(opening.place, count, opening.context))
    table.columns.push_back(std::move(column));
  return table;
}

}  // namespace

Node open_genomic_ranges(const Opening& opening) {
  GenomicRanges ranges;
  Content table;
  try {
    ranges = read_ranges(opening);
    try {
      table = ranges_table(ranges, opening);
    } catch (const Error& error) {
      table = error;
    }
  } catch (const Error& error) {
    ranges.error = error;
    table = error;
  }
  Member shown{"ranges", Node{.content = std::move(table)}};
  return Node{.content = std::move(ranges),
              .parts = object_group(opening.place, kRangesFile, {std::move(shown)}, opening.context)};
}

namespace {

constexpr const char* kSequenceInformation = "sequence_information";
constexpr const char* kSequencesFile = "info.h5";

// Returns a list with its missing values marked.
ArrayPtr marked_list(const Group& group, const char* name, const char* type, const Owner& owner,
                     Context& context) {
  const ArrayPtr list = require_list(group, name);
  return typed_values(list, type, hdf5::attribute(*list, kPlaceholder), "none", owner, context);
}

}  // namespace

ArrayPtr sequence_names(const ObjectPlace& place, Context& context) {
  context.files.bounds().check(place.directory);
  const ObjectFile object = read_object_file(place.directory, context);
  if (object.type != kSequenceInformation)
    throw damaged("the type is '{1}', expected {0}", kSequenceInformation, object.type);
  const GroupPtr group = open_file_group(place, kSequencesFile, kSequenceInformation, context);
  return require_texts(*group, "name");
}

Node open_sequence_information(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, kSequenceInformation);
  const GroupPtr group = open_file_group(place, kSequencesFile, kSequenceInformation, context);
  const Owner owner{"list", place.path};
  SequenceLengths sequences;
  Content table;
  try {
    sequences.names = require_texts(*group, "name");
    const ArrayPtr length = require_integers(*group, "length");
    sequences.lengths = with_placeholder(length, hdf5::attribute(*length, kPlaceholder));
    const uint64_t count = sequences.names->count();
    require_count(*sequences.lengths, count, "length");
    const ArrayPtr circular = marked_list(*group, "circular", "boolean", owner, context);
    const ArrayPtr genome = marked_list(*group, "genome", "string", owner, context);
    require_count(*circular, count, "circular");
    require_count(*genome, count, "genome");
    table = Table{count,
                  nullptr,
                  {{"name", sequences.names},
                   {"length", sequences.lengths},
                   {"circular", circular},
                   {"genome", genome}}};
  } catch (const Error& error) {
    table = error;
    if (!sequences.lengths || sequences.lengths->count() != sequences.names->count()) sequences.error = error;
  }
  Member shown{kSequenceInformation, Node{.content = std::move(table)}};
  return Node{.content = std::move(sequences),
              .parts = object_group(place, kSequencesFile, {std::move(shown)}, context)};
}

}  // namespace plainfs::takane
