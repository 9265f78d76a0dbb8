#include "formats/core/unpacked/byte_source.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <fstream>
#include <random>

#include "formats/core/base/error.h"
#include "tests/support/bytes_file.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/unpacked/compress.h"

namespace {

using namespace plainfs;
using namespace plainfs::unpacked;

std::string some_text(size_t size) {
  std::mt19937 random(5);
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(random() % (i % 1000 + 2));
  return text;
}

class Files {
 public:
  std::unique_ptr<ByteSource> open(const std::string& content) {
    const std::string path = directory_.path("file" + std::to_string(count_++));
    std::ofstream(path, std::ios::binary) << content;
    const Compression compression = compression_of(as_byte_span(std::string_view(content).substr(0, 6)));
    return open_source(context_.files.open(path), compression);
  }
  // Reads everything, in pieces of odd sizes.
  std::string read(const std::string& content) {
    const auto source = open(content);
    std::string all;
    Bytes piece(12345);
    while (const size_t size = source->read(piece)) all += as_text(ByteSpan(piece).first(size));
    return all;
  }

 private:
  TemporaryDirectory directory_;
  TestContext context_;
  int count_ = 0;
};

BOOST_AUTO_TEST_SUITE(byte_sources)

BOOST_AUTO_TEST_CASE(every_compression_gives_the_bytes_back) {
  Files files;
  for (const size_t size : {0, 1, 12345, 300000}) {
    const std::string text = some_text(size);
    for (const Compression compression : kCompressions) {
      BOOST_TEST_CONTEXT(name_of(compression) << ", " << size << " bytes") {
        const std::string compressed = compress(text, compression);
        if (size > 0) BOOST_TEST((compression_of(as_byte_span(compressed)) == compression));
        BOOST_TEST((files.read(compressed) == text));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(streams_one_after_the_other_are_one) {
  Files files;
  for (const Compression compression : kCompressions) {
    const std::string two = compress("first, ", compression) + compress("second", compression);
    BOOST_TEST(files.read(two) == "first, second");
  }
}

BOOST_AUTO_TEST_CASE(trailing_bytes_after_the_last_stream_are_ignored) {
  Files files;
  for (const Compression compression : {Compression::gzip, Compression::bzip2, Compression::zstd})
    BOOST_TEST(files.read(compress("all of it", compression) + "more") == "all of it");
}

// Checks that resuming at each point gives the rest of the text.
void check_points(const std::shared_ptr<BytesFile>& file, Compression compression, const std::string& text,
                  const std::vector<SeekPoint>& points) {
  for (const SeekPoint& point : points) {
    const uint64_t left = text.size() - std::min<uint64_t>(point.output, text.size());
    const auto source = resume_source(file, compression, point);
    Bytes rest(left + 10);
    rest.resize(source->read(rest));
    BOOST_TEST((as_text(rest) == text.substr(text.size() - left) + "end"));
  }
}

void read_whole(ByteSource& source) {
  Bytes piece(1 << 20);
  while (source.read(piece) == piece.size()) {
  }
}

BOOST_AUTO_TEST_CASE(decompression_begins_again_at_every_point) {
  for (const Compression compression : {Compression::gzip, Compression::bzip2}) {
    const std::string text = some_text(compression == Compression::gzip ? 17 << 20 : 2 << 20);
    const auto file = std::make_shared<BytesFile>(compress(text, compression) + compress("end", compression));
    std::vector<SeekPoint> points;
    read_whole(*open_source(file, compression, &points));
    BOOST_TEST(points.size() >= 2u);
    check_points(file, compression, text, points);
  }
}

BOOST_AUTO_TEST_CASE(every_kind_of_gzip_block_is_a_place_to_begin_again) {
  struct Kind {
    int level, strategy;
  };
  const std::string text = some_text(9 << 20);
  for (const auto& [level, strategy] : {Kind{0, Z_DEFAULT_STRATEGY}, Kind{6, Z_DEFAULT_STRATEGY},
                                        Kind{6, Z_HUFFMAN_ONLY}, Kind{1, Z_FIXED}}) {
    std::string out = gzip(text, level, strategy) + compress("end", Compression::gzip);
    const auto file = std::make_shared<BytesFile>(std::move(out));
    std::vector<SeekPoint> points;
    read_whole(*open_source(file, Compression::gzip, &points));
    BOOST_TEST_CONTEXT("level " << level << ", strategy " << strategy) {
      BOOST_TEST(points.size() == 1u);
      check_points(file, Compression::gzip, text, points);
    }
  }
}

BOOST_AUTO_TEST_CASE(place_is_kept_shortly_before_an_offset) {
  const std::string text = some_text(7 << 20);
  const auto file =
      std::make_shared<BytesFile>(compress(text, Compression::gzip) + compress("end", Compression::gzip));
  std::vector<SeekPoint> points;
  const auto source = open_source(file, Compression::gzip, &points);
  const std::vector<uint64_t> wanted{100, 2 << 20, (2 << 20) + 100, 5 << 20};
  uint64_t at = 0;
  for (const uint64_t offset : wanted) {
    at += source->skip(offset - at);
    source->keep_place(offset);
  }
  source->skip(text.size());
  BOOST_REQUIRE(points.size() == 2u);  // one serves two offsets, and the beginning is near the first
  BOOST_TEST(points[0].output <= wanted[1]);
  BOOST_TEST(points[0].output > wanted[1] - (1 << 20));
  BOOST_TEST(points[1].output <= wanted[3]);
  BOOST_TEST(points[1].output > wanted[3] - (1 << 20));
  check_points(file, Compression::gzip, text, points);
}

// Returns the output of "xz -T0 --block-size".
std::string in_blocks(std::string text, uint64_t block_size) {
  lzma_mt options{};
  options.threads = 2;
  options.block_size = block_size;
  options.preset = 1;
  options.check = LZMA_CHECK_CRC32;
  lzma_stream stream = LZMA_STREAM_INIT;
  std::string out(text.size() * 2 + 1000, '\0');
  BOOST_REQUIRE(lzma_stream_encoder_mt(&stream, &options) == LZMA_OK);
  stream.next_in = reinterpret_cast<const uint8_t*>(text.data());
  stream.avail_in = text.size();
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = out.size();
  BOOST_REQUIRE(lzma_code(&stream, LZMA_FINISH) == LZMA_STREAM_END);
  out.resize(stream.total_out);
  lzma_end(&stream);
  return out;
}

std::vector<SeekPoint> points_of(const std::string& content) {
  std::vector<SeekPoint> points;
  read_whole(*open_source(std::make_shared<BytesFile>(content), Compression::xz, &points));
  return points;
}

BOOST_AUTO_TEST_CASE(each_block_of_xz_is_a_place_to_begin_again) {
  const std::string text = some_text(1 << 20), whole = text + "end";
  const std::string xz = in_blocks(whole, 100'000);
  const std::vector<SeekPoint> points = points_of(xz);
  BOOST_REQUIRE(points.size() == whole.size() / 100'000);
  for (size_t i = 0; i < points.size(); ++i) BOOST_TEST(points[i].output == 100'000 * (i + 1));
  check_points(std::make_shared<BytesFile>(xz), Compression::xz, text, points);
}

BOOST_AUTO_TEST_CASE(xz_of_one_block_or_of_two_streams_has_no_places) {
  BOOST_TEST(points_of(compress(some_text(300'000), Compression::xz)).empty());
  const std::string blocks = in_blocks(some_text(300'000), 100'000);
  BOOST_TEST(points_of(blocks).size() == 2U);
  BOOST_TEST(points_of(blocks + blocks).empty());
}

BOOST_AUTO_TEST_CASE(place_outside_of_xz_block_starts_is_damage) {
  const auto file = std::make_shared<BytesFile>(in_blocks(some_text(300'000), 100'000));
  for (uint64_t byte = 13; byte < file->size(); byte += 997) {
    Bytes some(1000);
    try {
      resume_source(file, Compression::xz, {1, byte * 8})->read(some);
    } catch (const Error& error) {
      BOOST_TEST((error.code() == Errc::damaged));
    }
  }
}

BOOST_AUTO_TEST_CASE(number_of_places_is_limited) {
  const std::string text = some_text(20 << 20);
  const auto file =
      std::make_shared<BytesFile>(compress(text, Compression::gzip) + compress("end", Compression::gzip));
  std::vector<SeekPoint> points;
  read_whole(*open_source(file, Compression::gzip, &points, 3));
  BOOST_TEST(points.size() >= 2u);
  BOOST_TEST(points.size() <= 3u);
  BOOST_TEST(points.back().output > text.size() / 2);
  check_points(file, Compression::gzip, text, points);
}

BOOST_AUTO_TEST_CASE(frames_of_zstd_are_places_to_begin_again) {
  const std::string text = some_text(20 << 20);
  std::string frames;
  for (size_t at = 0; at < text.size(); at += 1 << 20)
    frames += compress(text.substr(at, 1 << 20), Compression::zstd);
  const auto file = std::make_shared<BytesFile>(frames + compress("end", Compression::zstd));
  std::vector<SeekPoint> points;
  read_whole(*open_source(file, Compression::zstd, &points));
  BOOST_REQUIRE(points.size() == 2u);
  BOOST_TEST(points[0].output == uint64_t{8} << 20);
  check_points(file, Compression::zstd, text, points);
}

BOOST_AUTO_TEST_CASE(skippable_frame_of_zstd_has_no_content) {
  Files files;
  const std::string skippable("\x50\x2a\x4d\x18\x03\0\0\0abc", 11);
  BOOST_TEST(files.read(compress("first, ", Compression::zstd) + skippable +
                        compress("second", Compression::zstd)) == "first, second");
}

BOOST_AUTO_TEST_CASE(large_window_of_zstd_is_unsupported) {
  Files files;
  for (const char log : {28, 31}) {
    const std::string frame =
        std::string("\x28\xb5\x2f\xfd\0", 5) + static_cast<char>((log - 10) << 3) + std::string("\1\0\0", 3);
    BOOST_CHECK_EXCEPTION(files.read(frame), Error, mentions("need a window of over 128 MiB"));
  }
}

BOOST_AUTO_TEST_CASE(wrong_checksum_of_zstd_is_damage) {
  const std::string text = some_text(100'000);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> packer(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_checksumFlag, 1);
  out.resize(ZSTD_compress2(packer.get(), out.data(), out.size(), text.data(), text.size()));
  Files files;
  BOOST_TEST((files.read(out) == text));
  out.back() ^= 1;
  BOOST_CHECK_EXCEPTION(files.read(out), Error, mentions("the zstd data are invalid: wrong checksum"));
}

BOOST_AUTO_TEST_CASE(truncated_stream_is_damage) {
  Files files;
  for (const Compression compression :
       {Compression::gzip, Compression::bzip2, Compression::xz, Compression::zstd}) {
    const std::string whole = compress(some_text(3000), compression);
    for (size_t size = 6; size < whole.size(); size += 7) {
      BOOST_CHECK_EXCEPTION(files.read(whole.substr(0, size)), Error,
                            mentions("the compressed data are truncated"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_changed_byte_is_damage) {
  Files files;
  for (const Compression compression : {Compression::gzip, Compression::bzip2, Compression::xz}) {
    std::string changed = compress(some_text(3000), compression);
    changed[changed.size() / 2] ^= 4;
    BOOST_CHECK_EXCEPTION(files.read(changed), Error, mentions("data are invalid"));
  }
}

BOOST_AUTO_TEST_CASE(xz_takes_no_dictionary_of_any_size) {
  Files files;
  std::string xz = compress(some_text(3000), Compression::xz);
  constexpr size_t kBlock = 12;  // its header: size, flags, perhaps sizes, then LZMA2 and one byte for it
  const size_t size = (static_cast<unsigned char>(xz[kBlock]) + 1) * size_t{4} - 4;
  const size_t filter = xz.find("\x21\1", kBlock + 2);
  BOOST_REQUIRE(filter < kBlock + size);
  xz[filter + 2] = 36;  // 1 GiB
  const uint32_t checksum = lzma_crc32(reinterpret_cast<const uint8_t*>(&xz[kBlock]), size, 0);
  std::memcpy(&xz[kBlock + size], &checksum, sizeof checksum);
  BOOST_CHECK_EXCEPTION(files.read(xz), Error,
                        mentions("the xz data are invalid: error " + std::to_string(LZMA_MEMLIMIT_ERROR)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
