// The calls (REDUCE, NEWOBJ) and states (BUILD) in numpy's pickles, in the forms that numpy's __reduce__
// methods use (numpy/core/src/multiarray/methods.c, descriptor.c).
#include "formats/core/pickle/pickle_opcodes.h"

#include <unordered_map>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/model/elements/numpy_dtype.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

using Values = std::vector<PickleValue>;

[[noreturn]] void wrong(std::string_view what) {
  throw damaged("the pickle has an invalid {}", what);
}

// Returns argument i, which must have that kind.
const PickleValue& argument(const Values& values, size_t i, PickleKind kind, std::string_view what) {
  if (i >= values.size() || values[i].kind != kind) wrong(what);
  return values[i];
}

bool is_function(const Values& values, size_t i, PickleFunction function) {
  return i < values.size() && values[i].kind == PickleKind::function && values[i].function == function;
}

Shape shape_of(const Values& lengths) {
  constexpr size_t kMaxRank = 64;  // numpy's own limit
  if (lengths.size() > kMaxRank) wrong("shape");
  Shape shape;
  for (const PickleValue& length : lengths) {
    if (length.kind != PickleKind::integer || length.integer < 0) wrong("shape");
    shape.push_back(static_cast<uint64_t>(length.integer));
  }
  return shape;
}

bool has_objects(const DType& type) {
  if (type.kind == Kind::json) return true;
  for (const Field& field : type.fields)
    if (has_objects(field.type)) return true;
  return type.item && has_objects(*type.item);
}

// Fields may share types and are copied, so their number is checked against the heap's budget.
constexpr size_t kMaxTypeDepth = 16;

uint64_t fields_in(const DType& type, size_t depth = 0) {
  if (depth > kMaxTypeDepth) wrong("dtype: nested too deeply");
  uint64_t fields = 1;
  for (const Field& field : type.fields) fields += fields_in(field.type, depth + 1);
  return fields + (type.item ? fields_in(*type.item, depth + 1) : 0);
}

void spend(uint64_t& left, uint64_t wanted) {
  if (wanted > left) throw damaged("the pickle repeats shared values more often than its size allows");
  left -= wanted;
}

PickleValue add_array(PickleArray array, PickleHeap& heap) {
  heap.arrays.push_back(std::move(array));
  return PickleValue::of_index(PickleKind::array, heap.arrays.size() - 1);
}

// Sets the data of `array`, which must match the type and shape in number.
void fill(PickleArray& array, std::shared_ptr<const PickleType> type, const PickleValue& data,
          const PickleHeap& heap) {
  const uint64_t count = element_count(array.shape);
  const bool objects = type->has_objects;
  if (data.kind != (objects ? PickleKind::list : PickleKind::bytes)) wrong("array");
  const uint64_t wanted = objects ? count : checked_multiply(count, type->type.size);
  const uint64_t given = objects ? heap.items(data).size() : data.size;
  if (given != wanted)
    throw damaged("the pickle has an array of {} {}, expected {} by its shape", given,
                  objects ? "items" : "bytes", wanted);
  array.data = data;
  array.type = std::move(type);
}

PickleValue reconstruct(const Values& arguments, PickleHeap& heap) {
  if (!is_function(arguments, 0, PickleFunction::ndarray)) wrong("class of array");
  return add_array({}, heap);
}

// Implements scalar(dtype, bytes), a number or record, and scalar(dtype, array of rank 0), a record with
// objects.
PickleValue scalar(const Values& arguments, PickleHeap& heap) {
  const PickleValue& type = argument(arguments, 0, PickleKind::dtype, "scalar");
  if (arguments.size() != 2) wrong("scalar");
  const PickleValue& data = arguments[1];
  if (data.kind == PickleKind::array) {
    const PickleArray& array = heap.arrays[data.index];
    if (!array.type || !array.shape.empty()) wrong("scalar");
    return data;
  }
  PickleArray array;
  fill(array, heap.types[type.index], data, heap);
  return add_array(std::move(array), heap);
}

// Implements _frombuffer(buffer, dtype, shape, order).
PickleValue from_buffer(const Values& arguments, PickleHeap& heap) {
  PickleArray array;
  const PickleValue& type = argument(arguments, 1, PickleKind::dtype, "array");
  array.shape = shape_of(heap.items(argument(arguments, 2, PickleKind::tuple, "shape")));
  const std::string_view order = argument(arguments, 3, PickleKind::text, "array order").text();
  if (order != "C" && order != "F") wrong("array order");
  array.fortran = order == "F";
  fill(array, heap.types[type.index], argument(arguments, 0, PickleKind::bytes, "array"), heap);
  return add_array(std::move(array), heap);
}

// Implements dtype('i4', False, True).
PickleValue dtype(const Values& arguments, PickleHeap& heap) {
  const std::string_view name = argument(arguments, 0, PickleKind::text, "dtype").text();
  DType type = parse_numpy_dtype(name);
  const bool objects = has_objects(type);
  heap.types.push_back(std::make_shared<const PickleType>(PickleType{std::move(type), objects}));
  return PickleValue::of_index(PickleKind::dtype, heap.types.size() - 1);
}

// Implements encode(text, 'latin1'): returns the code points of the text as bytes.
PickleValue encode(const Values& arguments, PickleHeap& heap) {
  const std::string_view text = argument(arguments, 0, PickleKind::text, "bytes").text();
  if (argument(arguments, 1, PickleKind::text, "encoding").text() != "latin1" || !is_utf8(text))
    wrong("encoding");
  spend(heap.bytes_left, text.size());
  std::string bytes;
  for (const uint32_t code : code_points(text)) {
    if (code > 255) wrong("encoding");
    bytes.push_back(static_cast<char>(code));
  }
  return PickleValue::of_text(PickleKind::bytes, heap.texts.emplace_back(std::move(bytes)));
}

PickleValue no_bytes(const Values& arguments) {
  if (!arguments.empty()) wrong("call of bytes");
  return PickleValue::of_text(PickleKind::bytes, {});
}

// state: (version, shape, dtype, is_fortran, bytes or items).
void set_array_state(PickleArray& array, const Values& state, const PickleHeap& heap) {
  if (array.type || state.size() != 5) wrong("state of array");
  array.shape = shape_of(heap.items(argument(state, 1, PickleKind::tuple, "shape")));
  const PickleValue& type = argument(state, 2, PickleKind::dtype, "dtype");
  array.fortran = argument(state, 3, PickleKind::boolean, "array order").integer != 0;
  fill(array, heap.types[type.index], state[4], heap);
}

uint64_t size_at(const Values& values, size_t i, uint64_t most) {
  const int64_t size = argument(values, i, PickleKind::integer, "dtype").integer;
  if (size < 0 || static_cast<uint64_t>(size) > most) wrong("dtype");
  return static_cast<uint64_t>(size);
}

// Returns the type of a record. names: a tuple. fields: a dict from name to (dtype, offset) or (dtype,
// offset, title).
DType record_type(const Values& names, const Values& fields, uint32_t size, PickleHeap& heap) {
  spend(heap.fields_left, names.size() + fields.size());
  std::unordered_map<std::string_view, const PickleValue*> places;
  for (size_t at = 0; at + 1 < fields.size(); at += 2)
    if (fields[at].kind == PickleKind::text) places[fields[at].text()] = &fields[at + 1];
  std::vector<Field> out;
  for (const PickleValue& name : names) {
    const auto place = name.kind == PickleKind::text ? places.find(name.text()) : places.end();
    if (place == places.end() || place->second->kind != PickleKind::tuple) wrong("dtype");
    const Values& field = heap.items(*place->second);
    const PickleType& type = *heap.types[argument(field, 0, PickleKind::dtype, "dtype").index];
    const uint64_t offset = size_at(field, 1, size);
    if (!type.has_objects && type.type.size > size - offset) wrong("dtype: a field beyond the record");
    spend(heap.fields_left, fields_in(type.type));
    out.push_back({std::string(name.text()), type.type, offset});
  }
  return compound_type(std::move(out), size);
}

// subarray: (dtype, shape).
DType subarray_type(const Values& subarray, uint32_t size, PickleHeap& heap) {
  const DType& item = heap.types[argument(subarray, 0, PickleKind::dtype, "dtype").index]->type;
  spend(heap.fields_left, fields_in(item));
  Shape dims;
  if (subarray.size() == 2 && subarray[1].kind == PickleKind::integer)
    dims = shape_of({subarray[1]});
  else
    dims = shape_of(heap.items(argument(subarray, 1, PickleKind::tuple, "dtype")));
  if (!has_objects(item) && checked_multiply(element_count(dims), item.size) != size) wrong("dtype");
  return array_type(item, std::move(dims));
}

// metadata: (…, (unit, count, 1, 1)) for datetimes.
void set_time_unit(DType& type, const PickleValue& metadata, const PickleHeap& heap) {
  if (metadata.kind != PickleKind::tuple || heap.items(metadata).size() != 2) wrong("dtype");
  const Values& unit = heap.items(argument(heap.items(metadata), 1, PickleKind::tuple, "dtype"));
  if (unit.empty() || (unit[0].kind != PickleKind::bytes && unit[0].kind != PickleKind::text)) wrong("dtype");
  const uint64_t count = size_at(unit, 1, UINT32_MAX);
  const DType parsed = parse_numpy_dtype(
      fmt::format("{}8[{}{}]", type.kind == Kind::time_point ? 'M' : 'm', count, unit[0].text()));
  type.time_unit = parsed.time_unit;
  type.time_count = parsed.time_count;
}

// state: (version, byte order, subarray, names, fields, size, alignment, flags[, metadata]). size is -1 for
// types with a name that determines it.
DType dtype_of_state(DType type, const Values& state, PickleHeap& heap) {
  if (state.size() < 8) wrong("state of dtype");
  const std::string_view order = argument(state, 1, PickleKind::text, "byte order").text();
  const auto record_size = [&state] { return static_cast<uint32_t>(size_at(state, 5, UINT32_MAX)); };
  if (state[3].kind == PickleKind::tuple && !heap.items(state[3]).empty()) {
    const Values& fields = heap.items(argument(state, 4, PickleKind::dict, "dtype"));
    type = record_type(heap.items(state[3]), fields, record_size(), heap);
  } else if (state[2].kind == PickleKind::tuple) {
    type = subarray_type(heap.items(state[2]), record_size(), heap);
  }
  type.big_endian = order == ">";
  const bool is_time = type.kind == Kind::time_point || type.kind == Kind::time_span;
  if (is_time && state.size() > 8) set_time_unit(type, state[8], heap);
  fields_in(type);  // checks the depth
  return type;
}

void set_dtype_state(std::shared_ptr<const PickleType>& type, const Values& state, PickleHeap& heap) {
  DType next = dtype_of_state(type->type, state, heap);
  const bool objects = has_objects(next);
  type = std::make_shared<const PickleType>(PickleType{std::move(next), objects});
}

}  // namespace

PickleFunction find_pickle_function(std::string_view module, std::string_view name) {
  struct Known {
    std::string_view module;
    std::string_view name;
    PickleFunction function;
  };
  // numpy 2 moved core to _core.
  static constexpr Known kKnown[] = {
      {"numpy.core.multiarray", "_reconstruct", PickleFunction::reconstruct},
      {"numpy._core.multiarray", "_reconstruct", PickleFunction::reconstruct},
      {"numpy.core.multiarray", "scalar", PickleFunction::scalar},
      {"numpy._core.multiarray", "scalar", PickleFunction::scalar},
      {"numpy.core.numeric", "_frombuffer", PickleFunction::from_buffer},
      {"numpy._core.numeric", "_frombuffer", PickleFunction::from_buffer},
      {"numpy", "ndarray", PickleFunction::ndarray},
      {"numpy", "dtype", PickleFunction::dtype},
      {"_codecs", "encode", PickleFunction::encode},
      {"__builtin__", "bytes", PickleFunction::bytes},
      {"hdmf_zarr.utils", "ZarrReference", PickleFunction::reference},
  };
  for (const Known& known : kKnown)
    if (known.module == module && known.name == name) return known.function;
  throw damaged("the pickle refers to {}.{}, which is not data", module.substr(0, 60), name.substr(0, 60));
}

PickleValue call_pickle_function(PickleFunction function, const Values& arguments, PickleHeap& heap) {
  switch (function) {
    case PickleFunction::reconstruct:
      return reconstruct(arguments, heap);
    case PickleFunction::scalar:
      return scalar(arguments, heap);
    case PickleFunction::from_buffer:
      return from_buffer(arguments, heap);
    case PickleFunction::dtype:
      return dtype(arguments, heap);
    case PickleFunction::encode:
      return encode(arguments, heap);
    case PickleFunction::bytes:
      return no_bytes(arguments);
    case PickleFunction::ndarray:
    case PickleFunction::reference:
      break;
  }
  wrong("call");
}

void set_pickle_state(const PickleValue& object, const Values& state, PickleHeap& heap) {
  if (object.kind == PickleKind::array)
    set_array_state(heap.arrays[object.index], state, heap);
  else if (object.kind == PickleKind::dtype)
    set_dtype_state(heap.types[object.index], state, heap);
  else
    wrong("object to build");
}

}  // namespace plainfs
