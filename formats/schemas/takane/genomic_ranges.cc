#include "formats/schemas/takane/genomic_ranges.h"

#include "formats/core/model/derived_array.h"
#include "formats/schemas/takane/data_frame.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/sequence_information.h"

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

// codes, each of which has to be an index into a list of count.
ArrayPtr within(ArrayPtr codes, uint64_t count) {
  const DType dtype = codes->dtype();
  return mapped(std::move(codes), dtype, [dtype, count](Elements elements, const Box&) {
    visit_number(dtype, [&](auto example) {
      using T = decltype(example);
      if constexpr (std::is_integral_v<T>)
        for (const T code : elements.values<T>())
          if (code < 0 || static_cast<uint64_t>(code) >= count)
            throw damaged("sequence {} is not one of {}", code, count);
    });
    return elements;
  });
}

std::string_view strand_sign(int64_t strand) {
  if (strand == 1) return "+";
  if (strand == -1) return "-";
  if (strand == 0) return "*";
  throw damaged("strand {} is none of -1, 0 and 1", strand);
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

// The columns of range_annotations, none where it is not there.
std::vector<Column> annotations(const ObjectPlace& ranges, uint64_t count, Context& context) {
  const ObjectPlace place = ranges.inside("range_annotations", nullptr);
  if (context.files.kind_of(place.directory) == EntryKind::nothing) return {};
  try {
    context.files.bounds().check(place.directory);
    Table table = data_frame_table(place, read_object_file(place.directory, context), context);
    if (table.rows != count) throw damaged("there are annotations of {} ranges, not {}", table.rows, count);
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

}  // namespace plainfs::takane
