#include "formats/schemas/anndata/awkward.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/support/sample_arrays.h"
#include "tests/support/store_nodes.h"
#include "tests/support/view_text.h"

namespace plainfs::anndata {
namespace {

std::string numpy(const std::string& key, const std::string& primitive = "int64",
                  const std::string& more = "") {
  return R"({"class":"NumpyArray","primitive":")" + primitive + R"(","form_key":")" + key + "\"" + more + "}";
}

template <class T>
Node buffer(const std::vector<T>& values) {
  return Node{LabelledArray{plainfs::numbers<T>(values), nullptr, nullptr}};
}

struct Awkward {
  MemoryGroup& add(const std::string& name, std::vector<int64_t> values) {
    return buffers->add(name, buffer<int64_t>(values));
  }
  ArrayPtr array(const std::string& form, uint64_t length) const {
    return awkward_array(buffers, {{"form", Json(form)}, {"length", Json::of(length)}});
  }
  Texts read(const std::string& form, uint64_t length) const { return shown(*array(form, length)); }
  std::string error(const std::string& form, uint64_t length) const {
    return message_of([&] { read(form, length); });
  }
  std::shared_ptr<MemoryGroup> buffers = std::make_shared<MemoryGroup>("/a");
};

const std::string kLists =
    R"({"class":"ListOffsetArray","offsets":"i64","form_key":"o","content":)" + numpy("n") + "}";

BOOST_AUTO_TEST_SUITE(awkward_arrays)

BOOST_AUTO_TEST_CASE(lists_are_cut_by_their_offsets) {
  Awkward a;
  a.add("o-offsets", {0, 2, 2, 3});
  a.add("n-data", {1, 2, 3, 99});
  BOOST_TEST(a.read(kLists, 3) == (Texts{"[1,2]", "[]", "[3]"}));
  const ArrayPtr array = a.array(kLists, 3);
  BOOST_TEST(array->read(range(2, 1)).text(0) == "[3]");
}

BOOST_AUTO_TEST_CASE(lists_of_starts_and_stops_may_be_unsorted) {
  Awkward a;
  a.add("l-starts", {2, 0, 1});
  a.add("l-stops", {4, 0, 2});
  a.add("n-data", {1, 2, 3, 4});
  BOOST_TEST(a.read(R"({"class":"ListArray","form_key":"l","content":)" + numpy("n") + "}", 3) ==
             (Texts{"[3,4]", "[]", "[2]"}));
}

BOOST_AUTO_TEST_CASE(records_tuples_and_lists_of_fixed_length) {
  Awkward a;
  a.add("n-data", {1, 2, 3, 4});
  a.buffers->add("b-data", buffer<uint8_t>({7, 8}));
  const std::string contents = R"("contents":[)" + numpy("b", "uint8") +
                               R"(,{"class":"RegularArray","size":2,"content":)" + numpy("n") + "}]";
  BOOST_TEST(a.read(R"({"class":"RecordArray","fields":["x","y\""],)" + contents + "}", 2) ==
             (Texts{R"({"x":7,"y\"":[1,2]})", R"({"x":8,"y\"":[3,4]})"}));
  BOOST_TEST(a.read(R"({"class":"RecordArray","fields":null,)" + contents + "}", 2) ==
             (Texts{"[7,[1,2]]", "[8,[3,4]]"}));
  BOOST_TEST(a.read(numpy("n", "int64", R"(,"inner_shape":[2])"), 2) == (Texts{"[1,2]", "[3,4]"}));
}

BOOST_AUTO_TEST_CASE(options_masks_and_unions) {
  Awkward a;
  a.add("n-data", {10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  a.add("i-index", {9, -1, 0});
  const std::string content = R"("content":)" + numpy("n");
  BOOST_TEST(a.read(R"({"class":"IndexedOptionArray","form_key":"i",)" + content + "}", 3) ==
             (Texts{"19", "null", "10"}));
  BOOST_TEST(a.error(R"({"class":"IndexedArray","form_key":"i",)" + content + "}", 3) ==
             "/a: negative index -1");
  a.buffers->add("m-mask", buffer<uint8_t>({0b00000101, 0b10000000}));
  const std::string bits = R"({"class":"BitMaskedArray","form_key":"m","valid_when":true,"lsb_order":)";
  BOOST_TEST(a.read(bits + "true," + content + "}", 3) == (Texts{"10", "null", "12"}));
  BOOST_TEST(a.read(bits + "false," + content + "}", 9)[8] == "18");
  BOOST_TEST(a.array(bits + "false," + content + "}", 9)->read(range(7, 2)).text(0) == "17");
  BOOST_TEST(a.read(R"({"class":"ByteMaskedArray","form_key":"m","valid_when":false,)" + content + "}", 2) ==
             (Texts{"null", "null"}));
  a.buffers->add("t-data", buffer<uint8_t>({'x', 'y'}));
  a.add("s-offsets", {0, 2});
  a.add("u-tags", {0, 1, 0});
  a.add("u-index", {3, 0, 1});
  const std::string text =
      R"({"class":"ListOffsetArray","form_key":"s","parameters":{"__array__":"string"},"content":)" +
      numpy("t", "uint8") + "}";
  BOOST_TEST(a.read(R"({"class":"UnionArray","form_key":"u","contents":[)" + numpy("n") + "," + text + "]}",
                    3) == (Texts{"13", "\"xy\"", "11"}));
}

BOOST_AUTO_TEST_CASE(non_finite_numbers_are_bare_only_as_elements) {
  Awkward a;
  a.buffers->add("r-data", buffer<double>({NAN, -INFINITY, 0.5}));
  a.add("o-offsets", {0, 2});
  BOOST_TEST(a.read(numpy("r", "float64"), 3) == (Texts{"NaN", "-Infinity", "0.5"}));
  BOOST_TEST(a.read(R"({"class":"ListOffsetArray","form_key":"o","content":)" + numpy("r", "float64") + "}",
                    1) == (Texts{R"(["NaN","-Infinity"])"}));
}

BOOST_AUTO_TEST_CASE(empty_or_unknown_forms) {
  Awkward a;
  const auto code_of = [&](const std::string& form) {
    try {
      a.array(form, 1)->check();
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::not_found;
  };
  BOOST_TEST((code_of("{not json") == Errc::damaged));
  BOOST_TEST((code_of(R"({"class":"NumpyArray"})") == Errc::damaged));
  BOOST_TEST((code_of(R"({"class":"HologramArray"})") == Errc::unsupported));
  BOOST_TEST((code_of(numpy("n", "float128")) == Errc::unsupported));
  BOOST_TEST(message_of([&] {
               awkward_array(a.buffers, {{"form", Json("{}")}})->check();
             }) == "/a: the length of an awkward array is missing or not a count");
  BOOST_TEST(message_of([&] {
               awkward_array(a.buffers, {{"length", Json::of(uint64_t{1})}})->check();
             }) == "/a: the form of an awkward array is missing");
}

BOOST_AUTO_TEST_CASE(mismatched_buffers_are_damage) {
  Awkward a;
  BOOST_TEST(a.error(kLists, 1) == "/a: an awkward array without the buffer o-offsets");
  a.add("o-offsets", {0, 5, 3, 1});
  a.add("n-data", {1, 2, 3});
  BOOST_TEST(a.error(kLists, 1) == "/a: item 4 of the buffer of n is beyond its 3");
  BOOST_TEST(a.error(kLists, 3).find("invalid list of o: from 5 to 3") != std::string::npos);
  BOOST_TEST(a.error(kLists, 9) == "/a: item 9 of the buffer of o is beyond its 4");
  BOOST_TEST(a.error(numpy("n", "int32"), 1).find("the buffer of n is") != std::string::npos);
  BOOST_TEST(a.error(R"({"class":"EmptyArray"})", 1) == "/a: item 0 of an empty array");
}

BOOST_AUTO_TEST_CASE(small_buffers_of_huge_arrays_are_unsupported) {
  Awkward a;
  a.add("n-data", std::vector<int64_t>(2000, 1));
  a.add("l-starts", std::vector<int64_t>(40'000, 0));
  a.add("l-stops", std::vector<int64_t>(40'000, 2000));
  const auto code_of = [&](const std::string& form, uint64_t length) {
    try {
      a.read(form, length);
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::not_found;
  };
  BOOST_TEST((code_of(R"({"class":"ListArray","form_key":"l","content":)" + numpy("n") + "}", 40'000) ==
              Errc::unsupported));
  BOOST_TEST((code_of(R"({"class":"RecordArray","fields":[],"contents":[]})", uint64_t{1} << 40) ==
              Errc::unsupported));
  BOOST_TEST((code_of(numpy("n", "int64", R"(,"inner_shape":[1099511627776,0])"), 1) == Errc::unsupported));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::anndata
