#include "formats/schemas/hdfstore/stored.h"

#include <algorithm>
#include <cmath>

#include "cache/lazy.h"
#include "formats/core/codecs/pickle.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/time_text.h"

namespace plainfs::hdfstore {
namespace {

// Returns whether text may be a pickle, as PyTables decides it (attributeset.py): a pickle ends with a dot,
// and one of protocol 0 begins with an opcode that pushes a value.
bool may_be_pickle(std::string_view text) {
  if (text.size() < 2 || !text.ends_with('.')) return false;
  return text[0] == '(' || text[0] == '\x80' || text == "N." || text.find('\n') != std::string_view::npos;
}

DType time_type(Kind kind, TimeUnit unit) {
  DType type = number_type(kind, 8);
  type.time_unit = unit;
  return type;
}

ArrayPtr nanoseconds(ArrayPtr values, Kind kind) {
  if (values->dtype() != number_type(Kind::integer, 8, values->dtype().big_endian))
    throw damaged("times are {}, expected integers of 64 bits", values->dtype().name());
  return std::make_shared<DerivedArray>(std::move(values), time_type(kind, TimeUnit::nano));
}

// Python's ordinals count days from the year 1.
ArrayPtr days(ArrayPtr ordinals) {
  constexpr uint64_t kOrdinalOf1970 = 719163;
  if (!ordinals->dtype().is_integer())
    throw damaged("dates are {}, expected integers", ordinals->dtype().name());
  const DType stored = ordinals->dtype();
  return mapped(std::move(ordinals), time_type(Kind::time_point, TimeUnit::day),
                [stored](const Elements& elements, const Box&) {
                  Elements dates = zero_elements(time_type(Kind::time_point, TimeUnit::day), elements.count);
                  visit_number(stored, [&](auto number) {
                    using T = decltype(number);
                    if constexpr (std::is_integral_v<T>)
                      for (uint64_t i = 0; i < elements.count; ++i)
                        dates.mutable_values<int64_t>()[i] = static_cast<int64_t>(
                            static_cast<uint64_t>(elements.values<T>()[i]) - kOrdinalOf1970);
                  });
                  return dates;
                });
}

ArrayPtr texts(ArrayPtr values, const std::string& nan_text) {
  const DType type = values->dtype();
  if (!type.is_text()) throw damaged("texts are stored as {}, expected text", type.name());
  if (type.kind != Kind::fixed_text) return values;
  return with_missing(
      std::move(values), [type, nan_text](const Elements& elements, std::vector<uint8_t>& missing) {
        for (uint64_t i = 0; i < elements.count; ++i)
          missing[i] = trim_padding(as_text(elements.bytes).substr(i * type.size, type.size), type.padding) ==
                       nan_text;
      });
}

bool is_missing(const Json& value) {
  const Json::Number* number = value.number();
  return value.is_null() || (number && (number->token == "NaN" || number->token == "nan"));
}

class PickledColumn : public Array {
 public:
  PickledColumn(ArrayPtr array, uint64_t rows, uint64_t j)
      : Array(text_type(), {rows}), array_(std::move(array)), j_(j) {}
  Elements read(const Box& box) const override {
    const Elements& all = all_.get([this] { return load(); });
    Elements part;
    append(dtype(), part, all, box.origin[0], box.extent[0]);
    return part;
  }
  void check() const override { array_->check(); }

 private:
  Elements load() const {
    const Json values = pickled_values(*array_);
    const Json::List* rows = values.list();
    if (!rows || rows->size() != shape()[0])
      throw damaged("the pickled values do not have {} rows", shape()[0]);
    TextBuilder builder(rows->size());
    for (const Json& row : *rows) {
      const Json* value = row.list() ? (j_ < row.list()->size() ? &(*row.list())[j_] : nullptr) : &row;
      if (!value) throw damaged("the pickled values have no column {}", j_ + 1);
      if (is_missing(*value))
        builder.add_missing();
      else if (const bool* truth = value->boolean())
        builder.add(*truth ? "TRUE" : "FALSE");
      else
        builder.add(value->text() ? *value->text() : to_json_text(*value));
    }
    return builder.finish();
  }

  const ArrayPtr array_;
  const uint64_t j_;
  Lazy<Elements> all_;
};

}  // namespace

Json attribute_of(const Attributes& attributes, std::string_view name) {
  const Json* value = attributes.find(name);
  if (!value) return nullptr;
  if (!value->text() || !may_be_pickle(*value->text())) return *value;
  try {
    return read_pickle(as_byte_span(*value->text()));
  } catch (const Error&) {
    return *value;  // a text that only resembles a pickle, as in PyTables
  }
}

std::string name_of(const Json& label) {
  if (label.text()) return *label.text();
  if (!label.list()) return to_json_text(label);
  std::string name;
  for (const Json& part : *label.list()) {
    if (!name.empty()) name += '.';
    name += name_of(part);
  }
  return name;
}

std::vector<std::string> names_of(const Json& list) {
  if (!list.list()) throw damaged("{} is not a list of names", to_json_text(list));
  std::vector<std::string> names;
  for (const Json& label : *list.list()) names.push_back(name_of(label));
  return names;
}

ArrayPtr as_kind(ArrayPtr values, const Meaning& meaning) {
  const std::string& kind = meaning.kind;
  if (kind.starts_with("datetime64")) return nanoseconds(std::move(values), Kind::time_point);
  if (kind.starts_with("timedelta")) return nanoseconds(std::move(values), Kind::time_span);
  if (kind == "date") return days(std::move(values));
  if (kind.starts_with("bool") && !values->dtype().is_truth()) return as_logical(std::move(values));
  if (values->dtype().is_text()) return texts(std::move(values), meaning.nan_text);
  return values;
}

ArrayPtr column_of(ArrayPtr matrix, uint64_t j, bool is_transposed) {
  if (matrix->shape().size() == 1 && j == 0) return matrix;
  const size_t axis = is_transposed ? 0 : 1;
  if (matrix->shape().size() != 2 || j >= matrix->shape()[axis])
    throw damaged("the values of column {} are missing", j);
  return std::make_shared<Slice>(matrix, at_index(matrix->shape(), axis, j), std::vector<size_t>{1 - axis});
}

ArrayPtr pickled_column(ArrayPtr array, uint64_t rows, uint64_t j) {
  return std::make_shared<PickledColumn>(std::move(array), rows, j);
}

Json pickled_values(const Array& array) {
  if (array.dtype().kind != Kind::sequence || array.count() != 1)
    throw damaged("pickled values in {} elements of {}", array.count(), array.dtype().name());
  const Elements elements = read_all(array);
  return read_pickle(elements.children.at(0).bytes);
}

}  // namespace plainfs::hdfstore
