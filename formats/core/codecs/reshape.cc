#include "formats/core/base/checked.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/model/arrays/array.h"

namespace plainfs {
namespace {

// zarr-extensions' reshape: another shape for the same elements in the same C order.
class Reshape : public Codec {
 public:
  explicit Reshape(Json shape) : shape_(std::move(shape)) {
    if (!shape_.list()) throw damaged("reshape: invalid shape {}", to_json_text(shape_));
  }

  Bytes decode(Bytes encoded, DecodedSize size) const override {
    check_decoded_size("reshape", encoded.size(), size);
    return encoded;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override { return decoded_bytes; }
  CodecRole role() const override { return CodecRole::array_to_array; }

  ArrayStage encoded_stage(const ArrayStage& decoded) const override {
    ArrayStage out{decoded.dtype, {}};
    std::optional<size_t> open;  // the axis given as -1
    uint64_t next = 0;           // the first input axis that is still allowed, since they have to rise
    for (const Json& axis : *shape_.list()) {
      const bool rest = axis.as_int64() == -1;
      if (rest && open) wrong(decoded);
      if (rest) open = out.shape.size();
      out.shape.push_back(rest ? 1 : length(axis, decoded, next));
    }
    const uint64_t all = element_count(decoded.shape);
    const uint64_t known = element_count(out.shape);
    if (open && known > 0) out.shape[*open] = all / known;
    if (element_count(out.shape) != all) wrong(decoded);
    return out;
  }

 private:
  // Returns a length, or the product of a list of input axes that are merged.
  uint64_t length(const Json& axis, const ArrayStage& decoded, uint64_t& next) const {
    if (const auto given = axis.as_uint64(); given && *given > 0) return *given;
    if (!axis.list()) wrong(decoded);
    uint64_t all = 1;
    for (const Json& input : *axis.list()) {
      const auto at = input.as_uint64();
      if (!at || *at < next || *at >= decoded.shape.size()) wrong(decoded);
      next = *at + 1;
      all = checked_multiply(all, decoded.shape[*at]);
    }
    return all;
  }
  [[noreturn]] void wrong(const ArrayStage& decoded) const {
    throw damaged("reshape: {} axes do not fit shape {}", decoded.shape.size(), to_json_text(shape_));
  }

  Json shape_;
};

}  // namespace

CodecPtr reshape_codec(const Json& shape) {
  return std::make_unique<Reshape>(shape);
}

}  // namespace plainfs
