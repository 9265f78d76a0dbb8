#include <algorithm>
#include <limits>

#include "formats/core/base/checked.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/schemas/robject/arrays.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

ArrayPtr with_missing_integers(ArrayPtr values) {
  return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
    const auto all = elements.values<int32_t>();
    for (size_t i = 0; i < all.size(); ++i) missing[i] = all[i] == kRMissingInteger;
  });
}

ArrayPtr with_missing_reals(ArrayPtr values) {
  const DType type = values->dtype();
  return mapped(std::move(values), type, [](Elements elements, const Box&) {
    mark_missing_reals(elements);
    return elements;
  });
}

ArrayPtr with_missing_pairs(ArrayPtr values) {
  return with_missing(std::move(values), [](const Elements& elements, std::vector<uint8_t>& missing) {
    const auto all = elements.values<double>();
    for (size_t i = 0; i < missing.size(); ++i)
      missing[i] = is_r_missing(all[2 * i]) || is_r_missing(all[2 * i + 1]);
  });
}

bool is_integer64(const Value& vector) {
  return vector.type == RType::real && vector.is_a("integer64");
}

// Returns the integers of the package bit64, which are stored as the bits of doubles.
ArrayPtr bits_as_integers(ArrayPtr reals) {
  const ArrayPtr integers = mapped(std::move(reals), number_type(Kind::integer, 8),
                                   [](Elements elements, const Box&) { return elements; });
  return with_missing(integers, [](const Elements& elements, std::vector<uint8_t>& missing) {
    const auto all = elements.values<int64_t>();
    for (size_t i = 0; i < all.size(); ++i) missing[i] = all[i] == std::numeric_limits<int64_t>::min();
  });
}

// Returns the attributes of a vector that give the meaning of its numbers; null if it has no class.
std::shared_ptr<const TextAttributes> r_class_of(const Value& vector) {
  TextAttributes texts;
  for (const rds::NamedValue& attribute : vector.attributes) {
    const std::string& name = attribute.name;
    if ((name == "class" || name == "units" || name == "tzone") && attribute.value->type == RType::text)
      texts.emplace_back(name, attribute.value->texts());
  }
  const bool has_class =
      std::any_of(texts.begin(), texts.end(), [](const auto& text) { return text.first == "class"; });
  return has_class ? std::make_shared<const TextAttributes>(std::move(texts)) : nullptr;
}

// Returns the elements with the R class of vector.
ArrayPtr of_class(ArrayPtr values, const Value& vector) {
  DType type = values->dtype();
  type.r_class = r_class_of(vector);
  return std::make_shared<DerivedArray>(std::move(values), std::move(type));
}

// Returns the levels of a factor, or an array that throws if it has none.
ArrayPtr levels_of(const Value& factor) {
  const ValuePtr levels = factor.attribute("levels");
  if (levels && levels->is_vector()) return with_missing_marked(*levels);
  return std::make_shared<BrokenArray>(text_type(), damaged("the levels of a factor are missing"));
}

// Returns dimensions in reverse: R's columns become rows.
Shape reversed(const Shape& dimensions) {
  return {dimensions.rbegin(), dimensions.rend()};
}

// Returns meaning in the dimensions of vector.
LabelledArray with_dimensions(const Value& vector, const VectorMeaning& meaning, const View& view) {
  std::optional<Shape> dimensions;
  try {
    dimensions = dimensions_of(vector);
  } catch (const Error& error) {
    return {std::make_shared<BrokenArray>(meaning.stored->dtype(), error.at(view.place.path)), nullptr,
            nullptr};
  }
  LabelledArray array{meaning.stored, nullptr, nullptr, meaning.shown};
  if (!dimensions || dimensions->size() == 1) return array;
  array.values = reshaped(array.values, reversed(*dimensions));
  if (array.labels) array.labels = reshaped(array.labels, reversed(*dimensions));
  if (dimensions->size() != 2) return array;
  if (view.sides) {
    array.row_names = view.sides->rows;
    array.column_names = view.sides->columns;
    return array;
  }
  array.row_names = side_names(vector, "dimnames", 0, (*dimensions)[0], view);
  array.column_names = side_names(vector, "dimnames", 1, (*dimensions)[1], view);
  return array;
}

// Returns the names of a vector, or of the one dimension of an array; null if they do not fit.
ArrayPtr names_of(const Value& vector, const View& view) {
  if (view.without_names) return nullptr;
  const ValuePtr dim = vector.attribute("dim");
  if (dim && dim->length() == 1) return side_names(vector, "dimnames", 0, vector.length(), view);
  const ValuePtr names = vector.attribute("names");
  if (!names || names->type != RType::text) return nullptr;
  return frames::fitting_names(names->vector, vector.length(), view.place.path, view.scope->context);
}

}  // namespace

void mark_missing_reals(Elements& reals) {
  const auto all = reals.values<double>();
  std::vector<uint8_t> missing(all.size());
  std::transform(all.begin(), all.end(), missing.begin(), is_r_missing);
  reals.missing = std::find(missing.begin(), missing.end(), 1) != missing.end() ? std::move(missing)
                                                                                : std::vector<uint8_t>();
}

bool is_factor(const Value& value) {
  return value.type == RType::integer && value.is_a("factor");
}

std::optional<Shape> dimensions_of(const Value& vector) {
  const ValuePtr dim = vector.attribute("dim");
  if (!dim || (dim->type != RType::integer && dim->type != RType::real) || dim->length() == 0)
    return std::nullopt;
  constexpr uint64_t kMaxDimensions = 32;
  if (dim->length() > kMaxDimensions) throw unsupported("an array of {} dimensions", dim->length());
  const std::optional<std::vector<int64_t>> given = dim->whole_numbers();
  Shape dimensions;
  for (const int64_t extent : given.value_or(std::vector<int64_t>{-1})) {
    if (extent < 0) throw damaged("a dimension of an array is not a number from 0 on");
    dimensions.push_back(static_cast<uint64_t>(extent));
  }
  const uint64_t count = element_count(dimensions);
  if (count != vector.length())
    throw damaged("an array has {} elements, expected {} by its dimensions", vector.length(), count);
  return dimensions;
}

ArrayPtr side_names(const Value& object, const char* dimnames, size_t side, uint64_t count,
                    const View& view) {
  const ValuePtr lists = object.attribute(dimnames);
  if (!lists || lists->type != RType::list || side >= lists->items.size() || count == 0) return nullptr;
  const Value& names = *lists->items[side];
  if (names.type != RType::text) return nullptr;
  const std::string place = view.place.path + (side == 0 ? ": rows" : ": columns");
  return frames::fitting_names(names.vector, count, place, view.scope->context);
}

ArrayPtr with_missing_marked(const Value& vector) {
  switch (vector.type) {
    case RType::logical:
      return as_logical(with_missing_integers(vector.vector));
    case RType::integer:
      return with_missing_integers(vector.vector);
    case RType::real:
      return is_integer64(vector) ? bits_as_integers(vector.vector) : with_missing_reals(vector.vector);
    case RType::complex:
      return with_missing_pairs(vector.vector);
    case RType::null:
    case RType::raw:
    case RType::text:
    case RType::list:
    case RType::symbol:
    case RType::s4:
    case RType::other:
      break;
  }
  return vector.vector;
}

VectorMeaning meaning_of(const Value& vector, const View& view) {
  VectorMeaning meaning{with_missing_marked(vector), nullptr};
  const bool is_number = vector.type == RType::integer || vector.type == RType::real;
  if (is_factor(vector))
    meaning.shown = factor(meaning.stored, levels_of(vector), 1, view.place.path, view.scope->context,
                           vector.is_a("ordered"));
  else if (is_integer64(vector) || (is_number && vector.is_a("difftime")))
    meaning.stored = of_class(std::move(meaning.stored), vector);
  else if (is_number && vector.is_a("Date"))
    meaning.shown = counted_times(meaning.stored, TimeUnit::day, r_class_of(vector));
  else if (is_number && vector.is_a("POSIXct"))
    meaning.shown = counted_times(meaning.stored, TimeUnit::second, r_class_of(vector));
  return meaning;
}

namespace {

// Returns the levels of a factor and its codes, in the factor's dimensions.
std::vector<Member> factor_members(const Value& factor, const ArrayPtr& codes) {
  std::vector<Member> members;
  if (factor.attribute("levels"))
    members.push_back({"levels", Node{.content = LabelledArray{levels_of(factor), nullptr, nullptr}}});
  members.push_back({"values", Node{.content = LabelledArray{codes, nullptr, nullptr}}});
  return members;
}

}  // namespace

Node vector_node(const ValuePtr& vector, const View& view) {
  const VectorMeaning meaning = meaning_of(*vector, view);
  LabelledArray array = vector->attribute("dim")
                            ? with_dimensions(*vector, meaning, view)
                            : LabelledArray{meaning.stored, nullptr, nullptr, meaning.shown};
  Node node;
  node.attributes = [vector] { return attributes_of(*vector); };
  if (is_factor(*vector)) {
    const ArrayPtr codes = array.values;
    if (array.labels) array.values = std::move(array.labels);
    array.labels = nullptr;
    node.parts = directory_at(
        view, [vector, codes](const View&) { return factor_members(*vector, codes); },
        [vector] { return attributes_of(*vector); });
  }
  if (array.values->shape().size() == 1) array.row_names = names_of(*vector, view);
  node.content = std::move(array);
  return node;
}

}  // namespace plainfs::robject
