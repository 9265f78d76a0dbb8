#include <algorithm>
#include <utility>

#include "formats/containers/hdf5/process/answers.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/elements/dtype.h"

namespace plainfs::hdf5 {

namespace {

using Form = StoredType::Form;

// More than library/datatype.cc allows.
constexpr int kMaxNestedOnWire = 80;

// Counts a type while it is described.
class Depth {
 public:
  explicit Depth(int& depth) : depth_(depth) {
    if (depth_ >= kMaxNestedOnWire) throw damaged("a datatype nested more than {} deep", kMaxNestedOnWire);
    ++depth_;
  }
  ~Depth() { --depth_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  int& depth_;
};

void check_size(uint32_t size, std::initializer_list<uint32_t> possible) {
  if (std::find(possible.begin(), possible.end(), size) == possible.end())
    throw damaged("invalid number: {} bytes", size);
}

void check_inside(uint64_t offset, uint64_t size, uint64_t record_size) {
  if (checked_add(offset, size) > record_size)
    throw damaged("a member at byte {} is outside its record of {} bytes", offset, record_size);
}

// Throws damaged unless unpack() of the model accepts the type, which was read.
void check_plain(const DType& type) {
  switch (type.kind) {
    case Kind::boolean:
      return check_size(type.size, {1});
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::enumeration:
      return check_size(type.size, {1, 2, 4, 8});
    case Kind::real:
      return check_size(type.size, {2, 4, 8});
    case Kind::complex:
      return check_size(type.size, {4, 8, 16});
    default:
      break;
  }
  if (type.size == 0) throw damaged("invalid elements: no bytes");
  for (const Field& field : type.fields) check_inside(field.offset, field.type.size, type.size);
  if (type.kind != Kind::array) return;
  const uint32_t expected = array_type(*type.item, type.dims).size;
  if (type.size != expected) throw damaged("an array type has {} bytes, expected {}", type.size, expected);
}

std::vector<std::string> names_of(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace

template <class Wire>
void describe(Wire& wire, Some<EnumMember> auto& member) {
  wire(member.name, member.value);
}

template <class Wire>
void describe(Wire& wire, Some<Field> auto& field) {
  wire(field.name, field.offset, field.type);
}

// A type that unpack() of the model accepts.
template <class Wire>
void describe(Wire& wire, Some<DType> auto& type) {
  const Depth depth(wire.depth());
  wire.choice(type.kind, Kind::reference);
  wire(type.size);
  switch (type.kind) {
    case Kind::boolean:
    case Kind::opaque:
      break;
    case Kind::integer:
    case Kind::unsigned_integer:
    case Kind::real:
    case Kind::complex:
      wire(type.big_endian);
      break;
    case Kind::enumeration: {
      bool is_unsigned = type.base == Kind::unsigned_integer;
      wire(type.big_endian, is_unsigned, type.members);
      if constexpr (Wire::kReads) type.base = is_unsigned ? Kind::unsigned_integer : Kind::integer;
      break;
    }
    case Kind::fixed_text:
      wire.choice(type.padding, Padding::space_padded);
      break;
    case Kind::compound:
      wire(type.fields);
      break;
    case Kind::array: {
      DType item = type.item ? *type.item : DType();
      wire(type.dims, item);
      if constexpr (Wire::kReads) type.item = std::make_shared<const DType>(std::move(item));
      break;
    }
    default:
      throw damaged("invalid stored elements of kind {}", static_cast<int>(type.kind));
  }
  if constexpr (Wire::kReads) check_plain(type);
}

template <class Wire>
void describe(Wire& wire, Some<BitLayout> auto& bits) {
  wire(bits.big_endian, bits.is_signed, bits.implied_one, bits.offset, bits.precision, bits.sign,
       bits.exponent, bits.exponent_bits, bits.mantissa, bits.mantissa_bits, bits.bias);
}

template <class Wire>
void describe(Wire& wire, Some<StoredField> auto& field) {
  wire(field.offset, field.type);
}

namespace {

// These derive the rest of a type that was read, from the parts that were sent. They throw damaged if it is
// inconsistent.

void check_odd_size(uint64_t size) {
  if (size == 0 || size > 8) throw damaged("invalid number: {} bytes", size);
}

void derive_odd_integer(StoredType& type) {
  check_odd_size(type.size);
  if (!type.dtype.is_integer() && type.dtype.kind != Kind::enumeration)
    throw damaged("invalid integer: kind {}", static_cast<int>(type.dtype.kind));
  if (type.bits.precision == 0 || uint64_t{type.bits.offset} + type.bits.precision > 8 * type.size)
    throw damaged("invalid integer: {1} bits from bit {2} in {0} bytes", type.size, type.bits.precision,
                  type.bits.offset);
}

void derive_odd_real(StoredType& type) {
  check_odd_size(type.size);
  check_size(type.dtype.size, {4, 8});
  type.dtype = number_type(Kind::real, type.dtype.size);
  const BitLayout& bits = type.bits;
  const uint64_t last = std::max({uint64_t{bits.sign} + 1, uint64_t{bits.exponent} + bits.exponent_bits,
                                  uint64_t{bits.mantissa} + bits.mantissa_bits});
  if (bits.exponent_bits == 0 || bits.exponent_bits > 11 || bits.mantissa_bits > 52 || last > 8 * type.size)
    throw damaged("invalid floating-point type: parts outside its {} bytes", type.size);
}

// Truth values contain a type of integers.
void derive_truth(StoredType& type) {
  const Form form = type.form;
  StoredType base = std::move(type.items[0]);
  if ((base.form != Form::plain && base.form != Form::odd_integer) || !base.dtype.is_integer())
    throw damaged("truth values are not integers");
  type = base;
  type.form = form;
  if (form == Form::boolean) {
    type.dtype = number_type(Kind::boolean, 1);
  } else {
    type.dtype.base = base.dtype.kind;
    type.dtype.kind = Kind::logical;
  }
  type.items.push_back(std::move(base));
}

void derive_record(StoredType& type) {
  for (const StoredField& field : type.fields) check_inside(field.offset, field.type.size, type.size);
  if (type.form == Form::compound) {
    if (type.dtype.fields.size() != type.fields.size())
      throw damaged("{} names for {} members", type.dtype.fields.size(), type.fields.size());
    for (size_t i = 0; i < type.fields.size(); ++i) type.dtype.fields[i].type = type.fields[i].type.dtype;
    type.dtype = packed_compound_type(std::move(type.dtype.fields));
    return;
  }
  if (type.fields.size() != 2) throw damaged("complex numbers have {} parts, expected 2", type.fields.size());
  const DType &real = type.fields[0].type.dtype, &imaginary = type.fields[1].type.dtype;
  if (real.kind != Kind::real || imaginary.kind != Kind::real || real.size != imaginary.size)
    throw damaged("the parts of complex numbers are not two reals of one size");
  type.dtype = number_type(Kind::complex, 2 * real.size);
}

void derive_array(StoredType& type) {
  const StoredType& item = type.items[0];
  type.size = item.size;
  for (const uint64_t dim : type.dtype.dims) type.size = checked_multiply(type.size, dim);
  type.dtype = array_type(item.dtype, std::move(type.dtype.dims));
}

void derive(StoredType& type, const FileLayout& layout) {
  switch (type.form) {
    case Form::plain:
    case Form::bit_field:
      type.size = type.dtype.size;
      break;
    case Form::odd_integer:
      derive_odd_integer(type);
      break;
    case Form::odd_real:
      derive_odd_real(type);
      break;
    case Form::timeval:
      type.size = 8;
      type.dtype = number_type(Kind::real, 8);
      break;
    case Form::boolean:
    case Form::logical:
      derive_truth(type);
      break;
    case Form::text:
      type.size = 8 + layout.address_size;
      type.dtype = text_type();
      break;
    case Form::sequence:
      type.size = 8 + layout.address_size;
      type.dtype = sequence_type(type.items[0].dtype);
      break;
    case Form::object_reference:
    case Form::region_reference:
      type.size = layout.address_size + (type.form == Form::region_reference ? 4 : 0);
      type.dtype.kind = Kind::reference;
      break;
    case Form::complex:
    case Form::compound:
      derive_record(type);
      break;
    case Form::array:
      derive_array(type);
      break;
  }
  if (type.size == 0 || type.size > UINT32_MAX) throw damaged("invalid datatype: {} bytes", type.size);
}

}  // namespace

template <class Wire>
void describe_item(Wire& wire, Some<StoredType> auto& type) {
  if constexpr (Wire::kReads) type.items.resize(1);
  wire(type.items[0]);
}

template <class Wire>
void describe(Wire& wire, Some<StoredType> auto& type) {
  const Depth depth(wire.depth());
  wire.choice(type.form, Form::array);
  switch (type.form) {
    case Form::plain:
    case Form::bit_field:
      wire(type.dtype);
      break;
    case Form::odd_integer:
      wire(type.size, type.dtype, type.bits);
      break;
    case Form::odd_real:
      wire(type.size, type.dtype.size, type.bits);
      break;
    case Form::timeval:
      wire(type.bits.big_endian);
      break;
    case Form::boolean:
    case Form::logical:
    case Form::sequence:
      describe_item(wire, type);
      break;
    case Form::text:
    case Form::object_reference:
    case Form::region_reference:
      break;
    case Form::complex:
      wire(type.size, type.fields);
      break;
    case Form::compound: {
      std::vector<std::string> names = names_of(type.dtype.fields);
      wire(type.size, names, type.fields);
      if constexpr (Wire::kReads)
        for (std::string& name : names) type.dtype.fields.push_back({std::move(name), {}, 0});
      break;
    }
    case Form::array:
      wire(type.dtype.dims);
      describe_item(wire, type);
      break;
  }
  if constexpr (Wire::kReads) derive(type, wire.layout());
}

namespace {

template <class Wire>
void describe_extent(Wire& wire, Some<StoredExtent> auto& extent) {
  wire(extent.is_null, extent.dataset_shape);
  Shape items;  // the dimensions of array types
  if constexpr (!Wire::kReads)
    items.assign(extent.shape.begin() + static_cast<ptrdiff_t>(extent.dataset_shape.size()),
                 extent.shape.end());
  wire(items, extent.type);
  if constexpr (Wire::kReads) {
    extent.shape = extent.dataset_shape;
    extent.shape.insert(extent.shape.end(), items.begin(), items.end());
    extent.stored_size = extent.type.size;
    for (const uint64_t length : items) extent.stored_size = checked_multiply(extent.stored_size, length);
    checked_multiply(element_count(extent.shape), extent.type.size);
  }
}

}  // namespace

void describe(Writer& out, const StoredExtent& extent) {
  describe_extent(out, extent);
}
void describe(Reader& in, StoredExtent& extent) {
  describe_extent(in, extent);
}

}  // namespace plainfs::hdf5
