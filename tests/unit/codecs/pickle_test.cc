#include "formats/core/codecs/pickle.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "formats/core/codecs/codecs.h"

#include "tests/support/mentions.h"

namespace plainfs {
namespace {

using namespace std::string_literals;

std::string text_of(const std::string& pickle) {
  return to_json_text(read_pickle(as_byte_span(pickle)));
}

std::string error_of(const std::string& pickle) {
  try {
    return "no error: " + text_of(pickle);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == Errc::damaged));
    return error.what();
  }
}

bool has_words(const std::string& message, std::string_view words) {
  return message.find(words) != std::string::npos;
}

std::string little(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 255);
  return out;
}

BOOST_AUTO_TEST_SUITE(pickle_suite)

BOOST_AUTO_TEST_CASE(fill_value_of_hdmf_zarr_is_zero) {
  BOOST_TEST(text_of("\x80\x05K\x00."s) == "0");  // base64 gAVLAC4=
  BOOST_TEST(text_of("\x80\x04K\x00."s) == "0");
}

BOOST_AUTO_TEST_CASE(every_way_to_write_a_plain_value_is_read) {
  BOOST_TEST(text_of("N."s) == "null");
  BOOST_TEST(text_of("I01\n."s) == "true");
  BOOST_TEST(text_of("I-12\n."s) == "-12");
  BOOST_TEST(text_of("L123456789012345678901234567890L\n."s) == "123456789012345678901234567890");
  BOOST_TEST(text_of("F1.5\n."s) == "1.5");
  BOOST_TEST(text_of("Va\\u017c\\U0001f600\xe9\n."s) == "\"a\u017c\U0001f600\u00e9\"");
  BOOST_TEST(text_of("\x8a\x00."s) == "0");
  BOOST_TEST(text_of("\x8a\x01\xff."s) == "-1");
  BOOST_TEST(text_of("\x8b"s + little(9, 4) + "\x00\x00\x00\x00\x00\x00\x00\x00\x01."s) ==
             "18446744073709551616");
  BOOST_TEST(text_of("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\xff."s) == "-9223372036854775808");
  BOOST_TEST(text_of("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff."s) == "-18446744073709551616");
  BOOST_TEST(text_of("U\x02hi."s) == "\"hi\"");
  BOOST_TEST(text_of("C\x02\x00\xff."s) == "\"00ff\"");
  BOOST_TEST(text_of("(K\x01K\x02t."s) == "[1,2]");
  BOOST_TEST(text_of("(K\x01K\x02l."s) == "[1,2]");
  BOOST_TEST(text_of("(U\x01"
                     "aK\x01"
                     "d."s) == "{\"a\":1}");
  BOOST_TEST(text_of("]q\x00"
                     "K\x05"
                     "a."s) == "[5]");
  BOOST_TEST(text_of("]p0\n(K\x01g0\n0e."s) == "[1]");
  BOOST_TEST(text_of("K\x07"
                     "2\x86."s) == "[7,7]");
}

BOOST_AUTO_TEST_CASE(repeated_key_replaces_the_value) {
  BOOST_TEST(text_of("}(U\x01"
                     "aK\x01U\x01"
                     "bK\x02U\x01"
                     "aK\x03u."s) == "{\"a\":3,\"b\":2}");
  BOOST_TEST(text_of("}(K\x01K\x02NK\x03\x88NK\x01K\x04u."s) == "{\"1\":4,\"null\":3,\"true\":null}");
}

BOOST_AUTO_TEST_CASE(containers_are_no_keys) {
  BOOST_TEST(has_words(error_of("}}K\x01s."s), "key"));
  BOOST_TEST(has_words(error_of("})K\x01s."s), "key"));
  BOOST_TEST(text_of("}C\x01\xffK\x01s."s) == "{\"ff\":1}");
}

BOOST_AUTO_TEST_CASE(references_of_hdmf_zarr_are_objects) {
  BOOST_TEST(
      text_of(
          "\x80\x04\x8c\x0fhdmf_zarr.utils\x8c\x0dZarrReference\x93)\x81(U\x06sourceU\x01.U\x04pathU\x02/au."s) ==
      "{\"source\":\".\",\"path\":\"/a\"}");
  BOOST_TEST(has_words(error_of("\x8c\x0fhdmf_zarr.utils\x8c\x0dZarrReference\x93K\x01\x85\x81."s),
                       "not a reference"));
}

BOOST_AUTO_TEST_CASE(pickle_with_a_command_is_not_executed) {
  const auto proof =
      std::filesystem::temp_directory_path() / fmt::format("plainfs_pickle_ran.{}", ::getpid());
  const std::string command = "touch " + proof.string();
  const std::string argument = "U"s + little(command.size(), 1) + command + "\x85R.";
  for (const char* global :
       {"cos\nsystem\n", "cposix\nsystem\n", "csubprocess\ncall\n", "cbuiltins\neval\n",
        "c__builtin__\neval\n", "U\x02osU\x06system\x93", "U\x05numpyU\x0endarray.tofile\x93"})
    BOOST_TEST(has_words(error_of(global + argument), "not data"));
  BOOST_TEST(has_words(error_of("(U\x02idios\nsystem\n."s), "opcode"));
  BOOST_TEST(!std::filesystem::exists(proof));
}

BOOST_AUTO_TEST_CASE(other_pickle_opcodes_are_refused) {
  BOOST_TEST(has_words(error_of("cnumpy.core.multiarray\nset_typeDict\n."s), "not data"));
  BOOST_TEST(has_words(error_of("ccollections\nOrderedDict\n)R."s), "not data"));
  BOOST_TEST(has_words(error_of("cnumpy\nndarray\n."s), "function"));
  BOOST_TEST(has_words(error_of("cnumpy\nndarray\n)R."s), "call"));
  BOOST_TEST(has_words(error_of("cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\nK\x00\x85"
                                "C\x01"
                                "btR."s),
                       "class"));
  for (const char* opcode :
       {"P1\n.", "Q.", "\x82\x01.", "\x97.", "\x98.", "\x8f.", "1.", "o.", "\xff.", "\x92."})
    BOOST_TEST(has_words(error_of(opcode), "opcode"));
}

BOOST_AUTO_TEST_CASE(damage_is_an_error) {
  BOOST_TEST(has_words(error_of(""s), "bytes left"));
  BOOST_TEST(has_words(error_of("K\x01"s), "bytes left"));
  BOOST_TEST(has_words(error_of("."s), "empty stack"));
  BOOST_TEST(has_words(error_of("e."s), "no mark"));
  BOOST_TEST(has_words(error_of("K\x01(0."s), "empty stack"));
  BOOST_TEST(has_words(error_of("K\x01K\x01"
                                "a."s),
                       "not a container"));
  BOOST_TEST(has_words(error_of("h\x00."s), "not set"));
  BOOST_TEST(has_words(error_of("K\x01r\xff\xff\xff\xff."s), "memo"));
  BOOST_TEST(has_words(error_of("}(K\x01u."s), "key without"));
  BOOST_TEST(has_words(error_of("\x8b\xff\xff\xff\xff."s), "length"));
  BOOST_TEST(has_words(error_of("\x8d"s + little(uint64_t{1} << 60, 8) + "."), "bytes left"));
  BOOST_TEST(has_words(error_of("\x95"s + little(uint64_t{1} << 60, 8) + "N."), "frame"));
  BOOST_TEST(has_words(error_of("N.N"s), "after the end"));
  BOOST_TEST(has_words(error_of("\x80\x06N."s), "protocol"));
  BOOST_TEST(has_words(error_of("X\x02\x00\x00\x00\xc3("s + "."), "UTF-8"));
}

BOOST_AUTO_TEST_CASE(shared_lists_are_not_written_out_without_bound) {
  // 40 lists, each containing the previous one twice: 2^40 elements when expanded.
  std::string pickle = "]q\x00"s;
  for (int i = 1; i < 40; ++i)
    pickle += "](h"s + little(static_cast<uint64_t>(i - 1), 1) + "h" +
              little(static_cast<uint64_t>(i - 1), 1) + "eq" + little(static_cast<uint64_t>(i), 1);
  BOOST_TEST(has_words(error_of(pickle + "."), "shared values"));
}

BOOST_AUTO_TEST_CASE(self_containing_list_is_an_error) {
  BOOST_TEST(has_words(error_of("]q\x00h\x00"
                                "a."s),
                       "contains itself"));
  BOOST_TEST(has_words(error_of("}q\x00U\x01"
                                "ah\x00s."s),
                       "contains itself"));
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_an_error_and_no_overflow) {
  BOOST_TEST(has_words(error_of(std::string(200000, ']') + std::string(199999, 'a') + "."), "nested"));
}

BOOST_AUTO_TEST_CASE(types_cannot_grow_by_sharing) {
  // A record type with fields that all have the previous type: 20 times more with each step.
  const std::string type = "cnumpy\ndtype\n(U\x02V1\x89\x88tR";
  std::string pickle = "cnumpy\ndtype\n(U\x02i1\x89\x88tRq\x00"s;
  for (int i = 1; i <= 10; ++i) {
    const std::string before = "h"s + little(static_cast<uint64_t>(i - 1), 1);
    std::string names = "(";
    std::string fields = "}(";
    for (char name = 'a'; name < 'u'; ++name) {
      names += "U\x01"s + name;
      fields += "U\x01"s + name + before + "K\x00\x86"s;
    }
    pickle += type + "q" + little(static_cast<uint64_t>(i), 1) + "(K\x03U\x01|N" + names + "t" + fields +
              "uK\x01K\x01K\x00tb"s;
  }
  const std::string message = error_of(pickle + ".");
  BOOST_TEST((has_words(message, "shared values") || has_words(message, "nested")), message);
}

BOOST_AUTO_TEST_CASE(array_state_must_match_its_data) {
  const std::string start =
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85"
      "C\x01"
      "btR"s;
  const std::string object = "cnumpy\ndtype\n(U\x02O8\x89\x88tR"s;
  const auto array = [&](const std::string& shape, const std::string& items) {
    return start + "(K\x01" + shape + object + "\x89" + items + "tb.";
  };
  BOOST_TEST(text_of(array("K\x02\x85"s,
                           "](K\x01K\x02"
                           "e"s)) == "[1,2]");
  BOOST_TEST(has_words(error_of(array("K\x02\x85"s,
                                      "](K\x01"
                                      "e"s)),
                       "expected 2 by its shape"));
  BOOST_TEST(has_words(error_of(array("J\x00\xca\x9a\x3b\x85"s,
                                      "](K\x01K\x02"
                                      "e"s)),
                       "by its shape"));
  BOOST_TEST(has_words(error_of(array("J\xff\xff\xff\xff\x85"s, "]"s)), "shape"));
  BOOST_TEST(has_words(error_of(array("K\x02\x85"s,
                                      "C\x02"
                                      "ab"s)),
                       "array"));
}

BOOST_AUTO_TEST_CASE(a_chunk_must_be_an_array_of_the_chunks_size) {
  const auto codec = make_zarr_object_codec("pickle", Json(Json::Object{}), number_type(Kind::json, 0));
  const std::vector<uint64_t> shape{2};
  for (const std::string& pickle : {"}."s,
                                    "](K\x01K\x02"
                                    "e."s,
                                    "N."s})
    BOOST_CHECK_EXCEPTION(codec->decode(as_byte_span(pickle), shape), Error,
                          mentions("pickle: the pickle does not contain an array"));
}

BOOST_AUTO_TEST_CASE(records_must_have_the_fields_of_the_array) {
  // One record (7,) with the field "n" of type i4.
  const std::string pickle =
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85"
      "C\x01"
      "btR(K\x01K\x01\x85"
      "cnumpy\ndtype\n(U\x02V4\x89\x88tR(K\x03U\x01|N(U\x01nt}(U\x01ncnumpy\ndtype\n(U\x02i4\x89\x88tR"
      "K\x00\x86uK\x04K\x01K\x00tb\x89"
      "C\x04\x07\x00\x00\x00tb."s;
  const auto decode = [&](const char* name, DType type) {
    const auto codec =
        make_zarr_object_codec("pickle", Json(Json::Object{}), packed_compound_type({{name, type, 0}}));
    const std::vector<uint64_t> shape{1};
    return codec->decode(as_byte_span(pickle), shape).children[0].values<int32_t>()[0];
  };
  BOOST_TEST(decode("n", number_type(Kind::integer, 4)) == 7);
  BOOST_CHECK_EXCEPTION(decode("m", number_type(Kind::integer, 4)), Error,
                        mentions("pickle: the pickle contains compound of"));
  BOOST_CHECK_EXCEPTION(decode("n", number_type(Kind::unsigned_integer, 4)), Error,
                        mentions("pickle: the pickle contains compound of"));
  BOOST_CHECK_EXCEPTION(decode("n", number_type(Kind::integer, 8)), Error,
                        mentions("pickle: the pickle contains compound of"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
