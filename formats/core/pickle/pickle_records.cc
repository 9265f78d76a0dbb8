#include "formats/core/pickle/pickle.h"

#include <cstring>

#include "formats/core/model/elements/number_cast.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

using Values = std::vector<PickleValue>;

[[noreturn]] void wrong_value(const DType& type) {
  throw damaged("a pickled record has a value of another type, expected {}", type.name());
}

bool same_type(const DType& a, const DType& b) {
  if (a.kind != b.kind || a.fields.size() != b.fields.size() || a.dims != b.dims) return false;
  if (a.kind != Kind::compound && a.kind != Kind::array && a.size != b.size) return false;
  for (size_t i = 0; i < a.fields.size(); ++i)
    if (a.fields[i].name != b.fields[i].name || !same_type(a.fields[i].type, b.fields[i].type)) return false;
  return !a.item || same_type(*a.item, *b.item);
}

class RecordReader {
 public:
  RecordReader(const PickleHeap& heap, PickleText& text) : heap_(heap), text_(text) {}

  // Returns `values` as elements of `type`. Each column of a record is read separately.
  Elements column(const DType& type, const Values& values) {
    switch (type.kind) {
      case Kind::json:
        return objects(values);
      case Kind::compound:
        return records(type, values);
      case Kind::array:
        return arrays(type, values);
      case Kind::fixed_text:
      case Kind::fixed_utf32:
      case Kind::opaque:
        return fixed(type, values);
      default:
        break;
    }
    return numbers(type, values);
  }

 private:
  Elements objects(const Values& values) {
    TextBuilder out(values.size());
    std::string text;
    for (const PickleValue& value : values) {
      if (value.kind == PickleKind::none) {
        out.add_missing();
        continue;
      }
      text.clear();
      text_.write(value, text);
      out.add(text);
    }
    return out.finish();
  }

  Elements records(const DType& type, const Values& values) {
    Elements out;
    out.count = values.size();
    for (size_t f = 0; f < type.fields.size(); ++f) {
      Values members;
      members.reserve(values.size());
      for (const PickleValue& value : values) {
        if (value.kind != PickleKind::tuple || heap_.items(value).size() != type.fields.size())
          wrong_value(type);
        members.push_back(heap_.items(value)[f]);
      }
      out.children.push_back(column(type.fields[f].type, members));
    }
    return out;
  }

  // Reads array members, which are pickled as separate arrays.
  Elements arrays(const DType& type, const Values& values) {
    Elements out;
    out.count = values.size();
    out.children.push_back(zero_elements(*type.item, 0));
    for (const PickleValue& value : values) {
      const PickleArray* array = value.kind == PickleKind::array ? &heap_.arrays[value.index] : nullptr;
      if (!array || !array->type || array->shape != type.dims) wrong_value(type);
      const Elements items = pickled_records(*array, *type.item, heap_, text_);
      append(*type.item, out.children[0], items, 0, items.count);
    }
    return out;
  }

  Elements fixed(const DType& type, const Values& values) {
    Elements out = zero_elements(type, values.size());
    for (size_t i = 0; i < values.size(); ++i) put_fixed(type, values[i], out.bytes.data() + i * type.size);
    return out;
  }

  void put_fixed(const DType& type, const PickleValue& value, std::byte* at) {
    if (type.kind == Kind::fixed_utf32) {
      if (value.kind != PickleKind::text || !is_utf8(value.text())) wrong_value(type);
      const std::vector<uint32_t> codes = code_points(value.text());
      if (codes.size() > type.size / 4) wrong_value(type);
      if (!codes.empty()) std::memcpy(at, codes.data(), codes.size() * 4);
      return;
    }
    ByteSpan bytes;
    if (value.kind == PickleKind::bytes)
      bytes = value.bytes();
    else if (value.kind == PickleKind::array)
      bytes = scalar_bytes(type, heap_.arrays[value.index]);
    else
      wrong_value(type);
    if (bytes.size() > type.size) wrong_value(type);
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  }

  // Returns the bytes of a numpy void, which has no Python type and is pickled as a numpy scalar.
  static ByteSpan scalar_bytes(const DType& type, const PickleArray& array) {
    if (!array.type || array.type->has_objects || !array.shape.empty()) wrong_value(type);
    return array.data.bytes();
  }

  static Elements numbers(const DType& type, const Values& values) {
    if (type.kind == Kind::complex) throw unsupported("pickled complex members");
    Elements out;
    out.count = values.size();
    visit_number(type, [&](auto kind) {
      using T = decltype(kind);
      out.bytes.resize(values.size() * sizeof(T));
      const std::span<T> numbers = out.mutable_values<T>();
      for (size_t i = 0; i < values.size(); ++i) numbers[i] = number<T>(type, values[i]);
    });
    return out;
  }

  template <class T>
  static T number(const DType& type, const PickleValue& value) {
    if constexpr (std::is_integral_v<T>) {
      if (value.kind == PickleKind::integer || value.kind == PickleKind::boolean) {
        const T result = static_cast<T>(value.integer);
        if (static_cast<int64_t>(result) == value.integer && (result < 0) == (value.integer < 0))
          return result;
      } else if (std::is_same_v<T, uint64_t> && value.kind == PickleKind::number) {
        if (const auto result = parsed_number<T>(value.text())) return *result;
      }
    } else {
      if (value.kind == PickleKind::real) return number_cast<T>(value.real);
      if (value.kind == PickleKind::integer) return number_cast<T>(value.integer);
    }
    wrong_value(type);
  }

  const PickleHeap& heap_;
  PickleText& text_;
};

}  // namespace

Elements pickled_records(const PickleArray& array, const DType& type, const PickleHeap& heap,
                         PickleText& text) {
  const DType& stored = array.type->type;
  if (!same_type(stored, type))
    throw damaged("the pickle contains {}, but the array {}", stored.name(), type.name());
  if (array.type->has_objects) return RecordReader(heap, text).column(type, heap.items(array.data));
  const uint64_t count = element_count(array.shape);
  if (!array.fortran || array.shape.size() < 2) return unpack(stored, array.data.bytes(), count);
  Bytes in_c_order;
  for (uint64_t i = 0; i < count; ++i) {
    const ByteSpan element = element_bytes(array, i);
    in_c_order.insert(in_c_order.end(), element.begin(), element.end());
  }
  return unpack(stored, std::move(in_c_order), count);
}

}  // namespace plainfs
