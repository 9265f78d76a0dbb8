#include "formats/containers/hdf5/process/answers.h"

#include <algorithm>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/model/dtype.h"

namespace plainfs::hdf5 {
namespace {

using Form = StoredType::Form;

// The depth that library/datatype.cc allows, plus array types.
constexpr int kMostNestedOnWire = 80;

void check_depth(int depth) {
  if (depth > kMostNestedOnWire) throw damaged("a datatype nested more than {} deep", kMostNestedOnWire);
}

uint32_t read_size(Cursor& in, std::initializer_list<uint32_t> possible) {
  const auto size = in.little<uint32_t>();
  if (std::find(possible.begin(), possible.end(), size) == possible.end())
    throw damaged("invalid number: {} bytes", size);
  return size;
}

uint32_t read_any_size(Cursor& in) {
  const auto size = in.little<uint32_t>();
  if (size == 0) throw damaged("invalid elements: no bytes");
  return size;
}

Kind read_integer_kind(Cursor& in) {
  return read_flag(in) ? Kind::unsigned_integer : Kind::integer;
}

void write_integer_kind(Writer& out, Kind kind) {
  out.flag(kind == Kind::unsigned_integer);
}

void write_members(Writer& out, const std::vector<EnumMember>& members) {
  write_list(out, members, [](Writer& to, const EnumMember& member) {
    to.text(member.name);
    to.number(member.value);
  });
}

std::vector<EnumMember> read_members(Cursor& in) {
  return read_list<EnumMember>(in, [](Cursor& from) {
    std::string name = read_text(from);
    return EnumMember{std::move(name), from.little<int64_t>()};
  });
}

// Writes a type that unpack() of the model accepts.
void write_plain(Writer& out, const DType& type) {
  out.choice(type.kind);
  out.number(type.size);
  switch (type.kind) {
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::complex:
      out.flag(type.big_endian);
      return;
    case Kind::enumeration:
      out.flag(type.big_endian);
      write_integer_kind(out, type.base);
      return write_members(out, type.members);
    case Kind::fixed_text:
      return out.choice(type.padding);
    case Kind::compound:
      return write_list(out, type.fields, [](Writer& to, const Field& field) {
        to.text(field.name);
        to.number(field.offset);
        write_plain(to, field.type);
      });
    case Kind::array:
      write_shape(out, type.dims);
      return write_plain(out, *type.item);
    default:
      return;
  }
}

DType read_plain(Cursor& in, int depth);

Field read_field(Cursor& in, uint32_t record_size, int depth) {
  Field field;
  field.name = read_text(in);
  field.offset = in.little<uint64_t>();
  field.type = read_plain(in, depth);
  if (checked_add(field.offset, field.type.size) > record_size)
    throw damaged("a member at byte {} is outside its record of {} bytes", field.offset, record_size);
  return field;
}

DType read_number(Cursor& in, Kind kind, std::initializer_list<uint32_t> sizes) {
  const uint32_t size = read_size(in, sizes);
  return number_type(kind, size, read_flag(in));
}

DType read_plain(Cursor& in, int depth) {
  check_depth(depth);
  DType type;
  type.kind = read_choice(in, Kind::reference);
  switch (type.kind) {
    case Kind::boolean:
      type.size = read_size(in, {1});
      return type;
    case Kind::integer:
    case Kind::unsigned_integer:
      return read_number(in, type.kind, {1, 2, 4, 8});
    case Kind::real:
      return read_number(in, type.kind, {2, 4, 8});
    case Kind::complex:
      return read_number(in, type.kind, {4, 8, 16});
    case Kind::enumeration:
      type = read_number(in, type.kind, {1, 2, 4, 8});
      type.base = read_integer_kind(in);
      type.members = read_members(in);
      return type;
    case Kind::fixed_text:
      type.size = read_any_size(in);
      type.padding = read_choice(in, Padding::space_padded);
      return type;
    case Kind::opaque:
      type.size = read_any_size(in);
      return type;
    case Kind::compound:
      type.size = read_any_size(in);
      type.fields =
          read_list<Field>(in, [&](Cursor& from) { return read_field(from, type.size, depth + 1); });
      return type;
    case Kind::array: {
      const uint32_t size = read_any_size(in);
      std::vector<uint64_t> dims = read_shape(in);
      DType array = array_type(read_plain(in, depth + 1), std::move(dims));
      if (array.size != size) throw damaged("an array type has {} bytes, expected {}", array.size, size);
      return array;
    }
    default:
      throw damaged("invalid stored elements of kind {}", static_cast<int>(type.kind));
  }
}

void write_bits(Writer& out, const BitLayout& bits) {
  out.flag(bits.big_endian);
  out.flag(bits.is_signed);
  out.flag(bits.implied_one);
  for (const unsigned value : {bits.offset, bits.precision, bits.sign, bits.exponent, bits.exponent_bits,
                               bits.mantissa, bits.mantissa_bits})
    out.number(value);
  out.number(bits.bias);
}

BitLayout read_bits(Cursor& in) {
  BitLayout bits;
  bits.big_endian = read_flag(in);
  bits.is_signed = read_flag(in);
  bits.implied_one = read_flag(in);
  for (unsigned* value : {&bits.offset, &bits.precision, &bits.sign, &bits.exponent, &bits.exponent_bits,
                          &bits.mantissa, &bits.mantissa_bits})
    *value = in.little<unsigned>();
  bits.bias = in.little<uint64_t>();
  return bits;
}

uint64_t read_odd_size(Cursor& in) {
  const auto size = in.little<uint64_t>();
  if (size == 0 || size > 8) throw damaged("invalid number: {} bytes", size);
  return size;
}

StoredType read_odd_integer(Cursor& in) {
  StoredType type;
  type.form = Form::odd_integer;
  type.size = read_odd_size(in);
  type.dtype = read_plain(in, 0);
  if (!type.dtype.is_integer() && type.dtype.kind != Kind::enumeration)
    throw damaged("invalid integer: kind {}", static_cast<int>(type.dtype.kind));
  type.bits = read_bits(in);
  if (type.bits.precision == 0 || uint64_t{type.bits.offset} + type.bits.precision > 8 * type.size)
    throw damaged("invalid integer: {1} bits from bit {2} in {0} bytes", type.size, type.bits.precision,
                  type.bits.offset);
  return type;
}

StoredType read_odd_real(Cursor& in) {
  StoredType type;
  type.form = Form::odd_real;
  type.size = read_odd_size(in);
  type.dtype = number_type(Kind::real, read_size(in, {4, 8}));
  type.bits = read_bits(in);
  const BitLayout& bits = type.bits;
  const uint64_t last = std::max({uint64_t{bits.sign} + 1, uint64_t{bits.exponent} + bits.exponent_bits,
                                  uint64_t{bits.mantissa} + bits.mantissa_bits});
  if (bits.exponent_bits == 0 || bits.exponent_bits > 11 || bits.mantissa_bits > 52 || last > 8 * type.size)
    throw damaged("invalid floating-point type: parts outside its {} bytes", type.size);
  return type;
}

void write_type(Writer& out, const StoredType& type) {
  out.choice(type.form);
  switch (type.form) {
    case Form::plain:
    case Form::bit_field:
      return write_plain(out, type.dtype);
    case Form::odd_integer:
      out.number(type.size);
      write_plain(out, type.dtype);
      return write_bits(out, type.bits);
    case Form::odd_real:
      out.number(type.size);
      out.number(type.dtype.size);
      return write_bits(out, type.bits);
    case Form::timeval:
      return out.flag(type.bits.big_endian);
    case Form::boolean:
    case Form::logical:
    case Form::sequence:
      return write_type(out, type.items[0]);
    case Form::text:
    case Form::object_reference:
    case Form::region_reference:
      return;
    case Form::complex:
    case Form::compound:
      out.number(type.size);
      out.number(uint64_t{type.fields.size()});
      for (size_t i = 0; i < type.fields.size(); ++i) {
        out.text(type.form == Form::compound ? type.dtype.fields[i].name : "");
        out.number(type.fields[i].offset);
        write_type(out, type.fields[i].type);
      }
      return;
    case Form::array:
      write_shape(out, type.dtype.dims);
      return write_type(out, type.items[0]);
  }
}

StoredType read_type(Cursor& in, const FileLayout& layout, int depth);

// Reads a type of truth values, which contains a type of integers.
StoredType read_truth(Cursor& in, Form form, const FileLayout& layout, int depth) {
  StoredType base = read_type(in, layout, depth + 1);
  if ((base.form != Form::plain && base.form != Form::odd_integer) || !base.dtype.is_integer())
    throw damaged("truth values are not integers");
  StoredType type = base;
  type.form = form;
  if (form == Form::boolean) {
    type.dtype = number_type(Kind::boolean, 1);
  } else {
    type.dtype.base = base.dtype.kind;
    type.dtype.kind = Kind::logical;
  }
  type.items.push_back(std::move(base));
  return type;
}

StoredType read_heap_type(Cursor& in, Form form, const FileLayout& layout, int depth) {
  StoredType type;
  type.form = form;
  type.size = 8 + layout.address_size;
  if (form == Form::text) {
    type.dtype = text_type();
  } else if (form == Form::sequence) {
    type.items.push_back(read_type(in, layout, depth + 1));
    type.dtype = sequence_type(type.items[0].dtype);
  } else {
    type.dtype.kind = Kind::reference;
    type.size = layout.address_size + (form == Form::region_reference ? 4 : 0);
  }
  return type;
}

StoredType read_record(Cursor& in, Form form, const FileLayout& layout, int depth) {
  StoredType type;
  type.form = form;
  type.size = in.little<uint64_t>();
  std::vector<Field> fields;
  for (size_t count = read_count(in); count > 0; --count) {
    std::string name = read_text(in);
    const auto offset = in.little<uint64_t>();
    type.fields.push_back({offset, read_type(in, layout, depth + 1)});
    if (checked_add(offset, type.fields.back().type.size) > type.size)
      throw damaged("a member at byte {} is outside its record of {} bytes", offset, type.size);
    fields.push_back({std::move(name), type.fields.back().type.dtype, 0});
  }
  if (form == Form::compound) {
    type.dtype = packed_compound_type(std::move(fields));
    return type;
  }
  if (fields.size() != 2 || fields[0].type.kind != Kind::real || fields[1].type.kind != Kind::real ||
      fields[0].type.size != fields[1].type.size)
    throw damaged("complex numbers have {} parts, expected 2", fields.size());
  type.dtype = number_type(Kind::complex, 2 * fields[0].type.size);
  return type;
}

StoredType read_array_type(Cursor& in, const FileLayout& layout, int depth) {
  StoredType type;
  type.form = Form::array;
  std::vector<uint64_t> dims = read_shape(in);
  StoredType item = read_type(in, layout, depth + 1);
  type.size = item.size;
  for (const uint64_t dim : dims) type.size = checked_multiply(type.size, dim);
  type.dtype = array_type(item.dtype, std::move(dims));
  type.items.push_back(std::move(item));
  return type;
}

StoredType type_of_form(Cursor& in, Form form, const FileLayout& layout, int depth) {
  switch (form) {
    case Form::plain:
    case Form::bit_field: {
      StoredType type;
      type.form = form;
      type.dtype = read_plain(in, depth);
      type.size = type.dtype.size;
      return type;
    }
    case Form::odd_integer:
      return read_odd_integer(in);
    case Form::odd_real:
      return read_odd_real(in);
    case Form::timeval: {
      StoredType type;
      type.form = form;
      type.size = 8;
      type.dtype = number_type(Kind::real, 8);
      type.bits.big_endian = read_flag(in);
      return type;
    }
    case Form::boolean:
    case Form::logical:
      return read_truth(in, form, layout, depth);
    case Form::text:
    case Form::sequence:
    case Form::object_reference:
    case Form::region_reference:
      return read_heap_type(in, form, layout, depth);
    case Form::complex:
    case Form::compound:
      return read_record(in, form, layout, depth);
    case Form::array:
      return read_array_type(in, layout, depth);
  }
  throw damaged("unknown form of an element");
}

StoredType read_type(Cursor& in, const FileLayout& layout, int depth) {
  check_depth(depth);
  StoredType type = type_of_form(in, read_choice(in, Form::array), layout, depth);
  if (type.size == 0 || type.size > UINT32_MAX) throw damaged("invalid datatype: {} bytes", type.size);
  return type;
}

}  // namespace

void write_shape(Writer& out, const Shape& shape) {
  write_list(out, shape, [](Writer& to, uint64_t length) { to.number(length); });
}

Shape read_shape(Cursor& in) {
  return read_list<uint64_t>(in, [](Cursor& from) { return from.little<uint64_t>(); });
}

void write_extent(Writer& out, const StoredExtent& extent) {
  out.flag(extent.is_null);
  write_shape(out, extent.dataset_shape);
  write_shape(
      out, {extent.shape.begin() + static_cast<ptrdiff_t>(extent.dataset_shape.size()), extent.shape.end()});
  write_type(out, extent.type);
}

StoredExtent read_extent(Cursor& in, const FileLayout& layout) {
  StoredExtent extent;
  extent.is_null = read_flag(in);
  extent.dataset_shape = read_shape(in);
  const Shape items = read_shape(in);
  extent.shape = extent.dataset_shape;
  extent.shape.insert(extent.shape.end(), items.begin(), items.end());
  extent.type = read_type(in, layout, 0);
  extent.stored_size = extent.type.size;
  for (const uint64_t length : items) extent.stored_size = checked_multiply(extent.stored_size, length);
  checked_multiply(element_count(extent.shape), extent.type.size);
  return extent;
}

}  // namespace plainfs::hdf5
