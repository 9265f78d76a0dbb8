// PNG files put together by hand: each type of colours, and what is wrong with one.
#include "formats/core/codecs/png.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/codecs/compress.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs {
namespace {

using namespace std::string_literals;

using Samples = std::vector<int>;

std::string big(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  return out;
}

std::string chunk(const std::string& name, const std::string& data) {
  const std::string named = name + data;
  return big(static_cast<uint32_t>(data.size())) + named + big(crc32(as_byte_span(named)));
}

std::string header(uint32_t width, uint32_t height, int depth, int kind, int interlace = 0) {
  return chunk("IHDR", big(width) + big(height) + static_cast<char>(depth) + static_cast<char>(kind) +
                           "\0\0"s + static_cast<char>(interlace));
}

std::string deflated(const std::string& rows) {
  return std::string(as_text(zlib_deflated(as_byte_span(rows), 6)));
}

constexpr std::string_view kBegin("\x89PNG\r\n\x1a\n", 8);

// A file of some chunks after the signature.
std::string file_of(const std::string& chunks) {
  return std::string(kBegin) + chunks + chunk("IEND", {});
}

// A file of rows, each with its filter type before it.
std::string png_of(const std::string& head, const std::string& rows, const std::string& before = {}) {
  return file_of(head + before + chunk("IDAT", deflated(rows)));
}

class PngFile {
 public:
  explicit PngFile(const std::string& content) : path_(directory_.path("picture.png")) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ArrayPtr pixels() { return png_pixels(context_.files.open(path_), context_); }
  Samples samples() {
    Samples samples;
    for (const std::byte byte : read_all(*pixels()).bytes) samples.push_back(static_cast<int>(byte));
    return samples;
  }
  Shape shape() { return pixels()->shape(); }
  std::optional<Node> node() { return png_node(path_, context_); }
  TestContext& context() { return context_; }

 private:
  TestContext context_;
  TemporaryDirectory directory_;
  const std::string path_;
};

void check(const std::string& content, const Samples& expected) {
  BOOST_TEST(PngFile(content).samples() == expected, boost::test_tools::per_element());
}

void check_fails(const std::string& content, const std::string& words) {
  BOOST_CHECK_EXCEPTION(PngFile(content).samples(), Error, mentions(words));
}

BOOST_AUTO_TEST_SUITE(png_suite)

BOOST_AUTO_TEST_CASE(grey_pixels_are_red_green_and_blue) {
  const std::string content = png_of(header(2, 1, 8, 0), "\0\x05\xff"s);
  BOOST_TEST(PngFile(content).shape() == (Shape{1, 2, 3}), boost::test_tools::per_element());
  check(content, {5, 5, 5, 255, 255, 255});
}

BOOST_AUTO_TEST_CASE(colours_are_as_stored) {
  check(png_of(header(1, 2, 8, 2), "\0\1\2\3\0\4\5\6"s), {1, 2, 3, 4, 5, 6});
  check(png_of(header(1, 1, 8, 6), "\0\1\2\3\x80"s), {1, 2, 3, 128});
  check(png_of(header(1, 1, 8, 4), "\0\x09\x80"s), {9, 9, 9, 128});
}

BOOST_AUTO_TEST_CASE(samples_of_16_bits_are_rounded_to_8) {
  check(png_of(header(1, 1, 16, 2), "\0\x01\x00\x80\x7f\xff\xff"s), {1, 128, 255});
}

BOOST_AUTO_TEST_CASE(small_samples_are_scaled) {
  check(png_of(header(3, 1, 1, 0), "\0\xa0"s), {255, 255, 255, 0, 0, 0, 255, 255, 255});
  check(png_of(header(2, 1, 4, 0), "\0\x0f"s), {0, 0, 0, 255, 255, 255});
}

BOOST_AUTO_TEST_CASE(palette_gives_the_colours) {
  const std::string palette = chunk("PLTE", "\1\2\3\4\5\6"s);
  check(png_of(header(2, 1, 8, 3), "\0\1\0"s, palette), {4, 5, 6, 1, 2, 3});
  check(png_of(header(2, 1, 2, 3), "\0\x10"s, palette + chunk("tRNS", "\7"s)), {1, 2, 3, 7, 4, 5, 6, 255});
}

BOOST_AUTO_TEST_CASE(transparent_colour_has_no_opacity) {
  check(png_of(header(2, 1, 8, 0), "\0\5\6"s, chunk("tRNS", "\0\5"s)), {5, 5, 5, 0, 6, 6, 6, 255});
}

BOOST_AUTO_TEST_CASE(each_filter_is_reversed) {
  const std::string head = header(2, 2, 8, 0);
  check(png_of(head, "\1\1\1\2\1\1"s), {1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3});
  check(png_of(head, "\0\4\6\3\1\1"s), {4, 4, 4, 6, 6, 6, 3, 3, 3, 5, 5, 5});
  check(png_of(head, "\4\4\2\4\1\1"s), {4, 4, 4, 6, 6, 6, 5, 5, 5, 7, 7, 7});
}

BOOST_AUTO_TEST_CASE(pixels_may_lie_in_several_chunks) {
  const std::string data = deflated("\0\5"s);
  check(file_of(header(1, 1, 8, 0) + chunk("tEXt", "a\0b"s) + chunk("IDAT", data.substr(0, 3)) +
                chunk("IDAT", data.substr(3))),
        {5, 5, 5});
}

BOOST_AUTO_TEST_CASE(listing_reads_no_pixels) {
  const std::string content = file_of(header(9, 7, 8, 2) + chunk("IDAT", "nothing"));
  BOOST_TEST(PngFile(content).shape() == (Shape{7, 9, 3}), boost::test_tools::per_element());
  check_fails(content, "zlib");
}

BOOST_AUTO_TEST_CASE(damaged_file_is_an_error) {
  const std::string head = header(1, 1, 8, 0), good = png_of(head, "\0\5"s);
  for (size_t size = 0; size < good.size() - 1; ++size)
    BOOST_CHECK_THROW(PngFile(good.substr(0, size)).samples(), Error);
  std::string wrong_sum = good;
  wrong_sum[good.find("IDAT") + 5] ^= 1;
  check_fails(wrong_sum, "checksum");
  check_fails("text of eight bytes", "begin as a PNG");
  check_fails(file_of(chunk("IDAT", "")), "expected IHDR");
  check_fails(file_of(head), "no pixels");
  check_fails(png_of(header(0, 1, 8, 0), "\0"s), "0 by 1");
  check_fails(png_of(header(1, 1, 3, 0), "\0\5"s), "3 bits");
  check_fails(png_of(head, "\5\5"s), "filter 5");
  check_fails(png_of(head, "\0\5\6"s), "zlib");
  check_fails(png_of(head, "\0"s), "zlib");
  check_fails(png_of(header(1, 1, 8, 3), "\0\1"s), "no palette");
  check_fails(png_of(header(1, 1, 8, 3), "\0\1"s, chunk("PLTE", "\1\2\3")), "colour 1 of 1");
  check_fails(png_of(head, "\0\5"s, chunk("PLTE", "\1\2")), "PLTE");
  check_fails(png_of(head, "\0\5"s, chunk("tRNS", "\1")), "tRNS");
  check_fails(png_of(head, "\0\5"s, chunk("ABCD", "")), "ABCD");
}

// The pass of each pixel of 8 by 8 (PNG specification, figure 4.8).
constexpr const char* kPasses[] = {"16462646", "77777777", "56565656", "77777777",
                                   "36463646", "77777777", "56565656", "77777777"};

// Returns the rows of each pass over an interlaced picture with one sample of 8 bits for each pixel.
std::string interlaced_rows(uint32_t width, uint32_t height, const Samples& pixels) {
  std::string rows;
  for (char pass = '1'; pass <= '7'; ++pass)
    for (uint32_t y = 0; y < height; ++y) {
      std::string row;
      for (uint32_t x = 0; x < width; ++x)
        if (kPasses[y % 8][x % 8] == pass) row += static_cast<char>(pixels[y * width + x]);
      if (!row.empty()) rows += '\0' + row;
    }
  return rows;
}

BOOST_AUTO_TEST_CASE(interlaced_picture_has_its_pixels_in_order) {
  for (uint32_t width = 1; width <= 9; ++width)
    for (uint32_t height = 1; height <= 9; ++height) {
      Samples pixels, expected;
      for (uint32_t i = 0; i < width * height; ++i) {
        pixels.push_back(static_cast<int>(i * 7 % 251));
        expected.insert(expected.end(), 3, pixels.back());
      }
      PngFile file(png_of(header(width, height, 8, 0, 1), interlaced_rows(width, height, pixels)));
      BOOST_TEST(file.samples() == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(row_above_is_of_the_same_pass) {
  // Filter 2 adds the row above: none in the first row of the passes 1, 6 and 7.
  const std::string rows = "\2\1"s + "\2\2"s + "\2\3\4"s;
  BOOST_TEST(
      PngFile(png_of(header(2, 2, 8, 0, 1), rows)).samples() == (Samples{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(too_large_picture_is_unsupported) {
  for (const int interlace : {0, 1}) try {
      PngFile(png_of(header(65536, 65536, 8, 2, interlace), "\0\5"s)).pixels();
      BOOST_ERROR("no error");
    } catch (const Error& error) {
      BOOST_TEST((error.code() == Errc::unsupported));
    }
}

BOOST_AUTO_TEST_CASE(few_bytes_cannot_claim_many_pixels) {
  check_fails(png_of(header(8000, 8000, 8, 0), "\0\5"s), "too few");
}

// A checksum would be wrong if the data were read.
std::string unread_chunk(const std::string& name, size_t size) {
  return big(static_cast<uint32_t>(size)) + name + std::string(size, '\1') + big(0);
}

BOOST_AUTO_TEST_CASE(too_large_chunk_before_the_pixels_fails_unread) {
  const std::string rows = "\0\0"s;
  check_fails(png_of(header(1, 1, 8, 3), rows, unread_chunk("PLTE", 771)), "PLTE has 771 bytes, expected at");
  check_fails(png_of(header(1, 1, 8, 0), rows, unread_chunk("tRNS", 769)), "tRNS has 769 bytes, expected at");
  check_fails(png_of(header(1, 1, 8, 3), rows, unread_chunk("PLTE", 768)), "checksum");
}

BOOST_AUTO_TEST_CASE(unknown_critical_chunk_is_unsupported_unread) {
  PngFile file(png_of(header(1, 1, 8, 0), "\0\5"s, unread_chunk("ABCD", 5)));
  BOOST_CHECK_EXCEPTION(file.pixels(), Error, [](const Error& error) {
    return error.code() == Errc::unsupported && mentions("the chunk 'ABCD'")(error);
  });
}

BOOST_AUTO_TEST_CASE(too_many_chunks_of_pixels_are_unsupported) {
  std::string content = std::string(kBegin) + header(1, 1, 8, 0);
  const std::string empty = chunk("IDAT", {});
  for (int count = 0; count <= 1 << 18; ++count) content += empty;
  check_fails(content, "over 262144 chunks IDAT");
}

// Calls a function whenever a thread checks whether its request is cancelled.
struct CheckedRequest : Request {
  explicit CheckedRequest(std::function<bool()> check) : check_(std::move(check)) {}
  bool cancelled() const override { return check_(); }

 private:
  const std::function<bool()> check_;
};

std::string png_of_many_chunks() {
  std::string content = std::string(kBegin) + header(1, 1, 8, 0);
  for (int count = 0; count < 1000; ++count) content += chunk("IDAT", {});
  return content + chunk("IDAT", deflated("\0\5"s)) + chunk("IEND", {});
}

BOOST_AUTO_TEST_CASE(cancelled_request_ends_the_reading_of_pixels) {
  PngFile file(png_of_many_chunks());
  const ArrayPtr pixels = file.pixels();
  const std::atomic<uint64_t>& read = file.context().counters.source_bytes_read;
  const uint64_t before = read;
  const CheckedRequest request([&] { return read > before + 100; });
  const Request::Scope scope(&request);
  BOOST_CHECK_THROW(read_all(*pixels), Cancelled);
  BOOST_TEST(read < before + 200);
}

BOOST_AUTO_TEST_CASE(decoding_has_a_part_of_the_budget) {
  PngFile file(png_of_many_chunks());
  const ArrayPtr pixels = file.pixels();
  const std::atomic<uint64_t>& read = file.context().counters.source_bytes_read;
  const uint64_t before = read;
  std::atomic<bool> has_all = false, is_over = false, are_both = false;
  std::thread other([&] {
    while (!is_over) {
      const auto all = file.context().decode_budget.take(size_t{16} << 20);
      has_all = true;
      std::this_thread::yield();
      has_all = false;
    }
  });
  {
    const CheckedRequest request([&] {
      std::this_thread::yield();
      if (read > before && read < before + 1000 && has_all) are_both = true;
      return false;
    });
    const Request::Scope scope(&request);
    read_all(*pixels);
  }
  is_over = true;
  other.join();
  BOOST_TEST(!are_both);
}

BOOST_AUTO_TEST_CASE(other_file_has_no_node) {
  BOOST_TEST(!PngFile("GIF89a, which is no PNG").node());
  BOOST_TEST(std::holds_alternative<Error>(PngFile(std::string(kBegin)).node()->content));
  BOOST_TEST(
      std::holds_alternative<LabelledArray>(PngFile(png_of(header(1, 1, 8, 0), "\0\5"s)).node()->content));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
