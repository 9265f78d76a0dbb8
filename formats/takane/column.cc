#include "formats/takane/column.h"

#include <cmath>
#include <mutex>

#include "formats/hdf5/container.h"
#include "formats/model/derived_array.h"
#include "formats/takane/checks.h"
#include "formats/takane/text_columns.h"

namespace plainfs::takane {
namespace {

constexpr const char* kPlaceholder = "missing-value-placeholder";

// Reads as FALSE and TRUE already; an enumeration has the names of its own.
bool is_truth(const DType& type) {
  return type.kind == Kind::boolean || type.kind == Kind::logical || type.kind == Kind::enumeration;
}

// Within 32-bit signed: signed types up to 32 bits, unsigned ones up to 31.
bool fits_int32(const DType& type) {
  return type.kind == Kind::integer ? type.size <= 4 : type.kind == Kind::unsigned_integer && type.size <= 2;
}
// Within a double: IEEE types up to 64 bits, integers up to 52.
bool fits_double(const DType& type) {
  return type.kind == Kind::real || (type.is_integer() && type.size <= 4);
}

// A scalar string attribute, or nullopt where there is none. Throws damaged where it is something else.
std::optional<std::string> text_attribute(const ArrayPtr& attribute, const char* name) {
  if (!attribute) return std::nullopt;
  if (!attribute->shape().empty() || attribute->is_null())
    throw damaged("the {} attribute is a scalar", name);
  if (!attribute->dtype().is_text()) throw damaged("the {} attribute is a string", name);
  const ArrayPtr text = nul_terminated(attribute);
  const Elements value = read_all(*text);
  return std::string(text_of(text->dtype(), value, 0));
}

// values of type T equal to the placeholder are missing; a NaN matches every NaN, 0.0 also -0.0.
template <class T>
void mark_equal(const Elements& elements, T placeholder, std::vector<uint8_t>& missing) {
  const std::span<const T> values = elements.values<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      if (values[i] == placeholder || (std::isnan(placeholder) && std::isnan(values[i]))) missing[i] = 1;
    } else if constexpr (std::is_same_v<T, Half>) {
      const float value = to_float(values[i]), wanted = to_float(placeholder);
      if (value == wanted || (std::isnan(wanted) && std::isnan(value))) missing[i] = 1;
    } else {
      if (values[i] == placeholder) missing[i] = 1;
    }
  }
}

template <class T>
T not_a_number() {
  if constexpr (std::is_same_v<T, Half>)
    return Half{0x7e00};
  else
    return std::numeric_limits<T>::quiet_NaN();
}

MissingRule text_rule(const DType& type, std::string placeholder) {
  return
      [type, placeholder = std::move(placeholder)](const Elements& elements, std::vector<uint8_t>& missing) {
        for (uint64_t i = 0; i < elements.count; ++i)
          if (text_of(type, elements, i) == placeholder) missing[i] = 1;
      };
}

// values with those equal to the placeholder attribute marked; values itself where there is no such
// attribute.
ArrayPtr with_placeholder(ArrayPtr values, const ArrayPtr& placeholder) {
  if (!placeholder) return values;
  if (!placeholder->shape().empty() || placeholder->is_null()) throw damaged("the placeholder is a scalar");
  if (values->dtype().is_text()) {
    if (!placeholder->dtype().is_text()) throw damaged("the placeholder of strings is a string");
    return with_missing(values, text_rule(values->dtype(), *text_attribute(placeholder, kPlaceholder)));
  }
  if (!(placeholder->dtype() == values->dtype()))
    throw damaged("the placeholder has the type of the column: {}, not {}", values->dtype().name(),
                  placeholder->dtype().name());
  const Elements wanted = read_all(*placeholder);
  return visit_number(values->dtype(), [&](auto example) {
    using T = decltype(example);
    const T value = wanted.values<T>()[0];
    return with_missing(values, [value](const Elements& elements, std::vector<uint8_t>& missing) {
      mark_equal(elements, value, missing);
    });
  });
}

// Of any numeric type (dolomite writes 64-bit reals): 0 is FALSE, a NaN missing, all else TRUE.
ArrayPtr truth_values(ArrayPtr values) {
  if (values->dtype().kind != Kind::real) return is_truth(values->dtype()) ? values : as_logical(values);
  const DType real = values->dtype();
  return as_logical(
      with_missing(std::move(values), [real](const Elements& elements, std::vector<uint8_t>& missing) {
        visit_number(real, [&](auto example) {
          using T = decltype(example);
          if constexpr (!std::is_integral_v<T>) mark_equal(elements, not_a_number<T>(), missing);
        });
      }));
}

class ColumnReader {
 public:
  ColumnReader(const ColumnPlace& place, Context& context) : place_(place), context_(context) {}

  ArrayPtr dataset(ArrayPtr values) const {
    check_opens(*values);
    const std::optional<std::string> type = text_attribute(hdf5::attribute(*values, "type"), "type");
    if (!type) throw damaged("a column has a type attribute");
    require_length(*values, "a column");
    const ArrayPtr placeholder = hdf5::attribute(*values, kPlaceholder);
    if (*type == "string") return strings(std::move(values), placeholder);
    if (*type != "integer" && *type != "boolean" && *type != "number")
      throw damaged("the type is integer, boolean, number or string, not '{}'", *type);
    const DType& stored = values->dtype();
    if (!stored.is_integer() && stored.kind != Kind::real && stored.kind != Kind::boolean &&
        stored.kind != Kind::logical && stored.kind != Kind::enumeration)
      throw damaged("a {} column is of a numeric type, not {}", *type, stored.name());
    if (*type == "number" ? !fits_double(stored) : !fits_int32(stored))
      warn("{} does not fit a {} column: shown as stored", stored.name(), *type);
    ArrayPtr marked = with_placeholder(values, placeholder);
    return *type == "boolean" ? truth_values(std::move(marked)) : marked;
  }

  ArrayPtr group(const GroupPtr& parts) const {
    const std::optional<std::string> type = text_attribute(hdf5::attribute(*parts, "type"), "type");
    if (!type) throw damaged("a column has a type attribute");
    if (*type == "factor") return factor_column(*parts);
    if (*type == "vls") return vls_column(*parts);
    throw damaged("a group column is a factor or vls, not '{}'", *type);
  }

 private:
  template <class... A>
  void warn(fmt::format_string<A...> text, A&&... values) const {
    context_.warn(place_.path + ": " + fmt::format(text, std::forward<A>(values)...));
  }

  // A dataset that does not open has no attributes either. takane has no column of a type that cannot be
  // read.
  static void check_opens(const Array& values) {
    if (!dynamic_cast<const BrokenArray*>(&values)) return;
    try {
      values.check();
    } catch (const Error& error) {
      if (error.code() != Errc::unsupported) throw;
      throw damaged("a column is of a type that takane has: {}", error.what());
    }
  }

  void require_length(const Array& values, const char* what) const {
    if (values.shape().size() != 1)
      throw damaged("{} has one dimension, not {}", what, values.shape().size());
    if (place_.rows && values.count() != *place_.rows)
      throw damaged("{} has row-count elements: {}, not {}", what, *place_.rows, values.count());
  }

  ArrayPtr strings(ArrayPtr values, const ArrayPtr& placeholder) const {
    if (!values->dtype().is_text())
      throw damaged("a string column is of a string type, not {}", values->dtype().name());
    std::string format = "none";
    try {
      if (const auto named = text_attribute(hdf5::attribute(*values, "format"), "format")) format = *named;
      if (format != "none" && format != "date" && format != "date-time")
        warn("the format is none, date or date-time, not '{}'", format);
    } catch (const Error& error) {
      warn("{}", error.what());
    }
    const ArrayPtr raw = values;
    const ArrayPtr texts = with_placeholder(nul_terminated(std::move(values)), placeholder);
    return checked(texts, [*this, raw, texts, format] {
      require_no_null_strings(*raw, "strings");
      check_format(*texts, format);
    });
  }

  // Values that are no dates are shown as they are.
  void check_format(const Array& texts, const std::string& format) const {
    if (format != "date" && format != "date-time") return;
    const auto fits = format == "date" ? is_date : is_date_time;
    bool warned = false;
    for_each_run(texts, [&](uint64_t first, const Elements& run) {
      for (uint64_t i = 0; i < run.count && !warned; ++i) {
        const std::string_view text = text_of(texts.dtype(), run, i);
        if (run.is_missing(i) || fits(text)) continue;
        warn("row {} is no {}: '{}'", first + i + 1, format, text);
        warned = true;
      }
    });
  }

  ArrayPtr factor_column(const Group& parts) const {
    const ArrayPtr codes = find_array(parts, "codes");
    if (!codes) throw damaged("a factor has codes");
    const ArrayPtr levels = find_array(parts, "levels");
    if (!levels) throw damaged("a factor has levels");
    require_length(*codes, "a factor");
    if (!codes->dtype().is_integer()) throw damaged("codes are integers, not {}", codes->dtype().name());
    if (codes->dtype().kind != Kind::unsigned_integer)
      warn("codes are of an unsigned type, not {}", codes->dtype().name());
    if (levels->shape().size() != 1)
      throw damaged("levels has one dimension, not {}", levels->shape().size());
    if (!levels->dtype().is_text()) throw damaged("levels are strings, not {}", levels->dtype().name());
    check_ordered(parts);
    const ArrayPtr marked = with_placeholder(codes, hdf5::attribute(*codes, kPlaceholder));
    const ArrayPtr texts = nul_terminated(levels);
    const ArrayPtr labels = factor(marked, texts, 0, place_.path, context_, StrayCode::broken_rule);
    return checked(labels, [*this, texts, levels] {
      require_no_null_strings(*levels, "levels");
      if (!all_distinct(*texts)) warn("levels are unique: some are repeated");
    });
  }

  void check_ordered(const Group& parts) const {
    const ArrayPtr ordered = hdf5::attribute(parts, "ordered");
    if (!ordered) return;
    if (!ordered->shape().empty())
      warn("the ordered attribute is a scalar");
    else if (!fits_int32(ordered->dtype()))
      warn("the ordered attribute is an integer, not {}", ordered->dtype().name());
  }

  ArrayPtr vls_column(const Group& parts) const {
    if (!place_.vls_allowed) warn("vls columns came with version 1.1");
    const ArrayPtr pointers = find_array(parts, "pointers");
    if (!pointers) throw damaged("a vls column has pointers");
    const ArrayPtr heap = find_array(parts, "heap");
    if (!heap) throw damaged("a vls column has a heap");
    require_length(*pointers, "a vls column");
    const DType& record = pointers->dtype();
    if (record.kind != Kind::compound || record.fields.size() != 2 || record.fields[0].name != "offset" ||
        record.fields[1].name != "length")
      throw damaged("vls pointers have the members offset and length");
    for (const Field& field : record.fields)
      if (field.type.kind != Kind::unsigned_integer)
        throw damaged("vls pointers are unsigned, not {}", field.type.name());
    if (heap->dtype().kind != Kind::unsigned_integer || heap->dtype().size != 1 || heap->shape().size() != 1)
      throw damaged("the vls heap is of unsigned bytes in one dimension");
    const ArrayPtr texts = vls_text(pointers, heap);
    return with_placeholder(texts, hdf5::attribute(*pointers, kPlaceholder));
  }

  ColumnPlace place_;
  Context& context_;
};

}  // namespace

BasicColumn open_basic_column(const Node& stored, const ColumnPlace& place, Context& context) {
  BasicColumn column;
  Node shown;
  const bool is_group = stored.parts != nullptr;
  try {
    const ColumnReader reader(place, context);
    if (is_group) {
      column.values = reader.group(stored.parts);
    } else {
      ArrayPtr values = array_of(stored);
      if (!values) throw damaged("a column is a dataset or a group");
      column.values = reader.dataset(std::move(values));
    }
    shown.content = LabelledArray{column.values, nullptr, nullptr};
  } catch (const Error& error) {
    column.error = error;
    shown.content = *column.error;
  }
  const bool is_vls = column.values && is_group && !find_array(*stored.parts, "codes");
  shown.attributes = [stored] { return attributes_of(stored); };
  // A factor's parts stand with its labels; a vls column keeps its attributes with its strings, and its parts
  // apart.
  if (is_group && !is_vls) shown.parts = stored.parts;
  column.members.push_back({place.name, std::move(shown)});
  if (is_vls) column.members.push_back({place.name, Node{.parts = stored.parts}});
  return column;
}

}  // namespace plainfs::takane
