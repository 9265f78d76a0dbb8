#include "formats/annotated/join_columns.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "formats/core/frames/common_type.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"

namespace plainfs::annotated {

namespace {

using ColumnParts = std::vector<ColumnPart>;

ArrayPtr missing_values(const DType& type, uint64_t rows) {
  Elements one = zero_elements(type, 1);
  one.missing = {1};
  return constant(type, {rows}, std::move(one));
}

// Returns the parts joined, each converted by `convert`. type: of the converted values.
template <class Convert>
ArrayPtr combined_parts(const ColumnParts& parts, const DType& type, const Convert& convert) {
  std::vector<ArrayPtr> arrays;
  for (const ColumnPart& part : parts)
    arrays.push_back(part.values ? convert(part.values) : missing_values(type, part.rows));
  return combined(std::move(arrays), 0);
}

// The levels of several factors.
struct JoinedLevels {
  ArrayPtr levels;
  std::vector<std::vector<int32_t>> places;  // for each factor and each of its levels
  bool are_alike = true;                     // all factors have the same levels in the same order
};

// Returns the levels of all factors in the order of first appearance, as texts unless all are of one type.
JoinedLevels joined_levels(const std::vector<FactorParts>& factors) {
  JoinedLevels joined;
  const DType& first_type = factors.front().levels->dtype();
  const bool are_of_one_type = std::all_of(factors.begin(), factors.end(), [&](const FactorParts& factor) {
    return factor.levels->dtype() == first_type && first_type.is_numeric();
  });
  const DType type = are_of_one_type ? first_type : text_type();
  Elements levels = zero_elements(type, 0);
  std::unordered_map<std::string, int32_t> known;
  for (const FactorParts& factor : factors) {
    const Elements texts = level_texts(factor);
    const Elements values = are_of_one_type ? read_all(*factor.levels) : texts;
    std::vector<int32_t> places;
    for (uint64_t i = 0; i < texts.count; ++i) {
      if (texts.is_missing(i)) {
        places.push_back(-1);
        continue;
      }
      const auto [level, is_new] =
          known.try_emplace(std::string(texts.text(i)), static_cast<int32_t>(levels.count));
      if (is_new) append(type, levels, values, i, 1);
      places.push_back(level->second);
    }
    joined.places.push_back(std::move(places));
  }
  for (const std::vector<int32_t>& places : joined.places) {
    joined.are_alike &= places.size() == levels.count;
    for (size_t i = 0; i < places.size(); ++i) joined.are_alike &= places[i] == static_cast<int32_t>(i);
  }
  const uint64_t count = levels.count;
  joined.levels = std::make_shared<MemoryArray>(type, Shape{count}, std::move(levels));
  return joined;
}

// Returns the codes of a factor as places in the joined levels.
ArrayPtr joined_codes(const FactorParts& factor, std::vector<int32_t> places) {
  const DType type = number_type(Kind::integer, 4);
  return mapped(factor.codes, type, [factor, type, places = std::move(places)](Elements codes, const Box&) {
    const std::vector<uint64_t> levels = level_places(factor, codes, places.size());
    Elements generated = zero_elements(type, codes.count);
    generated.missing.resize(codes.count);
    const auto numbers = generated.mutable_values<int32_t>();
    for (uint64_t i = 0; i < codes.count; ++i) {
      numbers[i] = levels[i] == kNoLevel ? -1 : places[levels[i]];
      generated.missing[i] = numbers[i] < 0;
    }
    return generated;
  });
}

ArrayPtr texts_of_all(const ColumnParts& parts) {
  return combined_parts(parts, text_type(),
                        [](const ArrayPtr& values) { return frames::as_written(values); });
}

ArrayPtr joined_factor(const ColumnParts& parts, const std::vector<FactorParts>& factors,
                       const std::string& place, Context& context) {
  const auto is_ordered = [](const FactorParts& factor) { return factor.is_ordered; };
  const JoinedLevels joined = joined_levels(factors);
  if (!joined.are_alike && std::any_of(factors.begin(), factors.end(), is_ordered)) {
    context.notice(fmt::format("{}: text, because the stores order its levels differently", place));
    return texts_of_all(parts);
  }
  size_t number = 0;
  const ArrayPtr codes = combined_parts(parts, number_type(Kind::integer, 4), [&](const ArrayPtr&) {
    const size_t i = number++;
    return joined_codes(factors[i], joined.places[i]);
  });
  const bool are_ordered = std::all_of(factors.begin(), factors.end(), is_ordered);
  return factor_of({codes, joined.levels, 0, are_ordered, [](const std::string&, uint64_t) {}}, context);
}

// Returns the type of the joined values; nullopt if only their texts can be joined.
std::optional<DType> joined_type(const std::vector<DType>& types) {
  const auto all = [&](auto&& is) { return std::all_of(types.begin(), types.end(), is); };
  if (all([](const DType& type) { return type.is_text(); })) return text_type();
  if (all([](const DType& type) { return type.is_integer_or_real(); }) ||
      all([](const DType& type) { return type.is_truth(); }))
    return promoted_type(types);
  if (all([&](const DType& type) { return type == types.front(); })) return types.front();
  return std::nullopt;
}

}  // namespace

ArrayPtr joined_values(const std::vector<ColumnPart>& parts, const std::string& place, Context& context) {
  std::vector<FactorParts> factors;
  std::vector<DType> types;
  for (const ColumnPart& part : parts) {
    if (!part.values) continue;
    try {
      part.values->check();
    } catch (const Error& error) {
      if (error.code() != Errc::damaged && !is_unsupported(error)) throw;
      return std::make_shared<BrokenArray>(part.values->dtype(), error);
    }
    types.push_back(part.values->dtype());
    if (const FactorParts* const factor = unchecked_factor_parts(*part.values)) factors.push_back(*factor);
  }
  if (factors.size() == types.size()) return joined_factor(parts, factors, place, context);
  const std::optional<DType> type = joined_type(types);
  if (type)
    return combined_parts(parts, *type, [&](const ArrayPtr& values) { return with_type(values, *type); });
  for (const DType& each : types)
    if (!each.is_text() && !each.fixed_size())
      return std::make_shared<BrokenArray>(each, unsupported("{}: {} in one store and {} in another", place,
                                                             types.front().name(), types.back().name()));
  context.notice(fmt::format("{}: text, because the stores have values of different kinds in it", place));
  return texts_of_all(parts);
}

std::vector<std::string> joined_names(const std::vector<const Table*>& tables, bool is_outer) {
  std::vector<std::string> names;
  std::unordered_map<std::string, size_t> counts;
  for (const Table* const table : tables) {
    std::unordered_set<std::string> own;
    for (const Column& column : table->columns) {
      if (!own.insert(column.name).second) continue;
      if (++counts[column.name] == 1) names.push_back(column.name);
    }
  }
  if (!is_outer) std::erase_if(names, [&](const std::string& name) { return counts[name] < tables.size(); });
  return names;
}

std::vector<Column> joined_columns(const std::vector<const Table*>& tables, bool is_outer,
                                   const std::string& place, Context& context) {
  std::vector<Column> columns;
  for (const std::string& name : joined_names(tables, is_outer)) {
    std::vector<ColumnPart> parts;
    for (const Table* const table : tables)
      parts.push_back({column_values(table->columns, name), table->rows});
    columns.push_back({name, joined_values(parts, fmt::format("{}/{}", place, name), context)});
  }
  return columns;
}

}  // namespace plainfs::annotated
