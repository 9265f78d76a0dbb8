#include "formats/core/base/hex.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/number_cast.h"
#include "formats/core/model/object_text.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// A reader of msgpack (github.com/msgpack/msgpack, spec.md) as JSON. Every container's count is held against
// the bytes that are left before anything is allocated for it.
class MsgpackReader {
 public:
  MsgpackReader(ByteSpan bytes, bool text_is_bytes) : cursor_(bytes), text_is_bytes_(text_is_bytes) {}

  Json read_whole() {
    Json value = read(0);
    if (!cursor_.at_end()) throw damaged("msgpack: {} bytes after the value", cursor_.remaining());
    return value;
  }

 private:
  static constexpr int kMostDepth = 128;

  Json read(int depth) {
    if (depth > kMostDepth) throw damaged("msgpack: nested deeper than {}", kMostDepth);
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
        throw damaged("msgpack: tag 0xc1");
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
      throw damaged("msgpack: a list of {} in {} bytes", count, cursor_.remaining());
    Json::List items;
    items.reserve(std::min<uint64_t>(count, 4096));  // nested lists could each claim all that is left
    for (uint64_t i = 0; i < count; ++i) items.push_back(read(depth + 1));
    return items;
  }

  Json map(uint64_t count, int depth) {
    if (count > cursor_.remaining() / 2)
      throw damaged("msgpack: a map of {} in {} bytes", count, cursor_.remaining());
    Json::Object members;
    members.reserve(std::min<uint64_t>(count, 4096));
    for (uint64_t i = 0; i < count; ++i) {
      const Json key = read(depth + 1);
      if (key.list() || key.object()) throw damaged("msgpack: a key that is a container");
      members.emplace_back(key.text() ? *key.text() : to_json_text(key), read(depth + 1));
    }
    return members;
  }

  Cursor cursor_;
  uint64_t values_ = 0;  // read so far
  bool text_is_bytes_;   // numcodecs' "raw"
};

// numcodecs' msgpack2 (msgpacks.py), and msgpack, its form before the shape was part of it.
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

}  // namespace plainfs
