#include "formats/core/model/elements/dtype.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {

namespace {

uint32_t element_size(uint64_t bytes) {
  if (bytes > std::numeric_limits<uint32_t>::max())
    throw damaged("an element of {} bytes is too large", bytes);
  return static_cast<uint32_t>(bytes);
}

// Returns numpy's code of the unit.
std::string_view unit_code(TimeUnit unit) {
  constexpr std::string_view kCodes[] = {"generic", "Y",  "M",  "W",  "D",  "h",  "m",
                                         "s",       "ms", "us", "ns", "ps", "fs", "as"};
  return kCodes[static_cast<size_t>(unit)];
}

std::string time_name(std::string_view kind, const DType& type) {
  const std::string count = type.time_count == 1 ? "" : std::to_string(type.time_count);
  return fmt::format("{}[{}{}]", kind, count, unit_code(type.time_unit));
}

std::string item_name(const DType& type) {
  return type.item ? type.item->name() : "nothing";
}

bool equal_items(const DType& a, const DType& b) {
  if (!a.item || !b.item) return a.item == b.item;
  return *a.item == *b.item;
}

bool equal_classes(const DType& a, const DType& b) {
  if (!a.r_class || !b.r_class) return a.r_class == b.r_class;
  return *a.r_class == *b.r_class;
}

bool equal_fields(const Field& a, const Field& b) {
  return a.name == b.name && a.offset == b.offset && a.type == b.type;
}

bool equal_members(const EnumMember& a, const EnumMember& b) {
  return a.name == b.name && a.value == b.value;
}

}  // namespace

bool DType::fixed_size() const {
  switch (layout_of(*this)) {
    case Layout::flat:
      return true;
    case Layout::array:
      return item->fixed_size();
    case Layout::compound:
      return std::all_of(fields.begin(), fields.end(), [](const Field& f) { return f.type.fixed_size(); });
    case Layout::heap:
    case Layout::sequence:
      break;
  }
  return false;
}

uint64_t DType::packed_size() const {
  if (kind == Kind::array) return checked_multiply(item->packed_size(), items());
  if (kind != Kind::compound) return size;
  uint64_t sum = 0;
  for (const Field& field : fields) sum = checked_add(sum, field.type.packed_size());
  return sum;
}

uint64_t DType::items() const {
  return element_count(dims);
}

std::string DType::name() const {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return fmt::format("int{}", uint64_t{size} * 8);
    case Kind::unsigned_integer:
      return fmt::format("uint{}", uint64_t{size} * 8);
    case Kind::real:
      return fmt::format("float{}", uint64_t{size} * 8);
    case Kind::complex:
      return fmt::format("complex{}", uint64_t{size} * 8);
    case Kind::logical:
      return "logical";
    case Kind::enumeration:
      return fmt::format("enumeration of {}", members.size());
    case Kind::time_point:
      return time_name("datetime64", *this);
    case Kind::time_span:
      return time_name("timedelta64", *this);
    case Kind::counted_time:
      return time_unit == TimeUnit::day ? "date" : "time";
    case Kind::fixed_text:
      return fmt::format("text of {} bytes", size);
    case Kind::fixed_utf32:
      return fmt::format("text of {} characters", size / 4);
    case Kind::opaque:
      return fmt::format("{} opaque bytes", size);
    case Kind::compound:
      return fmt::format("compound of {}", fields.size());
    case Kind::array:
      return fmt::format("array ({}) of {}", fmt::join(dims, ", "), item_name(*this));
    case Kind::text:
      return "text";
    case Kind::blob:
      return "bytes";
    case Kind::sequence:
      return fmt::format("sequence of {}", item_name(*this));
    case Kind::json:
      return "json";
    case Kind::reference:
      return "reference";
  }
  return "unknown";
}

DType number_type(Kind kind, uint32_t size, bool big_endian) {
  DType type;
  type.kind = kind;
  type.size = size;
  type.big_endian = big_endian;
  return type;
}

DType text_type() {
  DType type;
  type.kind = Kind::text;
  return type;
}

DType compound_type(std::vector<Field> fields, uint32_t size) {
  DType type;
  type.kind = Kind::compound;
  type.size = size;
  type.fields = std::move(fields);
  return type;
}

DType packed_compound_type(std::vector<Field> fields) {
  uint64_t end = 0;
  for (Field& field : fields) {
    field.offset = end;
    end = checked_add(end, field.type.size);
  }
  return compound_type(std::move(fields), element_size(end));
}

DType array_type(DType item, std::vector<uint64_t> dims) {
  DType type;
  type.kind = Kind::array;
  type.size = element_size(checked_multiply(item.size, element_count(dims)));
  type.dims = std::move(dims);
  type.item = std::make_shared<const DType>(std::move(item));
  return type;
}

DType sequence_type(DType item) {
  DType type;
  type.kind = Kind::sequence;
  type.item = std::make_shared<const DType>(std::move(item));
  return type;
}

Layout layout_of(const DType& type) {
  switch (type.kind) {
    case Kind::text:
    case Kind::blob:
    case Kind::json:
    case Kind::reference:
      return Layout::heap;
    case Kind::sequence:
      return Layout::sequence;
    case Kind::array:
      return Layout::array;
    case Kind::compound:
      return Layout::compound;
    case Kind::boolean:
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::complex:
    case Kind::logical:
    case Kind::enumeration:
    case Kind::time_point:
    case Kind::time_span:
    case Kind::counted_time:
    case Kind::fixed_text:
    case Kind::fixed_utf32:
    case Kind::opaque:
      break;
  }
  return Layout::flat;
}

bool operator==(const DType& a, const DType& b) {
  return a.kind == b.kind && a.size == b.size && a.big_endian == b.big_endian && a.base == b.base &&
         a.padding == b.padding && a.time_unit == b.time_unit && a.time_count == b.time_count &&
         a.is_utc == b.is_utc && a.dims == b.dims && equal_items(a, b) && equal_classes(a, b) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), equal_members) &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), equal_fields);
}

bool is_complex_pair(const std::vector<Field>& fields) {
  if (fields.size() != 2) return false;
  const Field& real = fields[0];
  const Field& imaginary = fields[1];
  const auto are_named = [&](const char* a, const char* b) { return real.name == a && imaginary.name == b; };
  const bool named =
      are_named("r", "i") || are_named("Real", "Imaginary") || are_named("real", "imag");  // h5py, …, MATLAB
  return named && real.type.kind == Kind::real && imaginary.type.kind == Kind::real &&
         real.type.size == imaginary.type.size;
}

}  // namespace plainfs
