#include "formats/core/text/base64.h"

#include <array>

#include "formats/core/base/error.h"

namespace plainfs {
namespace {

constexpr std::string_view kBase64Letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNotBase64 = 255;

constexpr auto kBase64Values = [] {
  std::array<uint8_t, 256> values{};
  values.fill(kNotBase64);
  for (size_t i = 0; i < kBase64Letters.size(); ++i)
    values[static_cast<unsigned char>(kBase64Letters[i])] = static_cast<uint8_t>(i);
  return values;
}();

}  // namespace

Bytes decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) throw damaged("base64: {} characters, expected a multiple of 4", text.size());
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  Bytes out(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      const bool pad = i + j >= text.size() - padding;
      const uint8_t value = pad ? 0 : kBase64Values[static_cast<unsigned char>(text[i + j])];
      if (value == kNotBase64) throw damaged("base64: invalid character at {}", i + j);
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
      text += at + i > bytes.size() ? '=' : kBase64Letters[group >> (18 - 6 * i) & 63];
  }
  return text;
}

}  // namespace plainfs
