#include "formats/schemas/takane/typed_values.h"

#include <cmath>
#include <limits>

#include "formats/containers/hdf5/container.h"
#include "formats/core/base/half.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/schemas/takane/checks.h"
#include "formats/schemas/takane/columns.h"

namespace plainfs::takane {
namespace {

template <class... A>
void warn(const Owner& owner, Context& context, fmt::format_string<A...> text, A&&... values) {
  context.warn(owner.path + ": " + fmt::format(text, std::forward<A>(values)...));
}

// Returns whether values of this type already read as FALSE and TRUE. An enumeration has its own names.
bool reads_as_truth(const DType& type) {
  return type.is_truth() || type.kind == Kind::enumeration;
}

// Returns whether 32-bit signed integers hold the type: signed types up to 32 bits, unsigned ones up to 31.
bool fits_int32(const DType& type) {
  return type.kind == Kind::integer ? type.size <= 4 : type.kind == Kind::unsigned_integer && type.size <= 2;
}
// Returns whether doubles hold the type: IEEE types up to 64 bits, integers up to 52.
bool fits_double(const DType& type) {
  return type.kind == Kind::real || (type.is_integer() && type.size <= 4);
}

// Marks values of type T that equal the placeholder as missing. A NaN matches every NaN, 0.0 also matches
// -0.0.
template <class T>
void mark_equal(const Elements& elements, T placeholder, std::vector<uint8_t>& missing) {
  const std::span<const T> values = elements.values<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = plain_number(values[i]), wanted = plain_number(placeholder);
    if (value == wanted) missing[i] = 1;
    if constexpr (!std::is_integral_v<T>)
      if (std::isnan(wanted) && std::isnan(value)) missing[i] = 1;
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

// Returns values of any numeric type as truth values: 0 is FALSE, a NaN is missing, all else is TRUE.
// (dolomite writes 64-bit reals.)
ArrayPtr truth_values(ArrayPtr values) {
  if (values->dtype().kind != Kind::real)
    return reads_as_truth(values->dtype()) ? values : as_logical(values);
  const DType real = values->dtype();
  return as_logical(
      with_missing(std::move(values), [real](const Elements& elements, std::vector<uint8_t>& missing) {
        visit_number(real, [&](auto example) {
          using T = decltype(example);
          if constexpr (!std::is_integral_v<T>) mark_equal(elements, not_a_number<T>(), missing);
        });
      }));
}

bool is_format(const std::string& format) {
  return format == "none" || format == "date" || format == "date-time";
}

// Logs a warning for the first invalid date. Such values are shown unchanged.
void check_format(const Array& texts, const std::string& format, const Owner& owner, Context& context) {
  if (format != "date" && format != "date-time") return;
  if (texts.shape().size() != 1) return;
  const auto fits = format == "date" ? is_date : is_date_time;
  bool warned = false;
  for_each_run(texts, [&](uint64_t first, const Elements& run) {
    for (uint64_t i = 0; i < run.count && !warned; ++i) {
      const std::string_view text = text_of(texts.dtype(), run, i);
      if (run.is_missing(i) || fits(text)) continue;
      warn(owner, context, "row {} is not a {}: '{}'", first + i + 1, format, text);
      warned = true;
    }
  });
}

ArrayPtr strings(const ArrayPtr& stored, const ArrayPtr& placeholder, const std::string& format,
                 const Owner& owner, Context& context) {
  if (!stored->dtype().is_text())
    throw damaged("a string {} is stored as {}", owner.what, stored->dtype().name());
  const ArrayPtr texts = with_placeholder(nul_terminated(stored), placeholder);
  return checked(texts, [stored, texts, format, owner, &context] {
    require_no_null_strings(*stored, "strings");
    check_format(*texts, format, owner, context);
  });
}

bool are_ordered(const Group& parts, const Owner& owner, Context& context) {
  const ArrayPtr ordered = hdf5::attribute(parts, "ordered");
  if (!ordered) return false;
  if (!ordered->shape().empty()) {
    warn(owner, context, "the attribute \"ordered\" is not a scalar");
  } else if (!fits_int32(ordered->dtype())) {
    warn(owner, context, "the attribute \"ordered\" is {}, expected an integer", ordered->dtype().name());
  } else {
    const Elements value = read_all(*ordered);
    return visit_number(ordered->dtype(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>) return value.values<T>()[0] != 0;
      return false;
    });
  }
  return false;
}

}  // namespace

std::optional<std::string> text_attribute(const ArrayPtr& attribute, const char* name) {
  if (!attribute) return std::nullopt;
  if (!attribute->shape().empty() || attribute->is_null())
    throw damaged("the attribute \"{}\" is not a scalar", name);
  if (!attribute->dtype().is_text()) throw damaged("the attribute \"{}\" is not a string", name);
  const ArrayPtr text = nul_terminated(attribute);
  const Elements value = read_all(*text);
  return std::string(text_of(text->dtype(), value, 0));
}

ArrayPtr with_placeholder(ArrayPtr values, const ArrayPtr& placeholder) {
  if (!placeholder) return values;
  if (!placeholder->shape().empty() || placeholder->is_null())
    throw damaged("the placeholder is not a scalar");
  if (values->dtype().is_text()) {
    if (!placeholder->dtype().is_text()) throw damaged("the placeholder of strings is not a string");
    return with_missing(values, text_rule(values->dtype(), *text_attribute(placeholder, kPlaceholder)));
  }
  if (!(placeholder->dtype() == values->dtype()))
    throw damaged("the placeholder is {1}, expected {0}", values->dtype().name(),
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

std::string string_format(const ArrayPtr& attribute, const Owner& owner, Context& context) try {
  const std::string format = text_attribute(attribute, "format").value_or("none");
  if (is_format(format)) return format;
  warn(owner, context, "the format is '{}', expected none, date or date-time", format);
  return "none";
} catch (const Error& error) {
  if (is_transient(error)) throw;
  warn(owner, context, "{}", error.what());
  return "none";
}

ArrayPtr typed_values(ArrayPtr stored, const std::string& type, const ArrayPtr& placeholder,
                      const std::string& format, const Owner& owner, Context& context) {
  if (type == "string") return strings(stored, placeholder, format, owner, context);
  if (type != "integer" && type != "boolean" && type != "number")
    throw damaged("the type is '{}', expected integer, boolean, number or string", type);
  const DType& dtype = stored->dtype();
  if (!dtype.is_integer() && dtype.kind != Kind::real && dtype.kind != Kind::boolean &&
      dtype.kind != Kind::logical && dtype.kind != Kind::enumeration)
    throw damaged("a {} {} is stored as {}, expected a numeric type", type, owner.what, dtype.name());
  if (type == "number" ? !fits_double(dtype) : !fits_int32(dtype))
    warn(owner, context, "{} does not fit a {} {}; shown as stored", dtype.name(), type, owner.what);
  ArrayPtr marked = with_placeholder(std::move(stored), placeholder);
  return type == "boolean" ? truth_values(std::move(marked)) : marked;
}

ArrayPtr factor_values(const Group& parts, const Owner& owner, Context& context) {
  const ArrayPtr codes = find_array(parts, "codes");
  if (!codes) throw damaged("the codes of a factor are missing");
  const ArrayPtr levels = find_array(parts, "levels");
  if (!levels) throw damaged("the levels of a factor are missing");
  if (!codes->dtype().is_integer()) throw damaged("codes are {}, expected integers", codes->dtype().name());
  if (codes->dtype().kind != Kind::unsigned_integer)
    warn(owner, context, "codes are {}, expected an unsigned type", codes->dtype().name());
  if (levels->shape().size() != 1)
    throw damaged("levels has {} dimensions, expected 1", levels->shape().size());
  if (!levels->dtype().is_text()) throw damaged("levels are {}, expected strings", levels->dtype().name());
  const bool is_ordered = are_ordered(parts, owner, context);
  const ArrayPtr marked = with_placeholder(codes, hdf5::attribute(*codes, kPlaceholder));
  const ArrayPtr texts = nul_terminated(levels);
  const ArrayPtr labels = factor(marked, texts, 0, owner.path, context, is_ordered);
  return checked(labels, [owner, texts, levels, &context] {
    require_no_null_strings(*levels, "levels");
    if (!all_distinct(*texts)) warn(owner, context, "some levels are repeated");
  });
}

ArrayPtr vls_values(const Group& parts) {
  const ArrayPtr pointers = find_array(parts, "pointers");
  if (!pointers) throw damaged("the pointers of a vls column are missing");
  const ArrayPtr heap = find_array(parts, "heap");
  if (!heap) throw damaged("the heap of a vls column is missing");
  const DType& record = pointers->dtype();
  if (record.kind != Kind::compound || record.fields.size() != 2 || record.fields[0].name != "offset" ||
      record.fields[1].name != "length")
    throw damaged("vls pointers are not records of offset and length");
  for (const Field& field : record.fields)
    if (field.type.kind != Kind::unsigned_integer)
      throw damaged("vls pointers are {}, expected unsigned integers", field.type.name());
  if (heap->dtype().kind != Kind::unsigned_integer || heap->dtype().size != 1 || heap->shape().size() != 1)
    throw damaged("the vls heap is not a list of unsigned bytes");
  return with_placeholder(vls_text(pointers, heap), hdf5::attribute(*pointers, kPlaceholder));
}

}  // namespace plainfs::takane
