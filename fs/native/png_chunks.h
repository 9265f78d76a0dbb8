// The parts of a PNG file (ISO/IEC 15948) around its pixels.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/codecs/checksum.h"

namespace plainfs {

enum class PngColor : char { grey = 0, rgb = 2 };  // 8 bits a sample

inline std::string png_number(uint32_t value) {
  value = __builtin_bswap32(value);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline std::string png_chunk(const std::string& name, const std::string& data) {
  const std::string checked = name + data;
  return png_number(static_cast<uint32_t>(data.size())) + checked + png_number(crc32(as_byte_span(checked)));
}

// The signature and the chunk that says what the pixels are; chunks of IDAT and an empty IEND follow.
inline std::string png_head(uint32_t width, uint32_t height, PngColor color) {
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", png_number(width) + png_number(height) + '\x08' +
                                                     static_cast<char>(color) + std::string(3, '\0'));
}

}  // namespace plainfs
