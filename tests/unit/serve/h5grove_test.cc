#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "fs/serve/h5grove/h5_data.h"
#include "fs/serve/h5grove/h5_values.h"
#include "tests/unit/serve/served.h"

namespace plainfs::serve {
namespace {

ArrayPtr whole_numbers(const std::vector<int32_t>& values, Shape shape) {
  const DType type = number_type(Kind::integer, 4);
  Elements elements = zero_elements(type, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<int32_t>().begin());
  return std::make_shared<MemoryArray>(type, std::move(shape), std::move(elements));
}

ArrayPtr reals(const std::vector<double>& values) {
  const DType type = number_type(Kind::real, 8);
  Elements elements = zero_elements(type, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<double>().begin());
  return std::make_shared<MemoryArray>(type, Shape{values.size()}, std::move(elements));
}

Node array_node(ArrayPtr values) {
  return {LabelledArray{std::move(values), nullptr, nullptr}, nullptr, {}, {}};
}

struct Asking : Served {
  Answer ask_h5(const std::string& question, const std::string& query) {
    return get(".plainfs/h5grove/" + question + "?file=store.h5&" + query);
  }
  std::string body(const std::string& question, const std::string& query) {
    const Answer answer = ask_h5(question, query);
    BOOST_TEST(answer.status == 200, query << ": " << answer.body);
    return answer.body;
  }
  void is_wrong(const std::string& question, const std::string& query, int status, const std::string& text) {
    const Answer answer = ask_h5(question, query);
    BOOST_TEST(answer.status == status, query);
    BOOST_TEST(answer.field("Content-Type") == "application/json");
    const Json json = parse_json(answer.body);
    BOOST_REQUIRE(json.find("message"));
    BOOST_TEST(json.find("message")->text()->find(text) != std::string::npos, answer.body);
  }
  std::string rows(const std::string& selection) { return body("data", "path=/m&selection=" + selection); }
  void add_matrix() { root->add("m", array_node(whole_numbers({0, 1, 2, 10, 11, 12}, {2, 3}))); }
};

BOOST_FIXTURE_TEST_SUITE(h5grove, Asking)

BOOST_AUTO_TEST_CASE(group_is_described_with_its_children) {
  root->set_attributes({{"title", "x"}, {"n", Json::of(int64_t{3})}});
  root->add_array("a").add_link("l", {"a"}).add_link("gone", {"nowhere"}).add_link("far", {"x"}, "other.h5");
  root->add_group("g")->add_array("b");
  const Json group = parse_json(body("meta", "path=/"));
  BOOST_TEST(*group.find("kind")->text() == "group");
  BOOST_TEST(*group.find("name")->text() == "");
  BOOST_TEST(group.find("attributes")->list()->size() == 2);
  std::string kinds;
  for (const Json& child : *group.find("children")->list())
    kinds += *child.find("name")->text() + ":" + *child.find("kind")->text() + " ";
  BOOST_TEST(kinds == "a:dataset l:dataset gone:soft_link far:external_link g:group ");
  BOOST_TEST(body("meta", "path=/g/b") ==
             "{\"attributes\":[],\"kind\":\"dataset\",\"name\":\"b\",\"shape\":[3],\"type\":{\"class\":0,"
             "\"size\":4,\"order\":0,\"sign\":1}}");
  BOOST_TEST(
      body("meta", "path=/far") ==
      "{\"kind\":\"external_link\",\"name\":\"far\",\"target_file\":\"other.h5\",\"target_path\":\"/x\"}");
  BOOST_TEST(body("attr", "path=/") == "{\"title\":\"x\",\"n\":3}");
}

BOOST_AUTO_TEST_CASE(paths_are_all_below) {
  root->add_array("a").add_link("l", {"g"});
  root->add_group("g")->add_array("b");
  BOOST_TEST(body("paths", "path=/") == "[\"/\",\"/a\",\"/l\",\"/g\",\"/g/b\"]");
  BOOST_TEST(body("paths", "path=/g") == "[\"/g\",\"/g/b\"]");
  is_wrong("paths", "path=/a", 422, "not a group");
}

BOOST_AUTO_TEST_CASE(selection_matches_numpy) {
  add_matrix();
  BOOST_TEST(body("data", "path=/m") == "[[0,1,2],[10,11,12]]");
  BOOST_TEST(rows("1,2") == "12");
  BOOST_TEST(rows("-1,:") == "[10,11,12]");
  BOOST_TEST(rows("%3A,1") == "[1,11]");
  BOOST_TEST(rows(":,-2:") == "[[1,2],[11,12]]");
  BOOST_TEST(rows("0:9,0:1") == "[[0],[10]]");
  BOOST_TEST(rows("1:1") == "[]");
  BOOST_TEST(rows(":,3:1:1") == "[[],[]]");
  BOOST_TEST(rows("1") == "[10,11,12]");
  BOOST_TEST(body("data", "path=/m&flatten=true&selection=:,1:") == "[1,2,11,12]");
  is_wrong("data", "path=/m&selection=2", 422, "out of range");
  is_wrong("data", "path=/m&selection=-3", 422, "out of range");
  is_wrong("data", "path=/m&selection=0,0,0", 422, "too many members");
  is_wrong("data", "path=/m&selection=x", 422, "not a valid slice");
  is_wrong("data", "path=/m&selection=,", 422, "not a valid slice");
  is_wrong("data", "path=/m&selection=::2", 422, "step");
  is_wrong("data", "path=/m&selection=99999999999999999999", 422, "not a valid slice");
}

BOOST_AUTO_TEST_CASE(numbers_are_their_bytes) {
  add_matrix();
  BOOST_TEST(body("data", "path=/m&format=bin&dtype=safe&selection=1,0:2") ==
             std::string("\x0a\0\0\0\x0b\0\0\0", 8));
  const std::string npy = body("data", "path=/m&format=npy&selection=:,1");
  BOOST_TEST(npy.find("'shape': (2,)") != std::string::npos);
  BOOST_TEST(npy.substr(npy.size() - 8) == std::string("\x01\0\0\0\x0b\0\0\0", 8));
  const std::string tiff = body("data", "path=/m&format=tiff");
  BOOST_TEST(tiff.substr(0, 4) == std::string("II*\0", 4));
  BOOST_TEST(tiff.size() == 136 + 24);
  is_wrong("data", "path=/m&format=tiff&selection=0", 422, "not a plane");
  is_wrong("data", "path=/m&format=csv", 422, "Unsupported encoding csv");
  is_wrong("data", "path=/m&dtype=big", 422, "Unsupported dtype big");
}

BOOST_AUTO_TEST_CASE(halves_are_widened_and_big_endian_is_swapped) {
  DType half = number_type(Kind::real, 2, true);
  Elements elements = zero_elements(half, 2);
  elements.mutable_values<Half>()[0] = to_half(1.5F);
  root->add("h", array_node(std::make_shared<MemoryArray>(half, Shape{2}, elements)));
  const std::string bytes = body("data", "path=/h&format=bin&dtype=safe");
  BOOST_TEST(bytes == std::string("\0\0\xc0\x3f\0\0\0\0", 8));
  BOOST_TEST(body("data", "path=/h") == "[1.5,0]");
  is_wrong("data", "path=/h&format=bin", 422, "big-endian");
}

BOOST_AUTO_TEST_CASE(non_finite_numbers_are_null_in_json) {
  root->add("r", array_node(reals({1.5, std::numeric_limits<double>::quiet_NaN(), -HUGE_VAL, 1e300})));
  BOOST_TEST(body("data", "path=/r") == "[1.5,null,null,1e+300]");
  BOOST_TEST(to_json_text(h5_attribute(parse_json("[1, NaN]")).value) == "[1,null]");
}

BOOST_AUTO_TEST_CASE(text_has_no_bytes) {
  root->add_text("t", {"a\"b", "é"});
  BOOST_TEST(body("data", "path=/t&flatten=true") == "[\"a\\\"b\",\"é\"]");
  is_wrong("data", "path=/t&format=bin", 422, "Unsupported encoding bin");
  is_wrong("data", "path=/t&format=bin&dtype=safe", 422, "Unsupported dtype safe");
}

BOOST_AUTO_TEST_CASE(names_with_blanks_are_those_of_a_form) {
  root->add_array("a b+c");
  BOOST_TEST(ask_h5("meta", "path=/a+b%2Bc").status == 200);
  is_wrong("meta", "path=/a%2Bb%2Bc", 404, "not a valid path");
}

BOOST_AUTO_TEST_CASE(link_shows_its_target) {
  root->add_link("l", {"g", "b"}).add_link("gone", {"nowhere"});
  root->add_group("g")->add_array("b", {7});
  BOOST_TEST(*parse_json(body("meta", "path=/l")).find("name")->text() == "l");
  BOOST_TEST(body("data", "path=/l") == "[7]");
  is_wrong("data", "path=/gone", 404, "not a valid path");
}

BOOST_AUTO_TEST_CASE(unreadable_content_fails_when_requested) {
  root->add("bad", {damaged("no such thing as 7"), nullptr, {}, {}});
  root->add("half", array_node(std::make_shared<HalfArray>(1 << 22)));
  const Json group = parse_json(body("meta", "path=/"));
  BOOST_TEST(*(*group.find("children")->list())[0].find("kind")->text() == "other");
  is_wrong("meta", "path=/bad", 500, "no such thing as 7");
  is_wrong("data", "path=/half&selection=4000000:", 500, "half of it is gone");
  BOOST_TEST(ask_h5("data", "path=/half&selection=0:10").body == "[0,0,0,0,0,0,0,0,0,0]");
  // A later failure breaks the connection.
  BOOST_CHECK_THROW(ask_h5("data", "path=/half"), Broken);
  BOOST_CHECK_THROW(ask_h5("data", "path=/half&format=bin"), Broken);
}

BOOST_AUTO_TEST_CASE(a_file_is_a_store_by_its_path) {
  root->add_array("a");
  root->add_group("g");
  for (const std::string file : {"store.h5", "", "%2F"})
    BOOST_TEST(get(".plainfs/h5grove/meta?path=/a&file=" + file).status == 200, file);
  for (const std::string file : {"other.h5", "..", "%2F..%2Fx", ".plainfs", "g", "store.h5%2Fg"}) {
    const Answer answer = get(".plainfs/h5grove/meta?path=/a&file=" + file);
    BOOST_TEST(answer.status == 404, file);
    BOOST_TEST(answer.body.find("File not found") != std::string::npos, answer.body);
  }
  BOOST_TEST(get(".plainfs/h5grove/other?file=store.h5").status == 404);
  BOOST_TEST(get(".plainfs/log").status == 404);
}

BOOST_AUTO_TEST_CASE(several_stores_are_addressed_by_name) {
  has_second = true;
  root->add_array("a");
  second->add_array("b");
  BOOST_TEST(get(".plainfs/h5grove/meta?path=/b&file=store.h5-2").status == 200);
  BOOST_TEST(get(".plainfs/h5grove/meta?path=/b&file=/store.h5").status == 404);
  BOOST_TEST(get(".plainfs/h5grove/meta?path=/&file=").status == 404);
}

BOOST_AUTO_TEST_CASE(names_are_those_of_the_file_tree) {
  root->add("a/b", array_node(whole_numbers({7}, {1}))).add_group("g%")->add("c/d", array_node(reals({.5})));
  BOOST_TEST(body("paths", "path=/") == "[\"/\",\"/a%2Fb\",\"/g%\",\"/g%/c%2Fd\"]");
  BOOST_TEST(*parse_json(body("meta", "path=/a%252Fb")).find("name")->text() == "a%2Fb");
  BOOST_TEST(*parse_json(body("meta", "path=/")).find("children")->list()->front().find("name")->text() ==
             "a%2Fb");
  BOOST_TEST(body("data", "path=/a%252Fb") == "[7]");
  BOOST_TEST(body("data", "path=/g%25/c%252Fd") == "[0.5]");
  is_wrong("meta", "path=/a/b", 404, "not a valid path");
}

BOOST_AUTO_TEST_CASE(missing_values_have_the_type_of_the_others) {
  DType logical = number_type(Kind::integer, 4);
  logical.kind = Kind::logical;
  logical.base = Kind::integer;
  Elements truths = zero_elements(logical, 3);
  truths.mutable_values<int32_t>()[0] = std::numeric_limits<int32_t>::min();
  truths.mutable_values<int32_t>()[1] = 1;
  truths.missing = {1, 0, 0};
  root->add("keep", array_node(std::make_shared<MemoryArray>(logical, Shape{3}, std::move(truths))));
  BOOST_TEST(body("meta", "path=/keep").find("\"NA\":2") != std::string::npos);
  const std::string numbers = body("data", "path=/keep&format=bin&dtype=safe");
  BOOST_TEST(numbers == std::string("\2\0\0\0\1\0\0\0\0\0\0\0", 12));

  DType letter;
  letter.kind = Kind::fixed_text;
  letter.size = 1;
  std::string out;
  Elements bytes = zero_elements(letter, 2);
  bytes.bytes = {std::byte{0xc3}, std::byte{'a'}};
  append_h5_value(letter, bytes, 0, out);
  append_h5_value(letter, bytes, 1, out);
  bytes.missing = {1, 0};
  append_h5_value(letter, bytes, 0, out);
  BOOST_TEST(out == "\"\xef\xbf\xbd\"\"a\"\"NA\"");
}

BOOST_AUTO_TEST_CASE(types_have_the_numbers_of_hdf5) {
  const auto text = [](const DType& type) { return to_json_text(h5_type(type)); };
  BOOST_TEST(text(number_type(Kind::unsigned_integer, 2, true)) ==
             "{\"class\":0,\"size\":2,\"order\":1,\"sign\":0}");
  BOOST_TEST(text(number_type(Kind::boolean, 1))
                 .starts_with("{\"class\":8,\"size\":1,\"members\":{\"FALSE\":0,\"TRUE\":1}"));
  BOOST_TEST(text(array_type(number_type(Kind::real, 4), {2, 3})) ==
             "{\"class\":10,\"size\":24,\"dims\":[2,3],\"base\":{\"class\":1,\"size\":4,\"order\":0}}");
  BOOST_TEST(text(packed_compound_type({{"x", number_type(Kind::integer, 1), 0}})) ==
             "{\"class\":6,\"size\":1,\"members\":[{\"name\":\"x\",\"class\":0,\"size\":1,\"order\":0,"
             "\"sign\":1}]}");
}

BOOST_AUTO_TEST_CASE(an_attribute_has_the_type_of_its_json) {
  const auto reported = [](const char* json) {
    const H5Attribute known = h5_attribute(parse_json(json));
    return to_json_text(known.shape) + " " + to_json_text(*known.type.find("class")) + " " +
           to_json_text(known.value);
  };
  BOOST_TEST(reported("3") == "[] 0 3");
  BOOST_TEST(reported("[1, 2.5]") == "[2] 1 [1,2.5]");
  BOOST_TEST(reported("[[\"a\", \"b\"]]") == "[1,2] 3 [[\"a\",\"b\"]]");
  BOOST_TEST(reported("true") == "[] 8 true");
  BOOST_TEST(reported("null") == "null 3 null");
  BOOST_TEST(reported("{\"a\": [1]}") == "[] 3 \"{\\\"a\\\":[1]}\"");
  BOOST_TEST(reported("[1, \"a\"]") == "[] 3 \"[1,\\\"a\\\"]\"");
  BOOST_TEST(reported("[[1], [2, 3]]") == "[] 3 \"[[1],[2,3]]\"");
  BOOST_TEST(reported("[]") == "[0] 1 []");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
