#include "formats/schemas/takane/lists.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs;
using takane::check_json_list;

namespace {

std::string failure(const char* text) {
  try {
    check_json_list(parse_json(text));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(takane_json_list)

BOOST_AUTO_TEST_CASE(a_valid_list_gives_its_length) {
  const char* text = R"({"type":"list","version":"1.2","names":["a","b","c","d"],"values":[
      {"type":"integer","values":[1,null,-3],"names":["x","y","z"]},
      {"type":"list","values":[{"type":"nothing"},{"type":"number","values":[1.5,"NaN","-Inf"]}]},
      {"type":"factor","levels":["p","q"],"values":[1,0,null]},
      {"type":"string","format":"date","values":"2024-01-02"}]})";
  BOOST_TEST(check_json_list(parse_json(text)) == 4U);
}

BOOST_AUTO_TEST_CASE(invalid_content_is_named_with_its_place) {
  BOOST_TEST(failure(R"({"type":"list","values":[{"type":"integer","values":[1.5]}]})")
                 .find("values[0].values[0]") != std::string::npos);
  for (const char* text :
       {R"([])", R"({"type":"list"})", R"({"type":"integer","values":[1]})",
        R"({"type":"list","values":[1]})", R"({"type":"list","values":[{"type":"huh","values":[]}]})",
        R"({"type":"list","values":[{"type":"integer","values":[3000000000]}]})",
        R"({"type":"list","values":[{"type":"boolean","values":[1]}]})",
        R"({"type":"list","values":[{"type":"factor","levels":["a"],"values":[1]}]})",
        R"({"type":"list","values":[{"type":"external","index":-1}]})",
        R"({"type":"list","values":[{"type":"number","values":["x"]}]})",
        R"({"type":"list","values":[],"names":["a"]})"})
    BOOST_TEST(failure(text) != "", text);
}

BOOST_AUTO_TEST_SUITE_END()
