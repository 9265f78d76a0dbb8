#include "formats/containers/hdf5/library/datatype.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/stored_elements.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/elements/dtype.h"

namespace plainfs::hdf5 {
namespace {

using Form = StoredType::Form;

// Deeper types are an attack: netCDF-4 and NWB nest three deep.
constexpr int kMaxNested = 32;

StoredType any_type(hid_t type, const FileLayout& layout, int depth);

StoredType plain(DType dtype) {
  StoredType result;
  result.size = dtype.size;
  result.dtype = std::move(dtype);
  return result;
}

struct FreeMemory {
  void operator()(char* memory) const { H5free_memory(memory); }
};
using LibraryText = std::unique_ptr<char, FreeMemory>;

bool big_endian(hid_t type) {
  switch (H5Tget_order(type)) {
    case H5T_ORDER_LE:
    case H5T_ORDER_NONE:
      return false;
    case H5T_ORDER_BE:
      return true;
    default:
      throw unsupported("numbers in VAX byte order");
  }
}

uint32_t machine_size(uint64_t size) {
  for (const uint32_t candidate : {1, 2, 4, 8})
    if (size <= candidate) return candidate;
  throw unsupported("numbers of {} bytes", size);
}

// Returns the stored form of an integer or a bit field.
StoredType integer_type(hid_t type, Kind kind) {
  const uint64_t size = H5Tget_size(type);
  const uint32_t native_size = machine_size(size);
  const int offset = checked_call(H5Tget_offset(type), "bit offset");
  const uint64_t precision = H5Tget_precision(type);
  const bool big = big_endian(type);
  if (offset == 0 && precision == 8 * size && size == native_size)
    return plain(number_type(kind, native_size, big));
  if (precision == 0 || offset + precision > 8 * size)
    throw damaged("invalid integer: {1} bits from bit {2} in {0} bytes", size, precision, offset);
  StoredType result = plain(number_type(kind, native_size));
  result.form = Form::odd_integer;
  result.size = size;
  result.bits.big_endian = big;
  result.bits.is_signed = kind == Kind::integer;
  result.bits.offset = static_cast<unsigned>(offset);
  result.bits.precision = static_cast<unsigned>(precision);
  return result;
}

bool is_ieee(const BitLayout& bits, uint64_t size) {
  if (!bits.implied_one || bits.mantissa != 0 || bits.sign != 8 * size - 1) return false;
  if (bits.exponent != bits.mantissa_bits || bits.bias != (uint64_t{1} << (bits.exponent_bits - 1)) - 1)
    return false;
  if (size == 2) return bits.exponent_bits == 5 && bits.mantissa_bits == 10;
  if (size == 4) return bits.exponent_bits == 8 && bits.mantissa_bits == 23;
  return size == 8 && bits.exponent_bits == 11 && bits.mantissa_bits == 52;
}

StoredType real_type(hid_t type) {
  const uint64_t size = H5Tget_size(type);
  size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
  checked_call(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits),
               "bits of a real");
  if (exponent_bits == 0 || exponent_bits > 11 || mantissa_bits > 52 || size > 8)
    throw unsupported("floating-point numbers of {} bytes with {} bits of mantissa (long double or wider)",
                      size, mantissa_bits);
  if (std::max({sign + 1, exponent + exponent_bits, mantissa + mantissa_bits}) > 8 * size)
    throw damaged("invalid floating-point type: parts outside its {} bytes", size);
  BitLayout bits;
  bits.big_endian = big_endian(type);
  bits.sign = static_cast<unsigned>(sign);
  bits.exponent = static_cast<unsigned>(exponent);
  bits.exponent_bits = static_cast<unsigned>(exponent_bits);
  bits.mantissa = static_cast<unsigned>(mantissa);
  bits.mantissa_bits = static_cast<unsigned>(mantissa_bits);
  bits.bias = H5Tget_ebias(type);
  bits.implied_one = H5Tget_norm(type) == H5T_NORM_IMPLIED;
  if (is_ieee(bits, size))
    return plain(number_type(Kind::real, static_cast<uint32_t>(size), bits.big_endian));
  const bool fits_single = exponent_bits <= 8 && mantissa_bits <= 23;
  StoredType result = plain(number_type(Kind::real, fits_single ? 4 : 8));
  result.form = Form::odd_real;
  result.size = size;
  result.bits = bits;
  return result;
}

Padding padding_of(hid_t type) {
  switch (H5Tget_strpad(type)) {
    case H5T_STR_NULLTERM:
      return Padding::null_terminated;
    case H5T_STR_SPACEPAD:
      return Padding::space_padded;
    default:
      return Padding::null_padded;
  }
}

StoredType heap_type(Form form, DType dtype, uint64_t size) {
  StoredType result;
  result.form = form;
  result.size = size;
  result.dtype = std::move(dtype);
  return result;
}

// Returns the size of a reference into the global heap: u32 length, address, u32 index.
uint64_t heap_reference_size(const FileLayout& layout) {
  return 8 + layout.address_size;
}

DType fixed_type(Kind kind, uint64_t size) {
  DType dtype;
  dtype.kind = kind;
  dtype.size = static_cast<uint32_t>(size);
  return dtype;
}

StoredType string_type(hid_t type, const FileLayout& layout) {
  if (checked_call(H5Tis_variable_str(type), "kind of string"))
    return heap_type(Form::text, text_type(), heap_reference_size(layout));
  DType dtype = fixed_type(Kind::fixed_text, H5Tget_size(type));
  dtype.padding = padding_of(type);
  return plain(std::move(dtype));
}

StoredType reference_type(hid_t type, const FileLayout& layout) {
  DType dtype;
  dtype.kind = Kind::reference;
  if (H5Tequal(type, H5T_STD_REF_OBJ) > 0)
    return heap_type(Form::object_reference, dtype, layout.address_size);
  if (H5Tequal(type, H5T_STD_REF_DSETREG) > 0)
    return heap_type(Form::region_reference, dtype, 4 + layout.address_size);
  throw unsupported("references of HDF5 1.12");
}

// Returns the members of an enumeration with their values as stored.
std::vector<EnumMember> enum_members(hid_t type, const StoredType& base) {
  const int count = checked_call(H5Tget_nmembers(type), "members of an enumeration");
  std::vector<EnumMember> members;
  Bytes values(base.size * static_cast<uint64_t>(count));
  for (int i = 0; i < count; ++i) {
    const LibraryText name(H5Tget_member_name(type, static_cast<unsigned>(i)));
    if (!name) throw library_error("a member of an enumeration");
    members.push_back({name.get(), 0});
    checked_call(H5Tget_member_value(type, static_cast<unsigned>(i),
                                     values.data() + base.size * static_cast<uint64_t>(i)),
                 "a value of an enumeration");
  }
  const Elements decoded = decode_fixed(base, values, members.size());
  visit_number(base.dtype, [&](auto number) {
    using T = decltype(number);
    if constexpr (std::is_integral_v<T>)
      for (size_t i = 0; i < members.size(); ++i)
        members[i].value = static_cast<int64_t>(decoded.values<T>()[i]);
  });
  return members;
}

bool has_member(const std::vector<EnumMember>& members, std::string_view name, int64_t value) {
  return std::any_of(members.begin(), members.end(),
                     [&](const EnumMember& member) { return member.name == name && member.value == value; });
}

// Returns the stored form of an enumeration. h5py's booleans have FALSE and TRUE, hdf5r's logicals also NA.
StoredType enum_type(hid_t type) {
  const auto super = checked_handle<TypeHandle>(H5Tget_super(type), "base of an enumeration");
  StoredType base = integer_type(
      super.id(), H5Tget_sign(super.id()) == H5T_SGN_NONE ? Kind::unsigned_integer : Kind::integer);
  std::vector<EnumMember> members = enum_members(type, base);
  const bool truth = has_member(members, "FALSE", 0) && has_member(members, "TRUE", 1);
  if (truth && members.size() == 2 && base.size == 1 && base.form == Form::plain)
    return plain(fixed_type(Kind::boolean, 1));
  StoredType result = base;
  if (truth && members.size() == 2) {
    result.form = Form::boolean;
    result.dtype = fixed_type(Kind::boolean, 1);
  } else if (truth && members.size() == 3 && has_member(members, "NA", 2)) {
    result.form = Form::logical;
    result.dtype.base = base.dtype.kind;
    result.dtype.kind = Kind::logical;
  } else {
    result.dtype.base = base.dtype.kind;
    result.dtype.kind = Kind::enumeration;
    result.dtype.members = std::move(members);
    return result;
  }
  result.items.push_back(std::move(base));
  return result;
}

StoredType array_of_items(hid_t type, const FileLayout& layout, int depth) {
  const int rank = checked_call(H5Tget_array_ndims(type), "rank of an array type");
  std::vector<hsize_t> dims(static_cast<size_t>(rank));
  checked_call(H5Tget_array_dims2(type, dims.data()), "dimensions of an array type");
  const auto super = checked_handle<TypeHandle>(H5Tget_super(type), "items of an array type");
  StoredType item = any_type(super.id(), layout, depth + 1);
  StoredType result;
  result.size = item.size;
  for (const hsize_t dim : dims) result.size = checked_multiply(result.size, dim);
  if (result.size > UINT32_MAX) throw damaged("invalid array type: {} bytes", result.size);
  result.dtype = array_type(item.dtype, {dims.begin(), dims.end()});
  if (item.form == Form::plain) return result;
  result.form = Form::array;
  result.items.push_back(std::move(item));
  return result;
}

StoredType complex_type(StoredType record, const std::vector<Field>& fields) {
  const uint32_t part = fields[0].type.size;
  const StoredField& real = record.fields[0];
  const StoredField& imaginary = record.fields[1];
  const bool plain_pair = real.type.form == Form::plain && imaginary.type.form == Form::plain &&
                          real.offset == 0 && imaginary.offset == part && record.size == 2 * uint64_t{part} &&
                          fields[0].type.big_endian == fields[1].type.big_endian;
  DType dtype = fixed_type(Kind::complex, 2 * part);
  if (plain_pair) {
    dtype.big_endian = fields[0].type.big_endian;
    return plain(std::move(dtype));
  }
  record.form = Form::complex;
  record.dtype = std::move(dtype);
  return record;
}

// The members of a record in the library's order, with their offsets in memory.
struct Members {
  std::vector<Field> fields;
  std::vector<StoredField> stored;
  std::vector<uint64_t> memory_sizes;
};

Members members_of(hid_t type, const FileLayout& layout, int depth) {
  const int count = checked_call(H5Tget_nmembers(type), "members of a compound");
  Members members;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    const LibraryText name(H5Tget_member_name(type, i));
    if (!name) throw library_error("a member of a compound");
    const auto member = checked_handle<TypeHandle>(H5Tget_member_type(type, i), "type of a member");
    StoredType stored = any_type(member.id(), layout, depth + 1);
    members.fields.push_back({name.get(), stored.dtype, 0});
    members.stored.push_back({H5Tget_member_offset(type, i), std::move(stored)});
    members.memory_sizes.push_back(H5Tget_size(member.id()));
  }
  return members;
}

// Changes the offsets of members from memory to the file. In memory each member is shifted by the growth of
// the members before it. Returns the size of the record in the file.
uint64_t move_into_file(Members& members, uint64_t memory_size) {
  std::vector<size_t> order(members.stored.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return members.stored[a].offset < members.stored[b].offset; });
  uint64_t growth = 0;  // modulo 2^64, since it may be negative
  for (const size_t i : order) {
    members.stored[i].offset -= growth;
    members.fields[i].offset = members.stored[i].offset;
    growth += members.memory_sizes[i] - members.stored[i].type.size;
  }
  const uint64_t size = memory_size - growth;
  for (const StoredField& field : members.stored)
    if (checked_add(field.offset, field.type.size) > size)
      throw damaged("a member at byte {} is outside its record of {} bytes", field.offset, size);
  return size;
}

StoredType compound(hid_t type, const FileLayout& layout, int depth) {
  Members members = members_of(type, layout, depth);
  StoredType result;
  result.size = move_into_file(members, H5Tget_size(type));
  result.fields = std::move(members.stored);
  if (is_complex_pair(members.fields)) return complex_type(std::move(result), members.fields);
  const bool all_plain = std::all_of(result.fields.begin(), result.fields.end(),
                                     [](const StoredField& field) { return field.type.form == Form::plain; });
  if (all_plain) {
    result.fields.clear();
    result.dtype = compound_type(std::move(members.fields), static_cast<uint32_t>(result.size));
    return result;
  }
  result.form = Form::compound;
  result.dtype = packed_compound_type(std::move(members.fields));
  return result;
}

// Returns the stored form of a time. The library's class of times defines neither an epoch nor a unit, so
// times are shown as the integers that are stored. Times of 8 bytes by PyTables are two numbers.
StoredType time_type(hid_t type, const FileLayout& layout) {
  if (H5Tget_size(type) != 8 || !layout.has_timevals) return integer_type(type, Kind::integer);
  StoredType result = plain(number_type(Kind::real, 8));
  result.form = Form::timeval;
  result.bits.big_endian = big_endian(type);
  return result;
}

StoredType type_of_class(hid_t type, const FileLayout& layout, int depth) {
  constexpr auto kComplex = static_cast<H5T_class_t>(11);  // H5T_COMPLEX, unknown to libraries before 2.0
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_type(type, H5Tget_sign(type) == H5T_SGN_NONE ? Kind::unsigned_integer : Kind::integer);
    case H5T_BITFIELD:
      return integer_type(type, Kind::unsigned_integer);
    case H5T_FLOAT:
      return real_type(type);
    case H5T_TIME:
      return time_type(type, layout);
    case H5T_STRING:
      return string_type(type, layout);
    case H5T_OPAQUE:
      return plain(fixed_type(Kind::opaque, H5Tget_size(type)));
    case H5T_COMPOUND:
      return compound(type, layout, depth);
    case H5T_REFERENCE:
      return reference_type(type, layout);
    case H5T_ENUM:
      return enum_type(type);
    case H5T_ARRAY:
      return array_of_items(type, layout, depth);
    case H5T_VLEN: {
      const auto super = checked_handle<TypeHandle>(H5Tget_super(type), "items of a sequence");
      StoredType item = any_type(super.id(), layout, depth + 1);
      StoredType result = heap_type(Form::sequence, sequence_type(item.dtype), heap_reference_size(layout));
      result.items.push_back(std::move(item));
      return result;
    }
    case kComplex:
      throw unsupported("complex numbers of HDF5 2");
    default:
      throw unsupported("HDF5 datatypes of class {}", static_cast<int>(H5Tget_class(type)));
  }
}

StoredType any_type(hid_t type, const FileLayout& layout, int depth) {
  if (depth > kMaxNested) throw damaged("a datatype nested more than {} deep", kMaxNested);
  StoredType result = type_of_class(type, layout, depth);
  if (result.size == 0 || result.size > UINT32_MAX) throw damaged("invalid datatype: {} bytes", result.size);
  return result;
}

Shape dataset_shape(hid_t space) {
  const int rank = checked_call(H5Sget_simple_extent_ndims(space), "rank");
  std::vector<hsize_t> dims(static_cast<size_t>(rank));
  checked_call(H5Sget_simple_extent_dims(space, dims.data(), nullptr), "dimensions");
  return {dims.begin(), dims.end()};
}

// Appends the dimensions of an array type to shape. Returns the type of its items, or type itself if it is
// not an array type.
TypeHandle peel_array(TypeHandle type, Shape& shape) {
  while (H5Tget_class(type.id()) == H5T_ARRAY) {
    std::vector<hsize_t> dims(
        static_cast<size_t>(checked_call(H5Tget_array_ndims(type.id()), "rank of an array type")));
    checked_call(H5Tget_array_dims2(type.id(), dims.data()), "dimensions of an array type");
    shape.insert(shape.end(), dims.begin(), dims.end());
    type = checked_handle<TypeHandle>(H5Tget_super(type.id()), "items of an array type");
  }
  return type;
}

}  // namespace

StoredType stored_type(hid_t type, const FileLayout& layout) {
  return any_type(type, layout, 0);
}

StoredExtent read_dimensions(hid_t space) {
  StoredExtent extent;
  extent.is_null = H5Sget_simple_extent_type(space) == H5S_NULL;
  if (!extent.is_null) extent.dataset_shape = dataset_shape(space);
  extent.shape = extent.dataset_shape;
  return extent;
}

StoredExtent read_extent(hid_t type, hid_t space, const FileLayout& layout) {
  StoredExtent extent = read_dimensions(space);
  const auto copy = peel_array(checked_handle<TypeHandle>(H5Tcopy(type), "datatype"), extent.shape);
  extent.type = stored_type(copy.id(), layout);
  if (H5Tget_class(copy.id()) == H5T_BITFIELD && extent.type.form == Form::plain && extent.type.size == 1)
    extent.type.form = Form::bit_field;
  extent.stored_size = extent.type.size;
  for (size_t axis = extent.dataset_shape.size(); axis < extent.shape.size(); ++axis)
    extent.stored_size = checked_multiply(extent.stored_size, extent.shape[axis]);
  checked_multiply(element_count(extent.shape), extent.type.size);
  return extent;
}

}  // namespace plainfs::hdf5
