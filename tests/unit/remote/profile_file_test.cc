#include "formats/core/remote/credentials.h"

#include <boost/test/unit_test.hpp>

using namespace plainfs::remote;

BOOST_AUTO_TEST_SUITE(profile_file)

BOOST_AUTO_TEST_CASE(profiles_of_both_files_are_read) {
  const auto profiles = parse_profiles(
      "[default]\naws_access_key_id = A\naws_secret_access_key=s/+=x\n\n[profile lab]\nregion = eu-west-1\n"
      "[work]\r\naws_access_key_id=B\r\n");
  BOOST_TEST(profiles.size() == 3U);
  BOOST_TEST(profiles.at("default").at("aws_access_key_id") == "A");
  BOOST_TEST(profiles.at("default").at("aws_secret_access_key") == "s/+=x");
  BOOST_TEST(profiles.at("lab").at("region") == "eu-west-1");
  BOOST_TEST(profiles.at("work").at("aws_access_key_id") == "B");
}

BOOST_AUTO_TEST_CASE(a_name_may_be_quoted) {
  BOOST_TEST(parse_profiles("[profile \"my lab\"]\nregion=x\n").contains("my lab"));
}

BOOST_AUTO_TEST_CASE(nested_settings_and_comments_are_ignored) {
  const auto profiles = parse_profiles(
      "stray = 1\n# [no]\n; x = y\n[default]\ns3 =\n    region = other\n\tendpoint_url = z\nregion = "
      "mine\nno value\n");
  BOOST_TEST(profiles.size() == 1U);
  BOOST_TEST(profiles.at("default").at("region") == "mine");
  BOOST_TEST(!profiles.at("default").contains("endpoint_url"));
}

BOOST_AUTO_TEST_CASE(open_bracket_and_empty_file_are_accepted) {
  BOOST_TEST(parse_profiles("").empty());
  BOOST_TEST(parse_profiles("[").size() == 1U);
  BOOST_TEST(parse_profiles("[]\na=b").at("").at("a") == "b");
}

BOOST_AUTO_TEST_SUITE_END()
