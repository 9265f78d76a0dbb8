#include "formats/core/codecs/base64.h"

#include <array>

#include "formats/core/base/checked.h"
#include "formats/core/codecs/codec.h"
#include "formats/core/codecs/makers.h"

namespace plainfs {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNone = 255;

constexpr auto kValues = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNone);
  for (size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<uint8_t>(i);
  return values;
}();

class Base64 : public Codec {
 public:
  Bytes decode(Bytes encoded, DecodedSize size) const override {
    if (encoded.size() / 4 * 3 > checked_add(size.bytes, 2))
      throw damaged("base64: {} characters, {} bytes expected", encoded.size(), size.bytes);
    Bytes out = decode_base64(as_text(encoded));
    check_decoded_size("base64", out.size(), size);
    return out;
  }
  std::optional<uint64_t> encoded_size(uint64_t decoded_bytes) const override {
    return checked_multiply(divide_up(decoded_bytes, 3), 4);
  }
};

}  // namespace

Bytes decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw damaged("base64: {} characters", text.size());
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  Bytes out(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const bool pad = i + j >= text.size() - padding;
      const uint8_t value = pad ? 0 : kValues[static_cast<unsigned char>(text[i + j])];
      if (value == kNone) throw damaged("base64: invalid character at {}", i + j);
      group = group << 6 | value;
    }
    for (size_t j = 0; j < 3; ++j) out[i / 4 * 3 + j] = static_cast<std::byte>(group >> (16 - 8 * j) & 255);
  }
  out.resize(out.size() - padding);
  return out;
}

std::string encode_base64(ByteSpan bytes) {
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (at + i < bytes.size() ? static_cast<uint32_t>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * i) & 63];
  }
  return text;
}

CodecPtr base64_codec() {
  return std::make_unique<Base64>();
}

}  // namespace plainfs
