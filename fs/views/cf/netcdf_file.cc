// CF data as NetCDF classic files with 64-bit offsets (CDF-2), which CDO, NCO, GDAL, R and every other reader
// of NetCDF open. Source: "NetCDF Classic Format Specification", Unidata; the choice of types and attributes
// is in formats/schemas/cf/FORMAT.md, "The group as a NetCDF file".
#include "fs/views/cf/cf_files.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "formats/containers/netcdf/format.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/model/elements/number_cast.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/element_form.h"
#include "fs/views/cf/netcdf_times.h"

namespace plainfs {
namespace {

using netcdf::NcType;
using enum netcdf::NcType;

constexpr uint64_t kMaxLookedAt = uint64_t{1} << 20;          // elements
constexpr uint64_t kLargeVariable = (uint64_t{1} << 32) - 4;  // bytes; a larger one must be the last
constexpr uint64_t kMaxDimension = INT32_MAX;

// ---- values

// A variable as written to the file.
struct NcVariable {
  const CfVariable* source;
  NcType type;
  ElementForm form{};          // unless it has characters
  uint64_t text_length = 0;    // for characters: bytes of one element
  bool has_text_axis = false;  // each element is a text along a separate axis
  std::optional<Json> fill{};  // `_FillValue`, if the variable does not have one
  ArrayPtr converted{};        // instead of the values: counts of native times, or signed numbers
  std::string units{};         // of counts

  uint64_t element_bytes() const { return type == kNcChar ? text_length : form.size; }
  uint64_t bytes() const { return checked_multiply(source->values->count(), element_bytes()); }
  // Returns whether the first dimension is the record dimension of the file: that without elements.
  bool is_record() const {
    const Shape& shape = source->values->shape();
    return !shape.empty() && shape[0] == 0;
  }
  // Returns the bytes of the variable, or those of one record.
  uint64_t bytes_in_header() const {
    if (!is_record()) return bytes();
    const Shape& shape = source->values->shape();
    return checked_multiply(element_count(Shape(shape.begin() + 1, shape.end())), element_bytes());
  }
};

uint64_t padded_to_4(uint64_t size) {
  return checked_add(size, (4 - size % 4) % 4);
}

bool is_texts(const DType& type) {
  return type.is_text() || type.kind == Kind::fixed_utf32;
}

bool is_native_time(const DType& type) {
  return type.kind == Kind::time_point || type.kind == Kind::time_span;
}

DType counted_type(const DType& type) {
  return type.kind == Kind::enumeration || type.kind == Kind::logical ? number_type(type.base, type.size)
                                                                      : type;
}

struct IntegerRange {
  bool fits_int = true;     // all fit 32 bits
  bool fits_double = true;  // a double represents each
  bool has_least = false;   // one of them is -2^63
};

IntegerRange range_of(const Array& array) {
  const Elements elements = read_all(array);
  IntegerRange found;
  visit_number(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      for (const T value : elements.values<T>()) {
        if constexpr (std::is_same_v<T, int64_t>)
          if (value == INT64_MIN) {
            found.has_least = true;
            continue;
          }
        found.fits_int = found.fits_int && std::in_range<int32_t>(value);
        found.fits_double = found.fits_double && std::abs(static_cast<double>(value)) < 0x1p63 &&
                            static_cast<T>(static_cast<double>(value)) == value;
      }
    }
  });
  return found;
}

// The longest text of an array, in bytes.
struct LongestText {
  uint64_t bytes;
};

uint64_t longest_text(const Array& array) {
  const auto survey = array.survey<LongestText>(0, [&] {
    constexpr uint64_t kAtOnce = 65536;
    uint64_t longest = 0;
    std::string text;
    for (uint64_t first = 0; first < array.count(); first += kAtOnce) {
      const Elements some = read_run(array, first, std::min(kAtOnce, array.count() - first));
      for (uint64_t i = 0; i < some.count; ++i) {
        if (some.is_missing(i)) continue;
        text.clear();
        append_plain(array.dtype(), some, i, text);
        longest = std::max<uint64_t>(longest, text.size());
      }
      passed_run(array, first, some.count);
    }
    return LongestText{longest};
  });
  return survey->bytes;
}

// Returns 32-bit unsigned and 64-bit integers: as int if all values were read and fit, otherwise as double.
std::optional<NcVariable> wide_integers(const CfVariable& variable) {
  const bool is_looked_at = variable.values->count() <= kMaxLookedAt;
  const IntegerRange range = is_looked_at ? range_of(*variable.values) : IntegerRange{false, true, false};
  const bool is_time =
      variable.values->dtype() == number_type(Kind::integer, 8) && cf_times(variable, nullptr);
  if (range.has_least && !is_time && !is_looked_at) return std::nullopt;
  NcVariable generated{&variable, kNcDouble, is_time ? big_time() : big_double()};
  if (!range.fits_double) return std::nullopt;
  if (range.fits_int && !range.has_least)
    generated = {&variable, kNcInt, big_int32()};
  else if (is_time && range.has_least)
    generated.fill = Json(Json::Number{"NaN"});
  return generated;
}

// Returns unsigned numbers that `_Unsigned` = `false` makes signed, which NetCDF classic has a type for.
NcVariable signed_numbers(const CfVariable& variable, const DType& type) {
  NcVariable generated{&variable, kNcInt, big_int32()};
  if (type.size == 1) generated = {&variable, kNcByte, big_int8()};
  if (type.size == 2) generated = {&variable, kNcShort, big_int16()};
  const auto same_bits = [](Elements stored, const Box&) { return stored; };
  generated.converted = mapped(variable.values, number_type(Kind::integer, type.size), same_bits);
  return generated;
}

std::optional<NcVariable> number_variable(const CfVariable& variable, const DType& type) {
  const bool is_unsigned = type.kind == Kind::unsigned_integer;
  if (is_unsigned && type.size <= 4 && variable.attributes.readable().text("_Unsigned") == "false")
    return signed_numbers(variable, type);
  if (type.is_truth()) return NcVariable{&variable, kNcByte, big_int8()};
  if (type.kind == Kind::real) {
    if (type.size == 8) return NcVariable{&variable, kNcDouble, big_double()};
    return NcVariable{&variable, kNcFloat, big_float()};
  }
  const bool is_signed = type.kind == Kind::integer;
  if (type.size == 1)
    return is_signed ? NcVariable{&variable, kNcByte, big_int8()}
                     : NcVariable{&variable, kNcShort, big_int16()};
  if (type.size == 2)
    return is_signed ? NcVariable{&variable, kNcShort, big_int16()}
                     : NcVariable{&variable, kNcInt, big_int32()};
  if (type.size == 4 && is_signed) return NcVariable{&variable, kNcInt, big_int32()};
  return wide_integers(variable);
}

std::optional<NcVariable> native_times(const CfVariable& variable) {
  std::optional<NetcdfTimes> times = netcdf_times(variable.values);
  if (!times) return std::nullopt;
  const bool is_int = times->fits_int && !times->has_missing;
  NcVariable generated{&variable, is_int ? kNcInt : kNcDouble, is_int ? big_int32() : big_time()};
  generated.converted = std::move(times->counts);
  generated.units = std::move(times->units);
  if (times->has_missing) generated.fill = Json(Json::Number{"NaN"});
  return generated;
}

// Returns nullopt if a value is an integer that no double represents.
std::optional<NcVariable> nc_variable(const CfVariable& variable) {
  const DType type = counted_type(variable.values->dtype());
  if (is_native_time(type)) return native_times(variable);
  if (!is_texts(type)) return number_variable(variable, type);
  NcVariable generated{&variable, kNcChar};
  generated.has_text_axis = !variable.is_characters;
  generated.text_length =
      type.kind == Kind::fixed_text ? type.size : std::max<uint64_t>(1, longest_text(*variable.values));
  return generated;
}

// Texts, each padded with NUL to the same length.
class TextsSegment : public Segment {
 public:
  TextsSegment(ArrayPtr texts, uint64_t length)
      : texts_(std::move(texts)), length_(length), size_(checked_multiply(texts_->count(), length)) {}

  uint64_t size() const override { return size_; }
  uint64_t least_block() const override { return length_; }
  void read(const Wanted& wanted) const override {
    const uint64_t first = wanted.offset / length_;
    const uint64_t count = divide_up(wanted.offset + wanted.out.size(), length_) - first;
    const Elements elements =
        wanted.sequential ? read_run(*texts_, first, count) : peek_run(*texts_, first, count);
    Bytes padded(checked_size(count, length_));
    std::fill(padded.begin(), padded.end(), std::byte{0});
    std::string text;
    for (uint64_t i = 0; i < count; ++i) {
      text.clear();
      if (texts_->dtype().kind == Kind::fixed_text)
        text = as_text(ByteSpan(elements.bytes).subspan(i * length_, length_));
      else if (!elements.is_missing(i))
        append_plain(texts_->dtype(), elements, i, text);
      if (text.size() > length_) throw changed("a text of the store");
      std::memcpy(padded.data() + i * length_, text.data(), text.size());
    }
    std::memcpy(wanted.out.data(), padded.data() + (wanted.offset - first * length_), wanted.out.size());
  }
  void release(uint64_t begin, uint64_t end) const override {
    passed_run(*texts_, begin / length_, (end - begin) / length_);
  }

 private:
  const ArrayPtr texts_;
  const uint64_t length_;
  const uint64_t size_;
};

// ---- header

void put_word(uint64_t value, std::string& out) {
  append_big(out, value, 4);
}

void put_padded(std::string_view bytes, std::string& out) {
  out.append(bytes).append((4 - bytes.size() % 4) % 4, '\0');
}

void put_name(std::string_view name, std::string& out) {
  put_word(static_cast<uint32_t>(name.size()), out);
  put_padded(name, out);
}

void put_list_head(uint32_t tag, uint64_t count, std::string& out) {
  if (count > UINT32_MAX) throw unsupported("{} items are too many for a NetCDF file", count);
  put_word(count == 0 ? 0 : tag, out);
  put_word(static_cast<uint32_t>(count), out);
}

template <class T>
void put_big(T value, std::string& out) {
  std::byte bytes[sizeof(T)];
  store(value, true, bytes);
  out.append(reinterpret_cast<const char*>(bytes), sizeof(T));
}

// Appends a number of an attribute in one of NetCDF's types; returns false if the type cannot hold it.
// stored: its type in the store, may be null.
bool put_number(const Json& value, const DType* stored, NcType type, std::string& out) {
  std::optional<double> real = value.as_double();
  if (real) real = widened(*real, stored);
  if (const std::string* text = value.text()) {
    if (*text == "NaN") real = NAN;
    if (*text == "Infinity") real = INFINITY;
    if (*text == "-Infinity") real = -INFINITY;
  }
  if (!real) return false;
  if (type == kNcFloat) return put_big(static_cast<float>(*real), out), true;
  if (type == kNcDouble) return put_big(*real, out), true;
  const double least = type == kNcByte ? INT8_MIN : type == kNcShort ? INT16_MIN : INT32_MIN;
  if (!(*real >= least && *real <= -least - 1) || std::trunc(*real) != *real) return false;
  const auto whole = static_cast<int32_t>(*real);
  if (type == kNcByte)
    put_big(static_cast<int8_t>(whole), out);
  else if (type == kNcShort)
    put_big(static_cast<int16_t>(whole), out);
  else
    put_big(whole, out);
  return true;
}

bool is_whole(const Json& value) {
  const Json::Number* const number = value.number();
  return number && number->token.find_first_of(".eEnN") == std::string::npos;
}

bool fits_int(const Json& value) {
  const std::optional<int64_t> whole = value.as_int64();
  return whole && std::in_range<int32_t>(*whole);
}

// Returns the type of numbers in an attribute that has its own type.
NcType nc_type_of(const DType& stored, std::span<const Json> values) {
  const DType type = counted_type(stored);
  if (type.kind == Kind::real) return type.size == 8 ? kNcDouble : kNcFloat;
  const bool is_signed = type.kind == Kind::integer;
  if (type.size == 1) return is_signed ? kNcByte : kNcShort;
  if (type.size == 2) return is_signed ? kNcShort : kNcInt;
  if (type.size == 4 && is_signed) return kNcInt;
  return std::all_of(values.begin(), values.end(), fits_int) ? kNcInt : kNcDouble;
}

struct NcAttribute {
  NcType type;
  uint64_t count;
  std::string bytes;
};

NcAttribute text_attribute(std::string_view text) {
  return {kNcChar, text.size(), std::string(text)};
}

// Returns the numbers of an attribute, or nullopt if it holds anything else. of_variable: the required type.
std::optional<NcAttribute> number_attribute(const Attribute& attribute, const Json& value,
                                            std::optional<NcType> of_variable) {
  const Json::List* const list = value.list();
  const std::span<const Json> values = list ? std::span(*list) : std::span(&value, 1);
  const bool has_type = attribute.type && attribute.type->is_integer_or_real();
  if (values.empty() && !has_type) return std::nullopt;
  const auto is_number = [&](const Json& each) {
    return each.number() || (of_variable && each.text() && each.as_double());
  };
  const bool is_spelled = of_variable && !list && value.text();
  if (!is_spelled && !std::all_of(values.begin(), values.end(), is_number)) return std::nullopt;
  NcType own = kNcDouble;
  if (has_type)
    own = nc_type_of(*attribute.type, values);
  else if (std::all_of(values.begin(), values.end(),
                       [](const Json& each) { return is_whole(each) && fits_int(each); }))
    own = kNcInt;
  for (const NcType type : {of_variable.value_or(own), own, kNcDouble}) {
    NcAttribute generated{type, values.size(), {}};
    if (std::all_of(values.begin(), values.end(), [&](const Json& each) {
          return put_number(each, attribute.type.get(), type, generated.bytes);
        }))
      return generated;
  }
  return std::nullopt;
}

NcAttribute nc_attribute(const Attribute& attribute, std::optional<NcType> of_variable) {
  const bool is_stored_text = attribute.type && attribute.type->is_text();
  const Json value = attribute.unpacked();
  if (is_stored_text && value.is_null()) return text_attribute("");
  if (is_stored_text && value.only_item().text()) return text_attribute(*value.only_item().text());
  if (auto numbers = number_attribute(attribute, value, of_variable)) return *std::move(numbers);
  if (const std::string* text = value.text()) return text_attribute(*text);
  return text_attribute(to_json_text(value));
}

bool is_of_the_variable(std::string_view name) {
  constexpr std::string_view kNames[] = {"_FillValue",  "missing_value", "valid_min", "valid_max",
                                         "valid_range", "flag_values",   "flag_masks"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void put_attributes(const Attributes& attributes, std::optional<NcType> of_variable, std::string& out) {
  put_list_head(netcdf::kAttributes, attributes.size(), out);
  for (const Attribute& attribute : attributes) {
    const bool has_its_type = of_variable && *of_variable != kNcChar && is_of_the_variable(attribute.name);
    const NcAttribute generated = [&] {
      try {
        return nc_attribute(attribute, has_its_type ? of_variable : std::nullopt);
      } catch (const Error& error) {
        throw error.at("attribute " + attribute.name);
      }
    }();
    put_name(attribute.name, out);
    put_word(generated.type, out);
    if (generated.count > UINT32_MAX)
      throw unsupported("attribute {} has {} values, which are too many", attribute.name, generated.count);
    put_word(static_cast<uint32_t>(generated.count), out);
    put_padded(generated.bytes, out);
  }
}

// Returns a whole number of `bits` bits as the signed number of the same bits, and any other value unchanged.
Json as_signed(const Json& value, unsigned bits) {
  const std::optional<int64_t> number = value.as_int64();
  const int64_t end = int64_t{1} << bits;
  if (!number || *number < end / 2 || *number >= end) return value;
  return Json::of(*number - end);
}

// Makes the attributes of unsigned numbers those of signed ones.
void make_signed(unsigned bits, Attributes& attributes) {
  std::erase_if(attributes, [](const Attribute& each) { return each.name == "_Unsigned"; });
  for (Attribute& attribute : attributes) {
    if (!is_of_the_variable(attribute.name)) continue;
    const Json& value = attribute.value();
    const Json::List* const list = value.list();
    if (!list) {
      attribute.set_value(as_signed(value, bits));
      continue;
    }
    Json::List numbers;
    for (const Json& each : *list) numbers.push_back(as_signed(each, bits));
    attribute.set_value(std::move(numbers));
  }
}

Attributes attributes_in_file(const NcVariable& variable) {
  Attributes attributes = variable.source->attributes;
  const DType& type = variable.source->values->dtype();
  if (type.is_truth() && !attributes.has("dtype")) attributes.push_back({"dtype", Json("bool")});
  if (variable.fill && !attributes.has("_FillValue")) attributes.push_back({"_FillValue", *variable.fill});
  if (variable.converted && variable.units.empty()) make_signed(8 * type.size, attributes);
  if (!variable.units.empty()) {
    std::erase_if(attributes,
                  [](const Attribute& each) { return each.name == "units" || each.name == "calendar"; });
    attributes.push_back({"units", Json(variable.units)});
    if (type.kind == Kind::time_point) attributes.push_back({"calendar", Json("proleptic_gregorian")});
  }
  const bool is_unicode = variable.type == kNcChar && type.kind != Kind::fixed_text;
  if (is_unicode && !attributes.has("_Encoding")) attributes.push_back({"_Encoding", Json("utf-8")});
  return attributes;
}

std::string text_of_second_record(const std::string& dimension) {
  return fmt::format("dimension {} has no elements, which NetCDF classic allows only for one first dimension",
                     dimension);
}

// The dimensions of a file, in the order in which its variables first name them.
class NcDimensions {
 public:
  // Returns the numbers of the dimensions of a variable.
  std::vector<uint32_t> of(const NcVariable& variable) {
    std::vector<uint32_t> numbers;
    const Shape& shape = variable.source->values->shape();
    for (size_t axis = 0; axis < shape.size(); ++axis)
      numbers.push_back(number(variable.source->dimensions[axis], shape[axis], axis));
    if (variable.has_text_axis)
      numbers.push_back(
          number(fmt::format("string{}", variable.text_length), variable.text_length, shape.size()));
    return numbers;
  }
  // Adds a dimension without a variable, if the file can have it.
  void add_unused(const CfDimension& dimension) {
    const auto is_taken = [&](const auto& each) {
      return each.first == dimension.name || (dimension.length == 0 && each.second == 0);
    };
    if (dimension.length <= kMaxDimension && std::none_of(all_.begin(), all_.end(), is_taken))
      all_.emplace_back(dimension.name, dimension.length);
  }
  void put(std::string& out) const {
    put_list_head(netcdf::kDimensions, all_.size(), out);
    for (const auto& [name, length] : all_) {
      put_name(name, out);
      put_word(static_cast<uint32_t>(length), out);
    }
  }

 private:
  // A dimension without elements is the record dimension of the file. There is only one, and it comes first.
  uint32_t number(const std::string& name, uint64_t length, size_t axis) {
    if (length > kMaxDimension)
      throw unsupported("dimension {} has {} elements, but NetCDF classic allows at most {}", name, length,
                        kMaxDimension);
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const auto& each) { return each.first == name; });
    if (found != all_.end() && found->second != length)
      throw unsupported("dimension {} has two lengths: {} and {}", name, found->second, length);
    if (length == 0) {
      const bool is_other = std::any_of(
          all_.begin(), all_.end(), [&](const auto& each) { return each.second == 0 && each.first != name; });
      if (axis > 0 || is_other) throw unsupported("{}", text_of_second_record(name));
    }
    const auto place = static_cast<size_t>(found - all_.begin());
    if (place == all_.size()) all_.emplace_back(name, length);
    return static_cast<uint32_t>(place);
  }

  std::vector<std::pair<std::string, uint64_t>> all_;
};

void put_large_last(std::vector<NcVariable>& variables) {
  const auto is_large = [](const NcVariable& variable) { return variable.bytes() > kLargeVariable; };
  const auto large = std::stable_partition(variables.begin(), variables.end(),
                                           [&](const NcVariable& each) { return !is_large(each); });
  if (variables.end() - large > 1)
    throw unsupported(
        "{} and {} both have more than {} bytes, but a NetCDF file can have only one such variable: NAME.nc "
        "has "
        "each",
        large->source->name, (large + 1)->source->name, kLargeVariable);
}

SegmentPtr data_of(const NcVariable& variable, Context& context) {
  const ArrayPtr& values = variable.source->values;
  if (variable.type == kNcChar) return std::make_shared<TextsSegment>(values, variable.text_length);
  return array_segment(variable.converted ? variable.converted : values, variable.form, context);
}

// unused: dimensions without a variable, in the file as well.
ByteLayout lay_out(const Attributes& attributes, std::vector<NcVariable> variables,
                   const std::vector<CfDimension>& unused, Context& context) {
  NcDimensions dimensions;
  std::string entries;
  std::vector<size_t> begins;  // the position of each variable's offset in `entries`
  for (const NcVariable& variable : variables) {
    const std::vector<uint32_t> numbers = dimensions.of(variable);
    put_name(variable.source->name, entries);
    put_word(static_cast<uint32_t>(numbers.size()), entries);
    for (const uint32_t number : numbers) put_word(number, entries);
    put_attributes(attributes_in_file(variable), variable.type, entries);
    put_word(variable.type, entries);
    put_word(static_cast<uint32_t>(std::min<uint64_t>(padded_to_4(variable.bytes_in_header()), UINT32_MAX)),
             entries);
    begins.push_back(entries.size());
    append_big(entries, 0, 8);
  }
  for (const CfDimension& dimension : unused) dimensions.add_unused(dimension);
  std::string head("CDF\2", 4);
  put_word(0, head);  // records
  dimensions.put(head);
  put_attributes(attributes, std::nullopt, head);
  put_list_head(netcdf::kVariables, variables.size(), head);
  uint64_t begin = head.size() + entries.size();
  // The first record would begin behind all other variables, even if the file has no record.
  for (const bool are_records : {false, true})
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].is_record() != are_records) continue;
      std::string offset;
      append_big(offset, begin, 8);
      entries.replace(begins[i], offset.size(), offset);
      begin = checked_add(begin, padded_to_4(variables[i].bytes_in_header()));
    }
  ByteLayout layout;
  layout.put(head + entries);
  for (const NcVariable& variable : variables) {
    const uint64_t bytes = variable.bytes();
    layout.put(data_of(variable, context));
    layout.put_zeros(padded_to_4(bytes) - bytes);
  }
  return layout;
}

// Returns the variables that are needed to understand one, without it. Leaves out variables with another
// length of a dimension.
std::vector<const CfVariable*> needed_by(const CfDataset& dataset, const CfVariable& variable) {
  std::vector<const CfVariable*> queue{&variable}, needed;
  std::vector<std::pair<std::string, uint64_t>> lengths;
  const auto fits = [&](const CfVariable& each) {
    for (size_t axis = 0; axis < each.dimensions.size(); ++axis)
      for (const auto& [name, length] : lengths)
        if (name == each.dimensions[axis] && length != each.values->shape()[axis]) return false;
    return true;
  };
  for (size_t at = 0; at < queue.size(); ++at) {
    const CfVariable& each = *queue[at];
    if (std::find(needed.begin(), needed.end(), &each) != needed.end() || !fits(each)) continue;
    needed.push_back(&each);
    for (size_t axis = 0; axis < each.dimensions.size(); ++axis)
      lengths.emplace_back(each.dimensions[axis], each.values->shape()[axis]);
    for (const std::vector<std::string>& names : {each.dimensions, names_referred_to(each)})
      for (const std::string& name : names)
        if (const CfVariable* found = dataset.find(name); found && has_netcdf(*found)) queue.push_back(found);
    for (const CfVariable& other : dataset.variables)
      if ((other.attributes.readable().text("bounds") == each.name ||
           other.attributes.readable().text("climatology") == each.name) &&
          has_netcdf(other))
        queue.push_back(&other);
  }
  std::erase(needed, &variable);
  std::sort(needed.begin(), needed.end(),
            [](const CfVariable* a, const CfVariable* b) { return a->name < b->name; });
  return needed;
}

}  // namespace

bool has_netcdf(const CfVariable& variable) {
  const DType& type = variable.values->dtype();
  return is_texts(type) || counted_type(type).is_numeric() || nanoseconds_per_count(type);
}

std::optional<std::string> second_record_dimension(const CfDataset& dataset) {
  std::optional<std::string> record;
  for (const CfVariable& variable : dataset.variables) {
    if (!has_netcdf(variable)) continue;
    const Shape& shape = variable.values->shape();
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const std::string& name = variable.dimensions[axis];
      if (shape[axis] > 0) continue;
      if (axis > 0 || (record && *record != name)) return text_of_second_record(name);
      record = name;
    }
  }
  return std::nullopt;
}

bool has_netcdf(const CfDataset& dataset) {
  return std::any_of(dataset.variables.begin(), dataset.variables.end(), [](const CfVariable& variable) {
    return !variable.dimensions.empty() && !variable.is_inherited && has_netcdf(variable);
  });
}

ByteLayout netcdf_file(const CfDataset& dataset, Context& context) {
  std::vector<NcVariable> variables;
  for (const CfVariable& variable : dataset.variables) {
    if (!has_netcdf(variable)) {
      context.notice(fmt::format("{}: dataset.nc does not include {}: NetCDF classic has no form of {}",
                                 dataset.place, variable.name, variable.values->dtype().name()));
      continue;
    }
    if (auto generated = nc_variable(variable))
      variables.push_back(*std::move(generated));
    else
      context.notice(
          fmt::format("{}: dataset.nc does not include {}: it has an integer that a double cannot represent",
                      dataset.place, variable.name));
  }
  put_large_last(variables);
  return lay_out(dataset.attributes, std::move(variables), dataset.unused_dimensions, context);
}

ByteLayout netcdf_file(const CfDataset& dataset, const CfVariable& variable, Context& context) {
  std::vector<NcVariable> variables;
  for (const CfVariable* each : needed_by(dataset, variable))
    if (auto generated = nc_variable(*each)) variables.push_back(*std::move(generated));
  const std::optional<NcVariable> own = nc_variable(variable);
  if (!own)
    throw unsupported(
        "{}: an integer that a double cannot represent, and NetCDF classic has no other type for it",
        variable.name);
  variables.push_back(*own);
  put_large_last(variables);
  return lay_out(dataset.attributes, std::move(variables), {}, context);
}

}  // namespace plainfs
