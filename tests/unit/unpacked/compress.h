// Compresses data for tests.
#pragma once

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "formats/core/unpacked/byte_source.h"

namespace plainfs::unpacked {

inline constexpr Compression kCompressions[] = {Compression::none, Compression::gzip, Compression::bzip2,
                                                Compression::xz, Compression::zstd};

inline std::string gzip(std::string text, int level, int strategy) {
  std::string out(text.size() * 2 + 1000, '\0');
  z_stream stream{};
  deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, strategy);
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

inline std::string compress(std::string text, Compression compression) {
  std::string out(text.size() * 2 + 1000, '\0');
  switch (compression) {
    case Compression::none:
      return text;
    case Compression::gzip:
      return gzip(std::move(text), 1, Z_DEFAULT_STRATEGY);  // a fifth of the time of the default level
    case Compression::bzip2: {
      auto size = static_cast<unsigned>(out.size());
      if (BZ2_bzBuffToBuffCompress(out.data(), &size, text.data(), static_cast<unsigned>(text.size()), 9, 0,
                                   0) != BZ_OK) {
        throw std::runtime_error("bzip2 failed");
      }
      out.resize(size);
      return out;
    }
    case Compression::zstd: {
      const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
      if (ZSTD_isError(size)) throw std::runtime_error("zstd failed");
      out.resize(size);
      return out;
    }
    case Compression::xz:
      break;
    case Compression::qs2:
    case Compression::qs:
      throw std::runtime_error("written by R alone");
  }
  size_t size = 0;
  if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                              text.size(), reinterpret_cast<uint8_t*>(out.data()), &size,
                              out.size()) != LZMA_OK) {
    throw std::runtime_error("xz failed");
  }
  out.resize(size);
  return out;
}

}  // namespace plainfs::unpacked
