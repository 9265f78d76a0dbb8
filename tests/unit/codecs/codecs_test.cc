#include "formats/core/codecs/codecs.h"

#include <blosc.h>
#include <lz4.h>
#include <zstd.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/core/base/bytes.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/model/elements/numpy_dtype.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/text/base64.h"

#include "tests/support/mentions.h"

namespace plainfs {
namespace {

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

std::string hex(ByteSpan bytes) {
  std::string out;
  append_hex(bytes, out);
  return out;
}

template <class T>
Bytes stored(std::initializer_list<T> values) {
  const ByteSpan bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> numbers(const Bytes& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

Errc code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  BOOST_FAIL("no error");
  return Errc::not_found;
}

CodecPtr v3(std::string_view name, std::string_view configuration, std::string_view dtype = "u1",
            std::vector<uint64_t> shape = {}) {
  return make_zarr_v3_codec(name, parse_json(configuration), {parse_numpy_dtype(dtype), std::move(shape)});
}

BOOST_AUTO_TEST_SUITE(codecs_suite)

BOOST_AUTO_TEST_CASE(unknown_codecs_are_unsupported) {
  const Json none = parse_json("{}");
  for (const char* id : {"pcodec", "imagecodecs_jpeg2k", "", "https://codec.example/x", "bytes", "LZ4"})
    BOOST_CHECK((code_of([&] { make_zarr_codec(id, none, DType{}); }) == Errc::undecodable));
  for (const char* name : {"zfp", "numcodecs.pcodec", "numcodecs.", "lz4", "shuffle", "conditional"})
    BOOST_CHECK((code_of([&] { make_zarr_v3_codec(name, none, {}); }) == Errc::undecodable));
  BOOST_TEST(!make_zarr_object_codec("zlib", none, DType{}));
  BOOST_TEST(!make_hdf5_filter(32019, {}, 1));  // JPEG, which is not supported here
  BOOST_TEST(!make_hdf5_filter(0, {}, 1));
}

BOOST_AUTO_TEST_CASE(wrong_configurations_are_errors) {
  const auto make = [](std::string_view id, std::string_view configuration) {
    return code_of([&] { make_zarr_codec(id, parse_json(configuration), parse_numpy_dtype("<i4")); });
  };
  BOOST_CHECK((make("shuffle", R"({"elementsize": "4"})") == Errc::damaged));
  BOOST_CHECK((make("shuffle", R"({"elementsize": -1})") == Errc::damaged));
  BOOST_CHECK((make("crc32", R"({"location": "middle"})") == Errc::damaged));
  BOOST_CHECK((make("delta", R"({"dtype": 4})") == Errc::damaged));
  BOOST_CHECK((make("delta", R"({"dtype": "<f16"})") == Errc::unsupported));
  BOOST_CHECK((make("delta", R"({"dtype": "<U4"})") == Errc::unsupported));
  BOOST_CHECK((make("delta", R"({"dtype": "|b1"})") == Errc::unsupported));
  BOOST_CHECK((make("fixedscaleoffset", R"({"scale": NaN})") == Errc::damaged));
  BOOST_CHECK((make("lzma", R"({"format": 4})") == Errc::damaged));
  BOOST_CHECK((make("lzma", R"({"format": 3})") == Errc::damaged));
  BOOST_CHECK((make("lzma", R"({"format": 3, "filters": [{"preset": 1}]})") == Errc::damaged));
  BOOST_CHECK((make("categorize", R"({"dtype": "<U4"})") == Errc::damaged));
  BOOST_CHECK((make("categorize", R"({"dtype": "<S4", "labels": []})") == Errc::unsupported));
  BOOST_CHECK((make("jenkins_lookup3", R"({"initval": 4294967296})") == Errc::damaged));
}

BOOST_AUTO_TEST_CASE(lzma_takes_no_dictionary_of_any_size) {
  const auto dtype = parse_numpy_dtype("<i4");
  Bytes alone(13 + 8);  // properties, dictionary size, unknown data size
  alone[0] = std::byte{0x5d};
  alone[4] = std::byte{0x40};  // 1 GiB
  std::fill(alone.begin() + 5, alone.begin() + 13, std::byte{0xff});
  const auto too_large = mentions("lzma: a dictionary of more than 201326592 bytes");
  BOOST_CHECK_EXCEPTION(
      make_zarr_codec("lzma", parse_json(R"({"format": 2})"), dtype)->decode(alone, DecodedSize::at_most(8)),
      Error, too_large);
  const char* const raw = R"({"format": 3, "filters": [{"id": 33, "dict_size": 1073741824}]})";
  BOOST_CHECK_EXCEPTION(
      make_zarr_codec("lzma", parse_json(raw), dtype)->decode(alone, DecodedSize::at_most(8)), Error,
      too_large);
}

BOOST_AUTO_TEST_CASE(configuration_may_be_absent) {
  for (const char* id :
       {"blosc", "zstd", "zlib", "gzip", "lz4", "bz2", "lzma", "shuffle", "delta", "astype",
        "fixedscaleoffset", "quantize", "crc32", "crc32c", "adler32", "jenkins_lookup3", "zfpy"})
    BOOST_TEST(make_zarr_codec(id, Json(), parse_numpy_dtype("<i4")) != nullptr);
}

BOOST_AUTO_TEST_CASE(crc32c_knows_the_values_of_rfc_3720) {
  const Bytes zeros(32);
  Bytes ones(32);
  Bytes rising(32);
  std::fill(const_cast<std::byte*>(zeros.data()), const_cast<std::byte*>(zeros.data()) + 32, std::byte{0});
  std::fill(ones.begin(), ones.end(), std::byte{0xff});
  for (size_t i = 0; i < 32; ++i) rising[i] = static_cast<std::byte>(i);
  BOOST_TEST(crc32c(zeros) == 0x8a9136aau);
  BOOST_TEST(crc32c(ones) == 0x62a8ab43u);
  BOOST_TEST(crc32c(rising) == 0x46dd794eu);
  BOOST_TEST(crc32c(as_byte_span("123456789")) == 0xe3069283u);
  BOOST_TEST(crc32c({}) == 0u);
}

// Computes bit by bit, for any length and alignment: libraries have separate paths for short and long data.
uint32_t plain_crc(ByteSpan data, uint32_t polynomial, uint32_t before) {
  uint32_t crc = ~before;
  for (const std::byte byte : data) {
    crc ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
  }
  return ~crc;
}

BOOST_AUTO_TEST_CASE(checksums_of_any_length_match_the_polynomial) {
  Bytes bytes(5003);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i * 31 >> 3);
  for (size_t first = 0; first < 9; ++first)
    for (const size_t size : {0u, 1u, 7u, 8u, 9u, 63u, 255u, 990u, 4990u}) {
      const ByteSpan part = ByteSpan(bytes).subspan(first, size);
      BOOST_TEST(crc32(part) == plain_crc(part, 0xedb88320u, 0));
      BOOST_TEST(crc32(part, 0x12345678u) == plain_crc(part, 0xedb88320u, 0x12345678u));
      BOOST_TEST(crc32c(part) == plain_crc(part, 0x82f63b78u, 0));
    }
}

BOOST_AUTO_TEST_CASE(hdf5_filters_decode_chunks_of_h5py) {
  // h5py 3.7: arange(300) * 7 % 31 - 11 as <i4, compression lzf, and the same with shuffle and fletcher32.
  std::vector<int32_t> expected;
  for (int i = 0; i < 300; ++i) expected.push_back(i * 7 % 31 - 11);
  Bytes chunk = decode_base64(
      "BPX////"
      "8IAMEAwAAAAogAwARIAMA+SAPIAYBAAcgAwAOIAMA9iAPAP0gAwAEIAsACyADABIgAwD6IA8AASAHAAggAwAPIAMA9yAPAP4gAwAF"
      "IAsADCADABMgAwD7IA8AAiAHAAkgAwAQIAMA+CAPQAAABiALAA0gAwD1IAzg/3vh/3Pi/2vj/2PkBVsBAAA=");
  const unsigned lzf_data[] = {4, 261, 1200};
  const CodecPtr lzf = make_hdf5_filter(32000, lzf_data, 4);
  BOOST_TEST(numbers<int32_t>(lzf->decode(chunk, DecodedSize::exactly(1200))) == expected,
             boost::test_tools::per_element());
  for (size_t size = 0; size < chunk.size(); ++size)
    BOOST_CHECK_THROW(lzf->decode(Bytes(chunk.begin(), chunk.begin() + static_cast<ptrdiff_t>(size)),
                                  DecodedSize::exactly(1200)),
                      Error);

  chunk = decode_base64(
      "H/X8AwoR+QAHDvb9BAsS+gEID/f+BQwT+wIJEPj/Bg314P8eQRYE//"
      "8AAABgA2AEQAxgBKAI4AQM4AAV4AAI4OUe4OXtId1AAyAEQAPgAAzgCQjg"
      "DB7gDBQgK0ADIARAA+AADOAJCODjHgH/AOLrtpU=");
  const unsigned shuffle_data[] = {4};
  chunk = make_hdf5_filter(3, {}, 4)->decode(std::move(chunk), DecodedSize::at_most(4000));
  chunk = lzf->decode(std::move(chunk), DecodedSize::exactly(1200));
  chunk = make_hdf5_filter(2, shuffle_data, 4)->decode(std::move(chunk), DecodedSize::exactly(1200));
  BOOST_TEST(numbers<int32_t>(chunk) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hdf5_filters_take_no_parameters_and_no_bytes_on_trust) {
  constexpr unsigned kSzip = 4, kNbit = 5, kScaleOffset = 6;
  std::mt19937 random(11);
  const auto one_of = [&](std::initializer_list<unsigned> likely) {
    return random() % 8 == 0 ? static_cast<unsigned>(random() >> random() % 32)
                             : likely.begin()[random() % likely.size()];
  };
  int decoded = 0;
  for (int i = 0; i < 60'000; ++i) {
    const unsigned elements = 1 + random() % 100;
    const unsigned filter = 4 + random() % 3;
    const unsigned element_size = one_of({1, 2, 4, 8}) % 64 + 1;
    std::vector<unsigned> values;
    if (filter == kSzip)
      values = {one_of({141, 169, 133}), one_of({2, 8, 16, 32}), one_of({8, 16, 32, 64}),
                one_of({elements, 8, 64})};
    else if (filter == kNbit)
      values = {8,
                one_of({0, 0, 1}),
                one_of({elements}),
                one_of({1, 1, 2, 3, 4}),
                one_of({element_size, 1, 2, 4, 8}),
                one_of({0, 1}),
                one_of({1, 5, 8, 13, 32}),
                one_of({0, 0, 3})};
    else if (filter == kScaleOffset)
      values = {one_of({0, 2}),
                one_of({0, 1, 2, 8}),
                one_of({elements}),
                one_of({0, 1}),
                one_of({element_size, 1, 2, 4, 8}),
                one_of({0, 1}),
                one_of({0, 1}),
                one_of({0, 1})};
    while (random() % 4 != 0 && values.size() < 24) values.push_back(one_of({0, 1, 2, 3, 4, 8}));
    Bytes chunk(random() % 600);
    for (std::byte& byte : chunk) byte = static_cast<std::byte>(random() % 3 == 0 ? random() : random() % 5);
    const uint64_t bytes = uint64_t{elements} * element_size;
    if (filter == kSzip && chunk.size() >= 4)
      for (int k = 0; k < 4; ++k) chunk[static_cast<size_t>(k)] = static_cast<std::byte>(bytes >> 8 * k);
    try {
      const CodecPtr codec = make_hdf5_filter(filter, values, element_size);
      if (!codec) continue;
      BOOST_TEST_REQUIRE(codec->decode(chunk, DecodedSize::exactly(bytes)).size() == bytes);
      ++decoded;
    } catch (const Error&) {
    }
  }
  BOOST_TEST(decoded > 100);
}

BOOST_AUTO_TEST_CASE(fletcher32_takes_both_byte_orders_of_an_odd_chunk) {
  const CodecPtr codec = make_hdf5_filter(3, {}, 1);
  const Bytes chunk = decode_base64("9fwDChH5AAALBAU=");  // h5py 3.7
  BOOST_TEST(hex(codec->decode(chunk, DecodedSize::exactly(7))) == "f5fc030a11f900");
  Bytes old = chunk;
  std::swap(old[7], old[8]);
  std::swap(old[9], old[10]);
  BOOST_TEST(hex(codec->decode(old, DecodedSize::exactly(7))) == "f5fc030a11f900");
  std::swap(old[7], old[9]);
  BOOST_CHECK_EXCEPTION(codec->decode(old, DecodedSize::exactly(7)), Error, mentions("does not match"));
}

BOOST_AUTO_TEST_CASE(lzf_matches_may_overlap_but_not_begin_before_the_data) {
  const CodecPtr lzf = make_hdf5_filter(32000, {}, 1);
  // "a", then 7 + 3 + 2 bytes from one back.
  BOOST_TEST(hex(lzf->decode(bytes_of({0, 0x61, 0xe0, 3, 0}), DecodedSize::exactly(13))) ==
             "61616161616161616161616161");
  BOOST_CHECK_EXCEPTION(lzf->decode(bytes_of({0, 0x61, 0x20, 1}), DecodedSize::exactly(4)), Error,
                        mentions("bytes before byte"));
  BOOST_CHECK_EXCEPTION(lzf->decode(bytes_of({0x20, 0}), DecodedSize::exactly(3)), Error,
                        mentions("bytes before byte"));
  BOOST_TEST(lzf->decode({}, DecodedSize::exactly(0)).empty());
}

BOOST_AUTO_TEST_CASE(shuffle_leaves_a_rest_in_place) {
  const unsigned four[] = {4};
  const CodecPtr codec = make_hdf5_filter(2, four, 4);
  BOOST_TEST(hex(codec->decode(bytes_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), DecodedSize::exactly(10))) ==
             "01030507020406080"
             "90a");
  BOOST_TEST(hex(codec->decode(bytes_of({1, 2}), DecodedSize::exactly(2))) == "0102");
}

BOOST_AUTO_TEST_CASE(zstd_reads_frames_one_after_another_without_content_size) {
  // Three stored frames: "ab" with its size, "cd" without, none.
  const Bytes frames = bytes_of({0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x02, 0x11, 0x00, 0x00, 'a', 'b',  //
                                 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x00, 0x11, 0x00, 0x00, 'c', 'd',  //
                                 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00});
  const CodecPtr zstd = make_zarr_codec("zstd", Json(), DType{});
  BOOST_TEST(hex(zstd->decode(frames, DecodedSize::exactly(4))) == "61626364");
  BOOST_TEST(hex(zstd->decode(frames, DecodedSize::at_most(4))) == "61626364");
  BOOST_TEST(hex(zstd->decode(frames, DecodedSize::at_most(400))) == "61626364");
  BOOST_CHECK_EXCEPTION(zstd->decode(frames, DecodedSize::at_most(3)), Error, mentions("zstd: decodes to"));
}

BOOST_AUTO_TEST_CASE(sizes_in_a_blosc_frame_are_not_trusted) {
  const CodecPtr blosc = make_zarr_codec("blosc", Json(), DType{});
  // A stored (memcpyed) frame of four bytes.
  const Bytes frame = bytes_of({2, 1, 0x02, 1, 4, 0, 0, 0, 4, 0, 0, 0, 20, 0, 0, 0, 'a', 'b', 'c', 'd'});
  BOOST_TEST(hex(blosc->decode(frame, DecodedSize::exactly(4))) == "61626364");
  for (const size_t at : {4u, 12u})
    for (const int value : {3, 5, 200}) {
      Bytes changed = frame;
      changed[at] = static_cast<std::byte>(value);
      if (hex(changed) != hex(frame))
        BOOST_CHECK_EXCEPTION(blosc->decode(changed, DecodedSize::exactly(4)), Error, mentions("blosc:"));
    }
  Bytes bomb = frame;
  bomb[7] = std::byte{0x7f};
  BOOST_CHECK_EXCEPTION(blosc->decode(bomb, DecodedSize::at_most(1 << 20)), Error,
                        mentions("blosc: decodes to"));
}

// Returns numbers that compress about fourfold, or not at all.
Bytes numbers_to_compress(size_t bytes, bool noise) {
  std::mt19937 random(7);
  Bytes out(bytes);
  for (size_t i = 0; i < bytes; ++i)
    out[i] = static_cast<std::byte>(noise || i % 4 == 0 ? random() : i / 4096);
  return out;
}

EncodedSource source_of(const Bytes& encoded, uint64_t* bytes_read = nullptr) {
  return {encoded.size(), [&encoded, bytes_read](uint64_t offset, uint64_t size) {
            if (offset + size > encoded.size()) throw damaged("beyond the end");
            if (bytes_read) *bytes_read += size;
            const auto first = encoded.begin() + static_cast<ptrdiff_t>(offset);
            return Bytes(first, first + static_cast<ptrdiff_t>(size));
          }};
}

// Checks that random parts match the whole, if they are available.
void check_parts(const Codec& codec, const Bytes& encoded, const Bytes& decoded) {
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const uint64_t offset = random() % decoded.size();
    const uint64_t size = 1 + random() % std::min<uint64_t>(decoded.size() - offset, 100'000);
    const auto part = codec.decode_part(source_of(encoded), decoded.size(), offset, size);
    const auto first = decoded.begin() + static_cast<ptrdiff_t>(offset);
    if (part) BOOST_TEST_REQUIRE((*part == Bytes(first, first + static_cast<ptrdiff_t>(size))));
  }
}

Bytes blosc_frame(const Bytes& decoded, int shuffle, size_t type_size, const char* compressor, size_t block) {
  Bytes frame(decoded.size() + BLOSC_MAX_OVERHEAD);
  const int size = blosc_compress_ctx(5, shuffle, type_size, decoded.size(), decoded.data(), frame.data(),
                                      frame.size(), compressor, block, 1);
  BOOST_REQUIRE(size > 0);
  frame.resize(static_cast<size_t>(size));
  return frame;
}

BOOST_AUTO_TEST_CASE(shuffled_bits_of_single_bytes_are_put_back) {
  const CodecPtr blosc = make_zarr_codec("blosc", Json(), DType{});
  for (const size_t bytes : {128u, 1000u, 1001u, 4096u, 16'384u, 16'392u, 100'000u, 100'003u})
    for (const size_t block : {0u, 136u, 1024u, 1027u, 16384u}) {
      const Bytes decoded = numbers_to_compress(bytes, false);
      const Bytes frame = blosc_frame(decoded, BLOSC_BITSHUFFLE, 1, "zstd", block);
      BOOST_TEST_REQUIRE((blosc->decode(frame, DecodedSize::exactly(bytes)) == decoded),
                         bytes << " bytes in blocks of " << block);
      Bytes cut = frame;
      cut.resize(cut.size() / 2);
      BOOST_CHECK_EXCEPTION(blosc->decode(cut, DecodedSize::exactly(bytes)), Error, mentions("blosc:"));
    }
}

BOOST_AUTO_TEST_CASE(part_of_a_blosc_frame_reads_only_its_blocks) {
  const CodecPtr blosc = make_zarr_codec("blosc", Json(), DType{});
  for (const size_t bytes : {250'000u, 262'144u, 262'147u})
    for (const int shuffle : {BLOSC_NOSHUFFLE, BLOSC_SHUFFLE, BLOSC_BITSHUFFLE})
      for (const size_t type_size : {1u, 4u, 12u, 200u})
        for (const char* compressor : {"lz4", "zstd"})
          for (const bool noise : {false, true}) {
            const Bytes decoded = numbers_to_compress(bytes, noise);
            check_parts(*blosc, blosc_frame(decoded, shuffle, type_size, compressor, 16384), decoded);
          }
  const Bytes decoded = numbers_to_compress((1 << 20) - 1000, false);
  const Bytes frame = blosc_frame(decoded, BLOSC_SHUFFLE, 4, "lz4", 8192);
  uint64_t read = 0;
  BOOST_TEST(blosc->decode_part(source_of(frame, &read), decoded.size(), 700'000, 4096).has_value());
  BOOST_TEST(read < frame.size() / 8);
  read = 0;  // the last block is shorter
  BOOST_TEST(blosc->decode_part(source_of(frame, &read), decoded.size(), decoded.size() - 1, 1).has_value());
  BOOST_TEST(read < frame.size() / 4);
}

Bytes zstd_frame(const Bytes& decoded, bool checksum) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, checksum);
  Bytes frame(ZSTD_compressBound(decoded.size()));
  frame.resize(ZSTD_compress2(context.get(), frame.data(), frame.size(), decoded.data(), decoded.size()));
  return frame;
}

BOOST_AUTO_TEST_CASE(part_of_an_unchecked_zstd_frame_decodes_alone) {
  const CodecPtr zstd = make_zarr_codec("zstd", Json(), DType{});
  for (const size_t bytes : {200u, 60'000u, 300'000u})
    for (const bool noise : {false, true}) {
      const Bytes decoded = numbers_to_compress(bytes, noise);
      const Bytes frame = zstd_frame(decoded, false);
      const auto part = zstd->decode_part(source_of(frame), bytes, 10, 90);
      BOOST_TEST_REQUIRE(part.has_value());
      BOOST_TEST((*part == Bytes(decoded.begin() + 10, decoded.begin() + 100)));
      BOOST_TEST(!zstd->decode_part(source_of(frame), bytes + 1, 10, 90));
      BOOST_TEST(!zstd->decode_part(source_of(zstd_frame(decoded, true)), bytes, 10, 90));
      Bytes longer = frame, shorter = frame;
      longer.push_back(std::byte{0});
      shorter.pop_back();
      BOOST_TEST(!zstd->decode_part(source_of(longer), bytes, 10, 90));
      BOOST_TEST(!zstd->decode_part(source_of(shorter), bytes, 10, 90));
    }
}

BOOST_AUTO_TEST_CASE(part_of_a_damaged_frame_is_right_or_an_error) {
  const Bytes decoded = numbers_to_compress(300'000, false);
  const CodecPtr blosc = make_zarr_codec("blosc", Json(), DType{}),
                 zstd = make_zarr_codec("zstd", Json(), DType{});
  std::mt19937 random(9);
  for (const bool is_blosc : {true, false}) {
    const Codec& codec = is_blosc ? *blosc : *zstd;
    Bytes frame;
    if (is_blosc) {
      frame = blosc_frame(decoded, BLOSC_SHUFFLE, 4, "lz4", 16384);
    } else {
      frame = zstd_frame(decoded, false);
      check_parts(codec, frame, decoded);
    }
    for (int i = 0; i < 1000; ++i) {
      Bytes changed = frame;
      const size_t at = i % 2 ? random() % std::min<size_t>(96, changed.size()) : random() % changed.size();
      changed[at] ^= static_cast<std::byte>(1 + random() % 255);
      if (i % 16 == 0) changed.resize(random() % changed.size());
      const uint64_t offset = random() % 200'000, size = 1 + random() % 20'000;
      try {
        const auto part = codec.decode_part(source_of(changed), decoded.size(), offset, size);
        if (!part) continue;
        BOOST_TEST_REQUIRE(part->size() == size);
        const Bytes whole = codec.decode(changed, DecodedSize::exactly(decoded.size()));
        const auto first = whole.begin() + static_cast<ptrdiff_t>(offset);
        BOOST_TEST_REQUIRE((*part == Bytes(first, first + static_cast<ptrdiff_t>(size))));
      } catch (const Error&) {
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(packbits_is_least_significant_bit_first) {
  // zarr-extensions packbits: 21 booleans; 0, 9 and 20 are true.
  const std::string expected = "010000000000000000010000000000000000000001";
  const auto decode = [](const char* configuration, Bytes bytes) {
    return hex(v3("packbits", configuration, "b1")->decode(std::move(bytes), DecodedSize::exactly(21)));
  };
  BOOST_TEST(decode("{}", bytes_of({0x01, 0x02, 0x10})) == expected);
  BOOST_TEST(decode(R"({"padding_encoding": "first_byte"})", bytes_of({3, 0x01, 0x02, 0x10})) == expected);
  BOOST_TEST(decode(R"({"padding_encoding": "last_byte"})", bytes_of({0x01, 0x02, 0x10, 3})) == expected);
  BOOST_CHECK_EXCEPTION(decode(R"({"padding_encoding": "last_byte"})", bytes_of({0x01, 0x02, 0x10, 2})),
                        Error, mentions("padding bits"));
  BOOST_CHECK_EXCEPTION(decode("{}", bytes_of({0x01, 0x02})), Error, mentions("packbits: decodes to"));
  BOOST_CHECK_EXCEPTION(v3("packbits", R"({"last_bit": 1})", "b1"), Error, mentions("packbits: bits 0 to 1"));
  BOOST_CHECK_EXCEPTION(v3("packbits", R"({"first_bit": 1})", "b1"), Error,
                        mentions("packbits: the first bit is 1, expected at most the last, 0"));
  BOOST_TEST(*v3("packbits", R"({"padding_encoding": "last_byte"})", "b1")->encoded_size(21) == 4u);
}

BOOST_AUTO_TEST_CASE(packbits_keeps_some_bits_of_integers) {
  // Four bits of int8: 1, -2, 7, and one more nibble of padding.
  const CodecPtr low = v3("packbits", R"({"last_bit": 3})", "i1");
  BOOST_TEST(hex(low->decode(bytes_of({0xe1, 0x07}), DecodedSize::exactly(3))) == "01fe07");
  // Bits 4 to 7 of uint16.
  const CodecPtr middle = v3("packbits", R"({"first_bit": 4, "last_bit": 7})", "<u2");
  BOOST_TEST(hex(middle->decode(bytes_of({0xe1}), DecodedSize::exactly(4))) == "1000e000");
  // Whole 64-bit integers.
  const CodecPtr all = v3("packbits", "{}", "<i8");
  BOOST_TEST(numbers<int64_t>(all->decode(stored<int64_t>({INT64_MIN, -1}), DecodedSize::exactly(16)))[0] ==
             INT64_MIN);
}

BOOST_AUTO_TEST_CASE(scale_offset_computes_in_the_arrays_type) {
  const auto f8 = v3("scale_offset", R"({"scale": 0.1, "offset": -10})", "<f8");
  BOOST_TEST(numbers<double>(f8->decode(stored<double>({5, 7}), DecodedSize::exactly(16)))[0] == 40.0);
  const auto f4 = v3("scale_offset", R"({"scale": 3})", "<f4");
  BOOST_TEST(numbers<float>(f4->decode(stored<float>({1}), DecodedSize::exactly(4)))[0] == 1.0f / 3.0f);
  const auto u2 = v3("scale_offset", R"({"scale": 2, "offset": 1000})", "<u2");
  BOOST_TEST(numbers<uint16_t>(u2->decode(stored<uint16_t>({14}), DecodedSize::exactly(2)))[0] == 1007);
  BOOST_CHECK_EXCEPTION(u2->decode(stored<uint16_t>({15}), DecodedSize::exactly(2)), Error,
                        mentions("does not fit uint"));
  const auto i1 = v3("scale_offset", R"({"offset": -100})", "i1");
  BOOST_CHECK_EXCEPTION(i1->decode(stored<int8_t>({-29}), DecodedSize::exactly(1)), Error,
                        mentions("does not fit int"));
  BOOST_CHECK_EXCEPTION(v3("scale_offset", R"({"scale": 0})", "i1"), Error, mentions("scale_offset:"));
  BOOST_CHECK_EXCEPTION(v3("scale_offset", R"({"offset": 1.5})", "i1"), Error,
                        mentions("is not a valid int"));
}

BOOST_AUTO_TEST_CASE(cast_value_casts_values_and_maps_some) {
  const auto nan =
      v3("cast_value", R"({"data_type": "uint8", "scalar_map": {"decode": [[0, "NaN"]]}})", "<f8");
  const auto reals = numbers<double>(nan->decode(bytes_of({0, 7}), DecodedSize::exactly(16)));
  BOOST_TEST(std::isnan(reals[0]));
  BOOST_TEST(reals[1] == 7);
  BOOST_TEST(*nan->encoded_size(16) == 2u);
  BOOST_TEST((nan->encoded_stage({parse_numpy_dtype("<f8"), {2}}).dtype == parse_numpy_dtype("|u1")));

  const auto ints = [](const char* options, std::initializer_list<double> values) {
    const std::string configuration = fmt::format(R"({{"data_type": "float64"{}}})", options);
    return numbers<int8_t>(
        v3("cast_value", configuration, "i1")->decode(stored(values), DecodedSize::exactly(values.size())));
  };
  using List = std::vector<int8_t>;
  BOOST_TEST(ints("", {0.5, 1.5, -2.5}) == (List{0, 2, -2}), boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "rounding": "nearest-away")", {0.5, -2.5}) == (List{1, -3}),
             boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "rounding": "towards-zero")", {0.9, -2.5}) == (List{0, -2}),
             boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "rounding": "towards-negative")", {0.9, -2.5}) == (List{0, -3}),
             boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "rounding": "towards-positive")", {0.1, -2.5}) == (List{1, -2}),
             boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "out_of_range": "clamp")", {300, -1e300}) == (List{127, -128}),
             boost::test_tools::per_element());
  BOOST_TEST(ints(R"(, "out_of_range": "wrap")", {300, -129}) == (List{44, 127}),
             boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(ints("", {128}), Error, mentions("is out of range for int"));
  BOOST_CHECK_EXCEPTION(ints(R"(, "out_of_range": "clamp")", {NAN}), Error,
                        mentions("cast_value: nan is out of range for int"));
  BOOST_CHECK_EXCEPTION(ints(R"(, "rounding": "up")", {1}), Error, mentions("cast_value: "));
  BOOST_CHECK_EXCEPTION(v3("cast_value", "{}", "i1"), Error, mentions("cast_value: data_type is missing"));
}

BOOST_AUTO_TEST_CASE(reshape_changes_the_shape_alone) {
  const auto stage = [](const char* shape, std::vector<uint64_t> from) {
    const auto codec = v3("reshape", fmt::format(R"({{"shape": {}}})", shape));
    return codec->encoded_stage({parse_numpy_dtype("u1"), std::move(from)}).shape;
  };
  using Lengths = std::vector<uint64_t>;
  BOOST_TEST(stage("[[0, 1], -1]", {2, 3, 4}) == (Lengths{6, 4}), boost::test_tools::per_element());
  BOOST_TEST(stage("[24]", {2, 3, 4}) == (Lengths{24}), boost::test_tools::per_element());
  BOOST_TEST(stage("[[0, 1], [2], 3]", {100, 50, 64, 3}).size() == 3u);
  BOOST_CHECK_EXCEPTION(stage("[5, -1]", {2, 3, 4}), Error, mentions("axes do not fit shape"));
  BOOST_CHECK_EXCEPTION(stage("[-1, -1]", {2, 3, 4}), Error, mentions("axes do not fit shape"));
  BOOST_CHECK_EXCEPTION(stage("[[1], [0], [2]]", {2, 3, 4}), Error, mentions("axes do not fit shape"));
  BOOST_CHECK_EXCEPTION(stage("[[3]]", {2, 3, 4}), Error, mentions("axes do not fit shape"));
  BOOST_CHECK_EXCEPTION(stage("[23]", {2, 3, 4}), Error, mentions("axes do not fit shape"));
  BOOST_CHECK_EXCEPTION(stage("\"x\"", {2, 3, 4}), Error, mentions("reshape: invalid shape"));
}

BOOST_AUTO_TEST_CASE(stages_of_v3_report_their_type_and_shape) {
  const ArrayStage stage{parse_numpy_dtype("b1"), {3, 7}};
  const ArrayStage packed = v3("numcodecs.packbits", "{}", "b1")->encoded_stage(stage);
  BOOST_TEST((packed.dtype == parse_numpy_dtype("|u1")));
  BOOST_TEST(packed.shape == (std::vector<uint64_t>{4}), boost::test_tools::per_element());
  const auto delta = v3("numcodecs.delta", R"({"dtype": "<i4", "astype": "<i2"})", "<i4");
  BOOST_TEST((delta->encoded_stage({parse_numpy_dtype("<i4"), {5}}).dtype == parse_numpy_dtype("<i2")));
  BOOST_CHECK((delta->role() == CodecRole::array_to_array));
  BOOST_CHECK((v3("crc32c", "{}")->role() == CodecRole::bytes_to_bytes));
  BOOST_CHECK((v3("numcodecs.zfpy", "{}")->role() == CodecRole::array_to_bytes));
  BOOST_CHECK((v3("packbits", "{}", "b1")->role() == CodecRole::array_to_bytes));
}

BOOST_AUTO_TEST_CASE(base64_is_strict) {
  BOOST_TEST(hex(decode_base64("")) == "");
  BOOST_TEST(hex(decode_base64("gAVLAC4=")) == "80054b002e");
  BOOST_TEST(hex(decode_base64("/+8=")) == "ffef");
  for (const char* text : {"a", "abc", "ab=c", "a===", "====", "ab\ncd", "ab-_"})
    BOOST_CHECK_EXCEPTION(decode_base64(text), Error, mentions("character"));
}

BOOST_AUTO_TEST_CASE(numpy_dtypes_are_read) {
  BOOST_TEST((parse_numpy_dtype("<f8") == number_type(Kind::real, 8)));
  BOOST_TEST((parse_numpy_dtype(">u2") == number_type(Kind::unsigned_integer, 2, true)));
  BOOST_TEST(parse_numpy_dtype(">U3").size == 12u);
  BOOST_TEST((parse_numpy_dtype("<M8[10us]").time_unit == TimeUnit::micro));
  BOOST_TEST(parse_numpy_dtype("<M8[10us]").time_count == 10u);
  BOOST_TEST((parse_numpy_dtype("|O").kind == Kind::json));
  for (const char* text : {"", "<", "f3", "<f16", "i", "x4", "M8[", "M8[q]", "M8[0s]", "M4", "U4294967295",
                           "i44444444444", "c4"})
    BOOST_CHECK_EXCEPTION(parse_numpy_dtype(text), Error, mentions("dtype"));
}

BOOST_AUTO_TEST_CASE(msgpack_counts_are_checked_against_the_bytes) {
  const auto codec = make_zarr_object_codec("msgpack2", Json(), number_type(Kind::json, 0));
  const std::vector<uint64_t> shape{1};
  for (const Bytes& bytes :
       {bytes_of({0xdd, 0xff, 0xff, 0xff, 0xff}), bytes_of({0xdf, 0xff, 0xff, 0xff, 0xff}),
        bytes_of({0xdb, 0xff, 0xff, 0xff, 0xff}), bytes_of({0xc1}), bytes_of({})})
    BOOST_CHECK_THROW(codec->decode(bytes, shape), Error);
  Bytes deep(100000, std::byte{0x91});
  BOOST_CHECK_EXCEPTION(codec->decode(deep, shape), Error, mentions("msgpack: nested deeper than"));
}

BOOST_AUTO_TEST_CASE(json_chunks_must_be_lists_with_dtype_and_shape) {
  const auto codec = make_zarr_object_codec("json2", Json(), number_type(Kind::json, 0));
  const auto decode = [&](std::string_view text, std::vector<uint64_t> shape) {
    return codec->decode(as_byte_span(text), shape);
  };
  BOOST_TEST(decode(R"(["\u017c",null,"|O",[2]])", {2}).text(0) == "\"\u017c\"");
  BOOST_TEST(decode(R"([5,"|O",[]])", {}).text(0) == "5");
  BOOST_TEST(decode("[-Infinity,\"|O\",[1]]", {1}).text(0) == "-Infinity");
  BOOST_TEST(decode("[[-Infinity],\"|O\",[1]]", {1}).text(0) == "[\"-Infinity\"]");
  for (const char* text :
       {R"(["a","b"])", R"(["a","b","|O",[5]])", R"({"a":1})", R"(["a","b","|O",[2]] x)", R"(["a","b","|O")",
        "[\"\xff\",\"b\",\"|O\",[2]]", R"([["a","b"],"|O",[2]])", R"(["a","b",3,[2]])", "", "[]"})
    BOOST_CHECK_THROW(decode(text, {2}), Error);
  BOOST_CHECK_EXCEPTION(decode(std::string(100000, '[') + std::string(100000, ']'), {1}), Error,
                        mentions("json: JSON is nested deeper than"));
  BOOST_CHECK_EXCEPTION(decode(R"(["a","|O",[1000000000000]])", {1000000000000}), Error,
                        mentions("items, expected"));
}

BOOST_AUTO_TEST_CASE(vlen_counts_and_lengths_are_checked) {
  const auto codec = make_zarr_object_codec("vlen-utf8", Json(), DType{});
  const std::vector<uint64_t> two{2};
  BOOST_TEST(codec->decode(bytes_of({2, 0, 0, 0, 1, 0, 0, 0, 'a', 0, 0, 0, 0}), two).text(0) == "a");
  for (const Bytes& bytes :
       {bytes_of({3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), bytes_of({0xff, 0xff, 0xff, 0xff}),
        bytes_of({2, 0, 0, 0, 1, 0, 0, 0, 'a', 5, 0, 0, 0}),
        bytes_of({2, 0, 0, 0, 1, 0, 0, 0, 0xff, 0, 0, 0, 0}),
        bytes_of({2, 0, 0, 0, 1, 0, 0, 0, 'a', 0, 0, 0, 0, 9}), bytes_of({2, 0, 0}), bytes_of({})})
    BOOST_CHECK_EXCEPTION(codec->decode(bytes, two), Error, mentions("vlen-utf8"));
  const std::vector<uint64_t> bomb{4294967295};
  BOOST_CHECK_EXCEPTION(codec->decode(bytes_of({0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}), bomb), Error,
                        mentions("truncated before"));
  BOOST_CHECK_EXCEPTION(make_zarr_object_codec("vlen-array", parse_json(R"({"dtype": "|O"})"), DType{}),
                        Error, mentions("vlen-array: items of json"));
  BOOST_CHECK_EXCEPTION(make_zarr_object_codec("vlen-array", parse_json(R"({"dtype": "S0"})"), DType{}),
                        Error, mentions("vlen-array: items of text of"));
}

// HDF5's filters bitshuffle and LZ4, without encoders here. Files of the genuine ones are in the golden case
// hdf5/filters.

template <class T>
void append_big(Bytes& out, T value) {
  for (int shift = 8 * (sizeof(T) - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<std::byte>(value >> shift & 0xff));
}

Bytes counting_bytes(size_t count) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 37 % 251 + i / 100);
  return bytes;
}

Bytes lz4_block(ByteSpan bytes) {
  Bytes out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(bytes.size()))));
  out.resize(static_cast<size_t>(
      LZ4_compress_default(reinterpret_cast<const char*>(bytes.data()), reinterpret_cast<char*>(out.data()),
                           static_cast<int>(bytes.size()), static_cast<int>(out.size()))));
  return out;
}

Bytes zstd_block(ByteSpan bytes) {
  Bytes out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

// Shuffles bit by bit: a row of bits for each bit of an element.
Bytes shuffled_bits(ByteSpan elements, size_t element_size) {
  const size_t count = elements.size() / element_size;
  Bytes out(elements.size());
  std::fill(out.begin(), out.end(), std::byte{0});
  for (size_t i = 0; i < count; ++i)
    for (size_t bit = 0; bit < 8 * element_size; ++bit) {
      const bool is_set = (elements[i * element_size + bit / 8] >> bit % 8 & std::byte{1}) != std::byte{0};
      if (is_set) out[bit * (count / 8) + i / 8] |= std::byte{1} << i % 8;
    }
  return out;
}

Bytes bitshuffled(ByteSpan bytes, size_t element_size, size_t block, unsigned compressor) {
  Bytes out;
  if (compressor != 0) {
    append_big(out, uint64_t{bytes.size()});
    append_big(out, static_cast<uint32_t>(block * element_size));
  }
  while (bytes.size() >= 8 * element_size) {
    const size_t elements = std::min(block, bytes.size() / element_size / 8 * 8);
    Bytes encoded = shuffled_bits(bytes.first(elements * element_size), element_size);
    if (compressor != 0) {
      encoded = compressor == 2 ? lz4_block(encoded) : zstd_block(encoded);
      append_big(out, static_cast<uint32_t>(encoded.size()));
    }
    out.insert(out.end(), encoded.begin(), encoded.end());
    bytes = bytes.subspan(elements * element_size);
  }
  out.insert(out.end(), bytes.begin(), bytes.end());
  return out;
}

BOOST_AUTO_TEST_CASE(bitshuffle_decodes_blocks_of_any_size_and_compressor) {
  for (const unsigned element_size : {1u, 2u, 3u, 4u, 8u, 12u, 16u})
    for (const unsigned block : {0u, 8u, 24u, 4096u})
      for (const unsigned compressor : {0u, 2u, 3u})
        for (const size_t count : {0u, 1u, 7u, 8u, 100u, 1003u}) {
          const Bytes bytes = counting_bytes(count * element_size);
          const size_t used = block != 0 ? block : std::max(8192 / element_size / 8 * 8, 128u);
          const unsigned client_data[] = {0, 3, element_size, block, compressor};
          const CodecPtr codec = make_hdf5_filter(32008, client_data, element_size);
          const Bytes encoded = bitshuffled(bytes, element_size, used, compressor);
          BOOST_TEST((codec->decode(encoded, DecodedSize::exactly(bytes.size())) == bytes),
                     element_size << " " << block << " " << compressor << " " << count);
          BOOST_TEST(codec->encoded_size(80).has_value() == (compressor == 0));
        }
}

BOOST_AUTO_TEST_CASE(truncated_or_altered_bitshuffle_is_damaged) {
  const unsigned client_data[] = {0, 3, 4, 0, 2};
  const CodecPtr codec = make_hdf5_filter(32008, client_data, 4);
  const Bytes encoded = bitshuffled(counting_bytes(400), 4, 2048, 2);
  for (size_t size = 0; size < encoded.size(); ++size)
    BOOST_TEST((code_of([&] {
                  codec->decode({encoded.begin(), encoded.begin() + static_cast<ptrdiff_t>(size)},
                                DecodedSize::exactly(400));
                }) == Errc::damaged));
  BOOST_TEST((code_of([&] { codec->decode(encoded, DecodedSize::exactly(396)); }) == Errc::damaged));
  Bytes odd_block = encoded;
  odd_block[11] = std::byte{12};  // 3 elements
  odd_block[10] = std::byte{0};
  BOOST_TEST((code_of([&] { codec->decode(odd_block, DecodedSize::exactly(400)); }) == Errc::damaged));
}

BOOST_AUTO_TEST_CASE(lz4_of_hdf5_decodes_stored_and_compressed_blocks) {
  const CodecPtr codec = make_hdf5_filter(32004, {}, 1);
  Bytes bytes(100);
  std::fill(bytes.begin(), bytes.end(), std::byte{7});
  const Bytes noise = counting_bytes(60);
  bytes.insert(bytes.end(), noise.begin(), noise.end());
  Bytes encoded;
  append_big(encoded, uint64_t{160});
  append_big(encoded, uint32_t{100});
  const Bytes first = lz4_block(ByteSpan(bytes).first(100));
  append_big(encoded, static_cast<uint32_t>(first.size()));
  encoded.insert(encoded.end(), first.begin(), first.end());
  append_big(encoded, uint32_t{60});
  encoded.insert(encoded.end(), noise.begin(), noise.end());
  BOOST_TEST((codec->decode(encoded, DecodedSize::exactly(160)) == bytes));
  BOOST_TEST((code_of([&] { codec->decode(encoded, DecodedSize::exactly(161)); }) == Errc::damaged));
  encoded.pop_back();
  BOOST_TEST((code_of([&] { codec->decode(encoded, DecodedSize::exactly(160)); }) == Errc::damaged));
  Bytes endless = {encoded.begin(), encoded.begin() + 8};
  append_big(endless, uint32_t{0});
  BOOST_TEST((code_of([&] { codec->decode(endless, DecodedSize::exactly(160)); }) == Errc::damaged));
}

BOOST_AUTO_TEST_CASE(rounding_filters_have_nothing_to_undo) {
  for (const unsigned number : {32022u, 32023u})
    BOOST_TEST((make_hdf5_filter(number, {}, 4)->decode(counting_bytes(40), DecodedSize::exactly(40)) ==
                counting_bytes(40)));
}

BOOST_AUTO_TEST_CASE(unsupported_filter_is_named_with_a_remedy) {
  BOOST_TEST(std::string(unsupported_hdf5_filter(32013).what()) ==
             "HDF5 filter 32013 (ZFP) requires a plugin of libhdf5: -o hdf5_plugins with Debian's package "
             "hdf5-filter-plugin-zfp-serial");
  BOOST_TEST(std::string(unsupported_hdf5_filter(32026).what()) ==
             "HDF5 filter 32026 (Blosc2) requires a plugin of libhdf5: -o hdf5_plugins");
  BOOST_TEST(std::string(unsupported_hdf5_filter(40000).what()) ==
             "HDF5 filter 40000 requires a plugin of libhdf5: -o hdf5_plugins");
  const unsigned other_compressor[] = {0, 3, 4, 0, 9};
  BOOST_TEST(!make_hdf5_filter(32008, other_compressor, 4));
}

BOOST_AUTO_TEST_CASE(encoded_base64_is_padded) {
  for (const auto& [plain, encoded] : {std::pair{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}}) {
    BOOST_TEST(encode_base64(as_byte_span(plain)) == encoded);
    BOOST_TEST(as_text(decode_base64(encoded)) == plain);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
