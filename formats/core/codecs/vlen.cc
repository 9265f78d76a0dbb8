#include "formats/core/base/cursor.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/array.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// Calls item(bytes) for each of exactly count items.
template <class Item>
void each_item(std::string_view codec, ByteSpan encoded, uint64_t count, Item&& item) {
  Cursor cursor(encoded);
  if (cursor.remaining() < 4) throw damaged("{}: {} bytes are no chunk", codec, encoded.size());
  const uint32_t stored = cursor.little<uint32_t>();
  if (stored != count) throw damaged("{}: {} items, the chunk has {}", codec, stored, count);
  if (count > cursor.remaining() / 4) throw damaged("{}: cut off before {} items", codec, count);
  for (uint64_t i = 0; i < count; ++i) {
    if (cursor.remaining() < 4) throw damaged("{}: cut off before item {} of {}", codec, i, count);
    const uint32_t size = cursor.little<uint32_t>();
    if (size > cursor.remaining())
      throw damaged("{}: item {} of {} bytes, {} are left", codec, i, size, cursor.remaining());
    item(cursor.bytes(size));
  }
  if (!cursor.at_end()) throw damaged("{}: {} bytes after the last item", codec, cursor.remaining());
}

// Items as text or blobs: Elements with the heap and its offsets.
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
  // Only once the count has been checked.
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
        throw damaged("vlen-array: item {} of {} bytes, no whole number of {}", out.offsets.size() - 1,
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

}  // namespace plainfs
