#include "formats/core/base/checked.h"
#include "formats/core/codecs/makers.h"
#include "formats/core/codecs/output.h"
#include "formats/core/model/array.h"
#include "formats/core/model/number_cast.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

// The label of every stored code: k means labels[k - 1], anything else no text.
class Labels {
 public:
  Labels(std::vector<std::string> labels, DType codes)
      : labels_(std::move(labels)), codes_(std::move(codes)) {
    if (codes_.kind != Kind::integer && codes_.kind != Kind::unsigned_integer)
      throw unsupported("categorize: codes of {}", codes_.name());
  }

  uint64_t count(ByteSpan encoded) const {
    if (encoded.size() % codes_.size != 0)
      throw damaged("categorize: {} bytes are no whole number of {}", encoded.size(), codes_.name());
    return encoded.size() / codes_.size;
  }

  // take(position of the label, or labels().size() for none), once a code.
  template <class Take>
  void each(ByteSpan encoded, Take&& take) const {
    const uint64_t codes = count(encoded);
    visit_number(codes_, [&](auto kind) {
      using T = decltype(kind);
      for (uint64_t i = 0; i < codes; ++i) {
        // As unsigned, negative codes are beyond every label.
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

// To numpy's `U` elements: as many code units as fit.
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
      throw damaged("categorize: {} bytes in elements of {}", decoded_bytes, size_);
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
