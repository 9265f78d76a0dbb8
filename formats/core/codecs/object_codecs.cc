#include <algorithm>

#include "formats/core/base/bytes.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/elements/number_cast.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// numcodecs' json2 (json.py), and its predecessor json without the shape.
class JsonObjects : public ObjectCodec {
 public:
  explicit JsonObjects(bool with_shape) : with_shape_(with_shape) {}

  DType dtype() const override { return number_type(Kind::json, 0); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    const std::string_view text = as_text(encoded);
    check_value_count("json", static_cast<uint64_t>(std::count(text.begin(), text.end(), ',')));
    Json items = parse(text);
    return elements_of_items("json", items, chunk_shape, with_shape_);
  }

 private:
  static Json parse(std::string_view text) try { return parse_json(text); } catch (const Error& error) {
    throw error.at("json");
  }

  bool with_shape_;
};

}  // namespace

ObjectCodecPtr json_objects_codec(bool with_shape) {
  return std::make_unique<JsonObjects>(with_shape);
}

namespace {

// A reader of msgpack (github.com/msgpack/msgpack, spec.md) as JSON. It compares the count of every container
// with the remaining bytes before allocating anything for it.
class MsgpackReader {
 public:
  MsgpackReader(ByteSpan bytes, bool text_is_bytes) : cursor_(bytes), text_is_bytes_(text_is_bytes) {}

  Json read_whole() {
    Json value = read(0);
    if (!cursor_.at_end()) throw damaged("msgpack: {} bytes after the value", cursor_.remaining());
    return value;
  }

 private:
  static constexpr int kMaxDepth = 128;

  Json read(int depth) {
    if (depth > kMaxDepth) throw damaged("msgpack: nested deeper than {}", kMaxDepth);
    check_value_count("msgpack", ++values_);
    const unsigned tag = cursor_.byte();
    if (tag < 0x80) return Json::of(uint64_t{tag});
    if (tag < 0x90) return map(tag & 15, depth);
    if (tag < 0xa0) return list(tag & 15, depth);
    if (tag < 0xc0) return text(tag & 31);
    if (tag >= 0xe0) return Json::of(int64_t{static_cast<int8_t>(tag)});
    return read_tagged(tag, depth);
  }

  Json read_tagged(unsigned tag, int depth) {
    switch (tag) {
      case 0xc0:
        return nullptr;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return blob(cursor_.big<uint8_t>());
      case 0xc5:
        return blob(cursor_.big<uint16_t>());
      case 0xc6:
        return blob(cursor_.big<uint32_t>());
      case 0xca:
        return real(std::bit_cast<float>(cursor_.big<uint32_t>()));
      case 0xcb:
        return real(std::bit_cast<double>(cursor_.big<uint64_t>()));
      case 0xcc:
        return Json::of(uint64_t{cursor_.big<uint8_t>()});
      case 0xcd:
        return Json::of(uint64_t{cursor_.big<uint16_t>()});
      case 0xce:
        return Json::of(uint64_t{cursor_.big<uint32_t>()});
      case 0xcf:
        return Json::of(uint64_t{cursor_.big<uint64_t>()});
      case 0xd0:
        return Json::of(int64_t{cursor_.big<int8_t>()});
      case 0xd1:
        return Json::of(int64_t{cursor_.big<int16_t>()});
      case 0xd2:
        return Json::of(int64_t{cursor_.big<int32_t>()});
      case 0xd3:
        return Json::of(int64_t{cursor_.big<int64_t>()});
      case 0xd9:
        return text(cursor_.big<uint8_t>());
      case 0xda:
        return text(cursor_.big<uint16_t>());
      case 0xdb:
        return text(cursor_.big<uint32_t>());
      case 0xdc:
        return list(cursor_.big<uint16_t>(), depth);
      case 0xdd:
        return list(cursor_.big<uint32_t>(), depth);
      case 0xde:
        return map(cursor_.big<uint16_t>(), depth);
      case 0xdf:
        return map(cursor_.big<uint32_t>(), depth);
      case 0xc1:
        throw damaged("msgpack: invalid tag 0xc1");
      default:
        throw unsupported("msgpack: extension types (tag {:#x})", tag);
    }
  }

  template <class T>
  static Json real(T value) {
    if (!std::isfinite(value)) return Json::of(static_cast<double>(value));
    char digits[kNumberTextMax];
    return Json::Number{std::string(digits, write_number(digits, value))};
  }

  Json text(uint64_t size) {
    if (text_is_bytes_) return blob(size);
    const std::string_view value = cursor_.text(size);
    if (!is_utf8(value)) throw damaged("msgpack: a text is not UTF-8");
    return value;
  }

  Json blob(uint64_t size) {
    std::string hex;
    append_hex(cursor_.bytes(size), hex);
    return hex;
  }

  Json list(uint64_t count, int depth) {
    if (count > cursor_.remaining())
      throw damaged("msgpack: {} items cannot be in {} bytes", count, cursor_.remaining());
    Json::List items;
    items.reserve(std::min<uint64_t>(count, 4096));  // nested lists could each claim all remaining bytes
    for (uint64_t i = 0; i < count; ++i) items.push_back(read(depth + 1));
    return items;
  }

  Json map(uint64_t count, int depth) {
    if (count > cursor_.remaining() / 2)
      throw damaged("msgpack: {} members cannot be in {} bytes", count, cursor_.remaining());
    Json::Object members;
    members.reserve(std::min<uint64_t>(count, 4096));
    for (uint64_t i = 0; i < count; ++i) {
      const Json key = read(depth + 1);
      if (key.list() || key.object()) throw damaged("msgpack: a key is a container");
      members.emplace_back(key.text() ? *key.text() : to_json_text(key), read(depth + 1));
    }
    return members;
  }

  Cursor cursor_;
  uint64_t values_ = 0;  // read so far
  bool text_is_bytes_;   // numcodecs' "raw"
};

// numcodecs' msgpack2 (msgpacks.py), and its predecessor msgpack without the shape.
class MsgpackObjects : public ObjectCodec {
 public:
  MsgpackObjects(bool with_shape, bool raw) : with_shape_(with_shape), raw_(raw) {}

  DType dtype() const override { return number_type(Kind::json, 0); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    Json items = MsgpackReader(encoded, raw_).read_whole();
    return elements_of_items("msgpack", items, chunk_shape, with_shape_);
  }

 private:
  bool with_shape_;
  bool raw_;
};

}  // namespace

ObjectCodecPtr msgpack_codec(bool with_shape, bool raw) {
  return std::make_unique<MsgpackObjects>(with_shape, raw);
}

namespace {

// Calls item(bytes) for each of exactly `count` items.
template <class Item>
void each_item(std::string_view codec, ByteSpan encoded, uint64_t count, Item&& item) {
  Cursor cursor(encoded);
  if (cursor.remaining() < 4) throw damaged("{}: {} bytes are too short for a chunk", codec, encoded.size());
  const uint32_t stored = cursor.little<uint32_t>();
  if (stored != count) throw damaged("{}: {} items, expected {}", codec, stored, count);
  if (count > cursor.remaining() / 4) throw damaged("{}: truncated before {} items", codec, count);
  for (uint64_t i = 0; i < count; ++i) {
    if (cursor.remaining() < 4) throw damaged("{}: truncated before item {} of {}", codec, i, count);
    const uint32_t size = cursor.little<uint32_t>();
    if (size > cursor.remaining())
      throw damaged("{}: item {} has {} bytes, but only {} are left", codec, i, size, cursor.remaining());
    item(cursor.bytes(size));
  }
  if (!cursor.at_end()) throw damaged("{}: {} bytes after the last item", codec, cursor.remaining());
}

// A codec of items as text or blobs: Elements with the heap and its offsets.
class VlenBytes : public ObjectCodec {
 public:
  VlenBytes(std::string_view name, Kind kind) : name_(name), kind_(kind) {}

  DType dtype() const override { return number_type(kind_, 0); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    const uint64_t count = element_count(chunk_shape);
    Elements out;
    out.count = count;
    each_item(name_, encoded, count, [&](ByteSpan item) {
      if (out.offsets.empty()) start(out, encoded, count);
      if (kind_ == Kind::text && !is_utf8(as_text(item)))
        throw damaged("{}: item {} is not UTF-8", name_, out.offsets.size() - 1);
      out.bytes.insert(out.bytes.end(), item.begin(), item.end());
      out.offsets.push_back(out.bytes.size());
    });
    if (out.offsets.empty()) out.offsets.push_back(0);
    return out;
  }
  bool in_storage_order() const override { return true; }

 private:
  // Allocates the output. Called only after the count was checked.
  static void start(Elements& out, ByteSpan encoded, uint64_t count) {
    out.offsets.reserve(count + 1);
    out.offsets.push_back(0);
    out.bytes.reserve(encoded.size());
  }

  std::string_view name_;
  Kind kind_;
};

class VlenArray : public ObjectCodec {
 public:
  explicit VlenArray(DType item) : item_(std::move(item)) {}

  DType dtype() const override { return sequence_type(item_); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    const uint64_t count = element_count(chunk_shape);
    Elements out;
    out.count = count;
    out.offsets.push_back(0);
    Bytes stored;
    each_item("vlen-array", encoded, count, [&](ByteSpan item) {
      if (item.size() % item_.size != 0)
        throw damaged("vlen-array: item {} has {} bytes, not a whole number of {}", out.offsets.size() - 1,
                      item.size(), item_.name());
      stored.insert(stored.end(), item.begin(), item.end());
      out.offsets.push_back(stored.size() / item_.size);
    });
    const uint64_t items = stored.size() / item_.size;
    out.children.push_back(unpack(item_, std::move(stored), items));
    return out;
  }
  bool in_storage_order() const override { return true; }

 private:
  DType item_;
};

}  // namespace

ObjectCodecPtr vlen_utf8_codec() {
  return std::make_unique<VlenBytes>("vlen-utf8", Kind::text);
}
ObjectCodecPtr vlen_bytes_codec() {
  return std::make_unique<VlenBytes>("vlen-bytes", Kind::blob);
}
ObjectCodecPtr vlen_array_codec(DType item) {
  if (item.size == 0) throw unsupported("vlen-array: items of {}", item.name());
  return std::make_unique<VlenArray>(std::move(item));
}

namespace {

// The labels of stored codes: k means labels[k - 1], any other code no text.
class Labels {
 public:
  Labels(std::vector<std::string> labels, DType codes)
      : labels_(std::move(labels)), codes_(std::move(codes)) {
    if (codes_.kind != Kind::integer && codes_.kind != Kind::unsigned_integer)
      throw unsupported("categorize: codes of {}", codes_.name());
  }

  uint64_t count(ByteSpan encoded) const {
    if (encoded.size() % codes_.size != 0)
      throw damaged("categorize: {} bytes are not a whole number of {}", encoded.size(), codes_.name());
    return encoded.size() / codes_.size;
  }

  // Calls take(index of the label, or labels().size() for none) for each code.
  template <class Take>
  void each(ByteSpan encoded, Take&& take) const {
    const uint64_t codes = count(encoded);
    visit_number(codes_, [&](auto kind) {
      using T = decltype(kind);
      for (uint64_t i = 0; i < codes; ++i) {
        // Negative codes, converted to unsigned, are above every label.
        const auto code = static_cast<uint64_t>(
            number_cast<int64_t>(load_stored<T>(encoded.data() + i * sizeof(T), codes_.big_endian)));
        take(code == 0 || code > labels_.size() ? labels_.size() : code - 1);
      }
    });
  }

  const std::vector<std::string>& labels() const { return labels_; }
  const DType& codes() const { return codes_; }

 private:
  std::vector<std::string> labels_;
  DType codes_;
};

// A codec to numpy's `U` elements, which hold as many code units as fit.
class CategorizeFixed : public Codec {
 public:
  CategorizeFixed(Labels labels, const DType& text) : labels_(std::move(labels)), size_(text.size) {
    elements_.resize((labels_.labels().size() + 1) * uint64_t{size_});
    for (size_t i = 0; i < labels_.labels().size(); ++i) {
      size_t at = i * size_;
      for (const uint32_t code : code_points(labels_.labels()[i])) {
        if (at == (i + 1) * size_) break;
        store(code, text.big_endian, elements_.data() + at);
        at += 4;
      }
    }
  }

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    const uint64_t bytes = checked_multiply(labels_.count(encoded), size_);
    check_decoded_size("categorize", bytes, size);
    Bytes out(bytes);
    std::byte* at = out.data();
    labels_.each(encoded, [&](size_t label) {
      std::memcpy(at, elements_.data() + label * size_, size_);
      at += size_;
    });
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    if (decoded_bytes % size_ != 0)
      throw damaged("categorize: {} bytes are not a whole number of elements of {} bytes", decoded_bytes,
                    size_);
    return checked_multiply(decoded_bytes / size_, labels_.codes().size);
  }

 private:
  Labels labels_;
  uint32_t size_;
  std::vector<std::byte> elements_;  // labels + 1 elements of size_ bytes, the last all zero
};

class CategorizeText : public ObjectCodec {
 public:
  explicit CategorizeText(Labels labels) : labels_(std::move(labels)) {}

  DType dtype() const override { return text_type(); }
  Elements decode(ByteSpan encoded, std::span<const uint64_t> chunk_shape) const override {
    const uint64_t count = element_count(Shape(chunk_shape.begin(), chunk_shape.end()));
    check_decoded_size("categorize", labels_.count(encoded), DecodedSize::exactly(count));
    TextBuilder out(count);
    labels_.each(encoded, [&](size_t label) {
      out.add(label < labels_.labels().size() ? std::string_view(labels_.labels()[label])
                                              : std::string_view());
    });
    return out.finish();
  }
  bool in_storage_order() const override { return true; }

 private:
  Labels labels_;
};

}  // namespace

CodecPtr categorize_codec(std::vector<std::string> labels, const DType& text, DType codes) {
  if (text.kind != Kind::fixed_utf32 || text.size == 0) throw unsupported("categorize of {}", text.name());
  return std::make_unique<CategorizeFixed>(Labels(std::move(labels), std::move(codes)), text);
}

ObjectCodecPtr categorize_text_codec(std::vector<std::string> labels, DType codes) {
  return std::make_unique<CategorizeText>(Labels(std::move(labels), std::move(codes)));
}

}  // namespace plainfs
