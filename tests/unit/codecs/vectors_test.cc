#include "vectors.h"

#include <boost/test/unit_test.hpp>

#include "formats/core/codecs/codecs.h"

namespace plainfs {
namespace {

struct Decoded {
  bool failed = false;
  Bytes bytes;
};

Decoded decode(const Codec& codec, Bytes encoded, DecodedSize size) {
  try {
    return {false, codec.decode(std::move(encoded), size)};
  } catch (const Error&) {
    return {true, {}};
  }
}

CodecPtr make(const CodecVector& vector) {
  return make_zarr_codec(vector.id, vector.configuration, vector.dtype);
}

template <class Check>
void each_codec(Check&& check) {
  for (const CodecVector& vector : codec_vectors())
    if (!vector.is_object) BOOST_TEST_CONTEXT(vector.name) check(vector, *make(vector));
}

BOOST_AUTO_TEST_SUITE(codec_vectors_suite)

BOOST_AUTO_TEST_CASE(chunks_of_the_tools_decode_to_the_same_bytes) {
  size_t count = 0;
  each_codec([&](const CodecVector& vector, const Codec& codec) {
    const Bytes decoded = codec.decode(vector.encoded, DecodedSize::exactly(vector.decoded.size()));
    BOOST_TEST((decoded == vector.decoded));
    ++count;
  });
  BOOST_TEST(count > 90);
}

BOOST_AUTO_TEST_CASE(chunks_decode_if_only_a_bound_is_known) {
  each_codec([](const CodecVector& vector, const Codec& codec) {
    for (const uint64_t most : {uint64_t{vector.decoded.size()}, uint64_t{1} << 40}) {
      const Bytes decoded = codec.decode(vector.encoded, DecodedSize::at_most(most));
      BOOST_TEST((decoded == vector.decoded));
    }
  });
}

BOOST_AUTO_TEST_CASE(any_other_size_is_an_error) {
  each_codec([](const CodecVector& vector, const Codec& codec) {
    const uint64_t size = vector.decoded.size();
    for (const uint64_t other : {uint64_t{0}, size / 2, size - 1, size + 1, size * 2, size + 4096})
      if (other != size) BOOST_TEST(decode(codec, vector.encoded, DecodedSize::exactly(other)).failed);
    BOOST_TEST(decode(codec, vector.encoded, DecodedSize::at_most(size - 1)).failed);
    BOOST_TEST(decode(codec, vector.encoded, DecodedSize::at_most(0)).failed);
  });
}

BOOST_AUTO_TEST_CASE(encoded_size_matches_the_tools) {
  each_codec([](const CodecVector& vector, const Codec& codec) {
    const auto size = codec.encoded_size(vector.decoded.size());
    if (size) BOOST_TEST(*size == vector.encoded.size());
  });
}

BOOST_AUTO_TEST_CASE(cut_chunks_give_an_error_or_bytes_of_the_right_size) {
  each_codec([](const CodecVector& vector, const Codec& codec) {
    for (size_t size = 0; size < vector.encoded.size(); ++size) {
      const Bytes cut(vector.encoded.begin(), vector.encoded.begin() + static_cast<ptrdiff_t>(size));
      const Decoded exact = decode(codec, cut, DecodedSize::exactly(vector.decoded.size()));
      if (!exact.failed) BOOST_TEST(exact.bytes.size() == vector.decoded.size());
      decode(codec, cut, DecodedSize::at_most(vector.decoded.size()));
    }
  });
}

BOOST_AUTO_TEST_CASE(changed_chunks_give_an_error_or_bytes_of_the_right_size) {
  uint64_t state = 1;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  each_codec([&](const CodecVector& vector, const Codec& codec) {
    for (int i = 0; i < 300; ++i) {
      Bytes changed = vector.encoded;
      for (uint64_t flips = 1 + random(3); flips > 0; --flips)
        changed[random(changed.size())] = static_cast<std::byte>(random(256));
      const Decoded exact = decode(codec, changed, DecodedSize::exactly(vector.decoded.size()));
      if (!exact.failed) BOOST_TEST(exact.bytes.size() == vector.decoded.size());
      const Decoded bounded = decode(codec, changed, DecodedSize::at_most(vector.decoded.size()));
      if (!bounded.failed) BOOST_TEST(bounded.bytes.size() <= vector.decoded.size());
    }
  });
}

ObjectCodecPtr make_object(const CodecVector& vector) {
  return make_zarr_object_codec(vector.id, vector.configuration, vector.dtype);
}

BOOST_AUTO_TEST_CASE(object_chunks_of_the_tools_decode_to_the_same_elements) {
  size_t count = 0;
  for (const CodecVector& vector : codec_vectors()) {
    if (!vector.is_object) continue;
    BOOST_TEST_CONTEXT(vector.name) {
      const ObjectCodecPtr codec = make_object(vector);
      BOOST_REQUIRE(codec);
      const Elements elements = codec->decode(vector.encoded, vector.shape);
      const std::vector<std::string> text = elements_text(codec->dtype(), elements);
      BOOST_TEST(text == vector.elements, boost::test_tools::per_element());
      ++count;
    }
  }
  BOOST_TEST(count > 40);
}

BOOST_AUTO_TEST_CASE(object_chunks_of_another_count_are_damaged) {
  for (const CodecVector& vector : codec_vectors()) {
    if (!vector.is_object) continue;
    BOOST_TEST_CONTEXT(vector.name) {
      for (const uint64_t more : {uint64_t{1}, uint64_t{1} << 40}) {
        std::vector<uint64_t> shape = vector.shape;
        shape[0] += more;
        BOOST_CHECK_THROW(make_object(vector)->decode(vector.encoded, shape), Error);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(cut_and_changed_object_chunks_give_an_error_or_all_elements) {
  uint64_t state = 1;
  const auto random = [&state](uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  const auto check = [](const CodecVector& vector, const ObjectCodec& codec, const Bytes& bytes) {
    try {
      const Elements elements = codec.decode(bytes, vector.shape);
      BOOST_TEST(elements.count == vector.elements.size());
      BOOST_TEST(elements_text(codec.dtype(), elements).size() == vector.elements.size());
    } catch (const Error&) {
    }
  };
  for (const CodecVector& vector : codec_vectors()) {
    if (!vector.is_object) continue;
    BOOST_TEST_CONTEXT(vector.name) {
      const ObjectCodecPtr codec = make_object(vector);
      for (size_t size = 0; size < vector.encoded.size(); ++size)
        BOOST_CHECK_THROW(codec->decode(ByteSpan(vector.encoded).first(size), vector.shape), Error);
      for (int i = 0; i < 300; ++i) {
        Bytes changed = vector.encoded;
        for (uint64_t flips = 1 + random(3); flips > 0; --flips)
          changed[random(changed.size())] = static_cast<std::byte>(random(256));
        check(vector, *codec, changed);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
