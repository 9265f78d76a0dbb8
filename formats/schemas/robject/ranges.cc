#include <algorithm>

#include "formats/containers/rds/vectors.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

ArrayPtr integers_of(const Value& object, std::string_view slot, uint64_t count) {
  const ValuePtr value = object.attribute(slot);
  if (!value || value->type != RType::integer)
    throw damaged("the slot {} of ranges is missing or not integers", slot);
  if (value->length() != count)
    throw damaged("the slot {} has {} values, expected {}, one for each range", slot, value->length(), count);
  return with_missing_marked(*value);
}

// Returns the factor in a slot, which may be run-length encoded.
ValuePtr factor_of(const Value& object, std::string_view slot) {
  ValuePtr value = object.attribute(slot);
  if (value)
    if (const ValuePtr expanded = expanded_rle(*value)) value = expanded;
  if (!value || !is_factor(*value) || !value->attribute("levels"))
    throw damaged("the {} of ranges are not a factor", slot);
  return value;
}

// Returns the codes of a factor, from 0.
ArrayPtr from_zero(const Value& factor) {
  return mapped(with_missing_marked(factor), number_type(Kind::integer, 4),
                [](Elements elements, const Box&) {
                  for (int32_t& code : elements.mutable_values<int32_t>())
                    if (code != kRMissingInteger) --code;
                  return elements;
                });
}

// Returns 1, -1 and 0 for the levels + - *, in whatever order.
ArrayPtr strands_of(const Value& factor) {
  const std::vector<std::string> levels = factor.attribute("levels")->texts();
  return mapped(factor.vector, number_type(Kind::integer, 4), [levels](Elements elements, const Box&) {
    for (int32_t& code : elements.mutable_values<int32_t>()) {
      if (code < 1 || static_cast<size_t>(code) > levels.size())
        throw damaged("strand {} has no level", code);
      const std::string& level = levels[static_cast<size_t>(code) - 1];
      code = level == "+" ? 1 : level == "-" ? -1 : 0;
    }
    return elements;
  });
}

struct Ranges {
  GenomicRanges ranges;
  ArrayPtr sequence_labels;
  ArrayPtr strand_labels;
};

Ranges read_ranges(const Value& object, const View& view) {
  Ranges read;
  const ValuePtr positions = object.attribute("ranges");
  const ValuePtr starts = positions ? positions->attribute("start") : nullptr;
  if (!starts) throw damaged("the starts of ranges are missing");
  const uint64_t count = starts->length();
  GenomicRanges& ranges = read.ranges;
  ranges.start = integers_of(*positions, "start", count);
  ranges.width = integers_of(*positions, "width", count);
  if (const ValuePtr names = positions->attribute("NAMES"); names && names->type == RType::text) {
    if (names->length() != count) throw damaged("{} names for {} ranges", names->length(), count);
    ranges.names = names->vector;
  }
  const ValuePtr sequence = factor_of(object, "seqnames"), strand = factor_of(object, "strand");
  if (sequence->length() != count || strand->length() != count)
    throw damaged("{} sequences and {} strands for {} ranges", sequence->length(), strand->length(), count);
  ranges.sequence_names = sequence->attribute("levels")->vector;
  ranges.sequence = from_zero(*sequence);
  ranges.strand = strands_of(*strand);
  read.sequence_labels = meaning_of(*sequence, view).as_text();
  read.strand_labels = meaning_of(*strand, view).as_text();
  return read;
}

// Returns a table of the ranges. group: the group of each range; null if they have no groups.
Node range_table(const ValuePtr& object, const View& view, bool with_columns, const ArrayPtr& group) {
  try {
    const Ranges read = read_ranges(*object, view);
    const uint64_t count = read.ranges.start->count();
    std::vector<Column> columns;
    if (group) columns.push_back({"group", group});
    columns.insert(columns.end(), {{"sequence", read.sequence_labels},
                                   {"start", read.ranges.start},
                                   {"width", read.ranges.width},
                                   {"strand", read.strand_labels}});
    const ValuePtr about = object->attribute("elementMetadata");
    if (with_columns && about && is_frame(*about))
      for (Column& column : columns_of(*about, count, view)) columns.push_back(std::move(column));
    return Node{.content = frames::table_of(count, read.ranges.names, std::move(columns), view.place.path,
                                            view.scope->context)};
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return Node{.content = error};
  }
}

ArrayPtr sequence_list(const Value& info, const char* slot, RType type, uint64_t count) {
  const ValuePtr value = info.attribute(slot);
  if (!value || value->type != type)
    throw damaged("the slot {} of seqinfo is missing or has another type", slot);
  if (value->length() != count)
    throw damaged("{} values of {} for {} sequences", value->length(), slot, count);
  return with_missing_marked(*value);
}

Node sequences_node(const ValuePtr& info, const View& view) {
  SequenceLengths sequences;
  Content table;
  try {
    const ValuePtr names = info->attribute("seqnames");
    if (!names || names->type != RType::text)
      throw damaged("the seqnames of seqinfo are missing or not text");
    const uint64_t count = names->length();
    sequences.names = names->vector;
    sequences.lengths = sequence_list(*info, "seqlengths", RType::integer, count);
    table = Table{count,
                  nullptr,
                  {{"name", sequences.names},
                   {"length", sequences.lengths},
                   {"circular", sequence_list(*info, "is_circular", RType::logical, count)},
                   {"genome", sequence_list(*info, "genome", RType::text, count)}}};
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    if (!sequences.lengths) sequences.error = error;
    table = error;
  }
  Node node;
  node.content = std::move(sequences);
  node.parts = directory_at(view, [table](const View&) {
    return std::vector<Member>{{"sequence_information", Node{.content = table}}};
  });
  return node;
}

}  // namespace

bool is_genomic_ranges(const Value& value) {
  return value.type == RType::s4 && value.attribute("seqnames") && value.attribute("ranges") &&
         value.attribute("strand") && value.attribute("seqinfo");
}

namespace {

Node grouped_ranges_node(const ValuePtr& object, const View& view, bool with_columns, const ArrayPtr& group) {
  Node node;
  try {
    node.content = read_ranges(*object, view).ranges;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    GenomicRanges broken;
    broken.error = error;
    node.content = std::move(broken);
  }
  node.attributes = [object] { return attributes_of(*object); };
  node.parts = directory_at(
      view,
      [object, with_columns, group](const View& inside) {
        std::vector<Member> members{{"ranges", range_table(object, inside, with_columns, group)}};
        const View info_view = inside.at(inside.place.inside("sequence_information", inside.place.parent));
        members.push_back({"sequence_information", sequences_node(object->attribute("seqinfo"), info_view)});
        const ValuePtr about = object->attribute("elementMetadata");
        if (with_columns && about && is_frame(*about) && !frame_columns(*about).items.empty())
          add_member(members, "range_annotations", about, inside);
        return members;
      },
      [object] { return attributes_of(*object); });
  return node;
}

// Returns the name of the group of each element of a compressed list, or else the group's number.
ArrayPtr groups_of(const Value& partitioning, const View& view) {
  const ValuePtr ends = partitioning.attribute("end");
  const auto numbers = ends ? ends->whole_numbers() : std::nullopt;
  if (!numbers) throw damaged("{}: the ends of the groups of a list are missing", view.place.path);
  std::vector<uint64_t> rising;
  for (const int64_t end : *numbers) {
    if (end < 0 || (!rising.empty() && static_cast<uint64_t>(end) < rising.back()))
      throw damaged("{}: group {} ends at {}, before it begins", view.place.path, rising.size() + 1, end);
    rising.push_back(static_cast<uint64_t>(end));
  }
  const uint64_t count = rising.size();
  const ValuePtr names = partitioning.attribute("NAMES");
  ArrayPtr labels = names && names->type == RType::text
                        ? frames::fitting_names(names->vector, count, view.place.path, view.scope->context)
                        : nullptr;
  if (!labels) labels = rds::sequence(RType::integer, count, 1, 1);
  return run_lengths(std::move(labels), std::move(rising));
}

}  // namespace

Node ranges_node(const ValuePtr& object, const View& view, bool with_columns) {
  return grouped_ranges_node(object, view, with_columns, nullptr);
}

bool is_ranges_list(const Value& value) {
  const ValuePtr ranges = value.attribute("unlistData"), groups = value.attribute("partitioning");
  return value.type == RType::s4 && ranges && groups && is_genomic_ranges(*ranges);
}

Node ranges_list_node(const ValuePtr& list, const View& view) {
  const ValuePtr ranges = list->attribute("unlistData");
  ArrayPtr group;
  try {
    group = groups_of(*list->attribute("partitioning"), view);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    group = std::make_shared<BrokenArray>(text_type(), error);
  }
  return grouped_ranges_node(ranges, view, true, group);
}

ValuePtr expanded_rle(const Value& value) {
  if (value.type != RType::s4) return nullptr;
  const std::vector<std::string> classes = value.classes();
  if (classes.empty() || !classes.front().ends_with("Rle")) return nullptr;
  const ValuePtr values = value.attribute("values"), lengths = value.attribute("lengths");
  if (!values || !values->is_vector() || !lengths || lengths->type != RType::integer) return nullptr;
  if (values->length() != lengths->length())
    throw damaged("{} lengths of runs, expected {}, one for each value", lengths->length(), values->length());
  std::vector<uint64_t> ends;
  uint64_t end = 0;
  const Elements counts = read_all(*lengths->vector);
  for (const int32_t length : counts.values<int32_t>()) {
    if (length < 0) throw damaged("a run has length {}, expected 0 or more", length);
    ends.push_back(end += static_cast<uint64_t>(length));
  }
  auto expanded = std::make_shared<Value>(*values);
  expanded->vector = run_lengths(values->vector, std::move(ends));
  std::erase_if(expanded->attributes, [](const rds::NamedValue& a) { return a.name == "names"; });
  return expanded;
}

}  // namespace plainfs::robject
