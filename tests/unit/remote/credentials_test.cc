#include "formats/core/remote/credentials.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>

#include "formats/core/base/error.h"
#include "tests/support/says.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

// A home of its own, and no machine that would be asked.
struct Fixture : TemporaryDirectory {
  RemoteCounters counters;
  HttpClient client{counters};
  std::map<std::string, std::string> variables{{"HOME", path()}, {"AWS_EC2_METADATA_DISABLED", "true"}};

  Fixture() { boost::filesystem::create_directory(path(".aws")); }
  void write(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  Keys keys() {
    Credentials credentials(environment(), "us-east-1", client);
    return credentials.current();
  }
  Environment environment() {
    return [this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(credentials, Fixture)

BOOST_AUTO_TEST_CASE(the_environment_comes_first) {
  write(".aws/credentials", "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  variables["AWS_ACCESS_KEY_ID"] = "ENV";
  variables["AWS_SECRET_ACCESS_KEY"] = "secret";
  variables["AWS_SESSION_TOKEN"] = "token";
  BOOST_TEST(keys().id == "ENV");
  BOOST_TEST(keys().token == "token");
}

BOOST_AUTO_TEST_CASE(half_a_pair_in_the_environment_is_none) {
  write(".aws/credentials", "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  variables["AWS_ACCESS_KEY_ID"] = "ENV";
  BOOST_TEST(keys().id == "FILE");
}

BOOST_AUTO_TEST_CASE(the_profile_that_is_named_is_read) {
  write(".aws/credentials",
        "[default]\naws_access_key_id=A\naws_secret_access_key=s\n[lab]\naws_access_key_id=B\naws_secret_"
        "access_key=t\n");
  BOOST_TEST(keys().id == "A");
  variables["AWS_PROFILE"] = "lab";
  BOOST_TEST(keys().id == "B");
}

BOOST_AUTO_TEST_CASE(keys_may_stand_in_the_configuration) {
  write(".aws/config", "[profile lab]\naws_access_key_id=C\naws_secret_access_key=u\nregion=eu-north-1\n");
  variables["AWS_PROFILE"] = "lab";
  BOOST_TEST(keys().id == "C");
  BOOST_TEST(chosen_profile(environment()).at("region") == "eu-north-1");
}

BOOST_AUTO_TEST_CASE(the_files_may_be_elsewhere) {
  write("mine", "[default]\naws_access_key_id=D\naws_secret_access_key=v\n");
  variables["AWS_SHARED_CREDENTIALS_FILE"] = path("mine");
  BOOST_TEST(keys().id == "D");
}

BOOST_AUTO_TEST_CASE(profiles_of_other_kinds_say_what_to_do) {
  write(".aws/config", "[default]\nsso_session = lab\n");
  BOOST_CHECK_EXCEPTION(keys(), Error, says("aws configure export-credentials"));
}

BOOST_AUTO_TEST_CASE(where_there_are_none_no_sign_is_named) {
  BOOST_CHECK_EXCEPTION(keys(), Error, says("-o no_sign"));
}

BOOST_AUTO_TEST_CASE(keys_of_the_environment_that_were_refused_are_not_tried_again) {
  variables["AWS_ACCESS_KEY_ID"] = "ENV";
  variables["AWS_SECRET_ACCESS_KEY"] = "secret";
  Credentials credentials(environment(), "us-east-1", client);
  credentials.current();
  BOOST_TEST(!credentials.renew());
}

BOOST_AUTO_TEST_CASE(a_file_that_was_written_since_is_read_again) {
  write(".aws/credentials", "[default]\naws_access_key_id=A\naws_secret_access_key=s\n");
  Credentials credentials(environment(), "us-east-1", client);
  BOOST_TEST(credentials.current().id == "A");
  BOOST_TEST(!credentials.renew());
  write(".aws/credentials", "[default]\naws_access_key_id=B\naws_secret_access_key=t\n");
  BOOST_TEST(credentials.renew());
  BOOST_TEST(credentials.current().id == "B");
}

BOOST_AUTO_TEST_CASE(a_container_is_not_asked_over_the_open_net) {
  variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://evil.example/keys";
  BOOST_CHECK_EXCEPTION(keys(), Error, says("neither https nor of this machine"));
}

BOOST_AUTO_TEST_SUITE_END()
