#include "formats/core/remote/credentials.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <fstream>
#include <future>
#include <map>
#include <thread>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "tests/support/answering_server.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

using namespace plainfs;
using namespace plainfs::remote;

namespace {

// A private home folder, and no machine that could be asked.
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
  void ask_container(const AnsweringServer& server) {
    variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = server.url + "/keys";
  }
};

struct Asker : Request {
  std::atomic<bool> is_gone{false};
  bool cancelled() const override { return is_gone; }
};

std::future<Keys> ask_for(Credentials& credentials, const Asker& requester) {
  return std::async(std::launch::async, [&] {
    const Request::Scope scope(&requester);
    return credentials.current();
  });
}

std::string keys_until(std::time_t time) {
  std::tm parts{};
  char until[32];
  std::strftime(until, sizeof until, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&time, &parts));
  return AnsweringServer::reply(
      "200 OK", "",
      fmt::format(R"({{"AccessKeyId":"K","SecretAccessKey":"s","Token":"t","Expiration":"{}"}})", until));
}

constexpr auto kLong = std::chrono::seconds(15);

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

BOOST_AUTO_TEST_CASE(half_a_key_pair_in_the_environment_is_ignored) {
  write(".aws/credentials", "[default]\naws_access_key_id=FILE\naws_secret_access_key=s\n");
  variables["AWS_ACCESS_KEY_ID"] = "ENV";
  BOOST_TEST(keys().id == "FILE");
}

BOOST_AUTO_TEST_CASE(named_profile_is_read) {
  write(".aws/credentials",
        "[default]\naws_access_key_id=A\naws_secret_access_key=s\n[lab]\naws_access_key_id=B\naws_secret_"
        "access_key=t\n");
  BOOST_TEST(keys().id == "A");
  variables["AWS_PROFILE"] = "lab";
  BOOST_TEST(keys().id == "B");
}

BOOST_AUTO_TEST_CASE(keys_may_be_in_the_configuration_file) {
  write(".aws/config", "[profile lab]\naws_access_key_id=C\naws_secret_access_key=u\nregion=eu-north-1\n");
  variables["AWS_PROFILE"] = "lab";
  BOOST_TEST(keys().id == "C");
  BOOST_TEST(chosen_profile(environment()).at("region") == "eu-north-1");
}

BOOST_AUTO_TEST_CASE(files_may_be_at_another_path) {
  write("mine", "[default]\naws_access_key_id=D\naws_secret_access_key=v\n");
  variables["AWS_SHARED_CREDENTIALS_FILE"] = path("mine");
  BOOST_TEST(keys().id == "D");
}

BOOST_AUTO_TEST_CASE(unsupported_profiles_suggest_a_remedy) {
  write(".aws/config", "[default]\nsso_session = lab\n");
  BOOST_CHECK_EXCEPTION(keys(), Error, mentions("aws configure export-credentials"));
}

BOOST_AUTO_TEST_CASE(without_keys_no_source_is_named) {
  BOOST_CHECK_EXCEPTION(keys(), Error, mentions("-o no_sign"));
}

BOOST_AUTO_TEST_CASE(refused_keys_of_the_environment_are_not_retried) {
  variables["AWS_ACCESS_KEY_ID"] = "ENV";
  variables["AWS_SECRET_ACCESS_KEY"] = "secret";
  Credentials credentials(environment(), "us-east-1", client);
  credentials.current();
  BOOST_TEST(!credentials.renew());
}

BOOST_AUTO_TEST_CASE(modified_key_file_is_read_again) {
  write(".aws/credentials", "[default]\naws_access_key_id=A\naws_secret_access_key=s\n");
  Credentials credentials(environment(), "us-east-1", client);
  BOOST_TEST(credentials.current().id == "A");
  BOOST_TEST(!credentials.renew());
  write(".aws/credentials", "[default]\naws_access_key_id=B\naws_secret_access_key=t\n");
  BOOST_TEST(credentials.renew());
  BOOST_TEST(credentials.current().id == "B");
}

BOOST_AUTO_TEST_CASE(container_keys_are_not_requested_over_public_http) {
  variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://evil.example/keys";
  BOOST_CHECK_EXCEPTION(keys(), Error, mentions("neither https nor on this machine"));
}

BOOST_AUTO_TEST_CASE(interrupted_caller_does_not_wait_for_keys) {
  AnsweringServer server([](const std::string&) { return ""; });
  ask_container(server);
  Credentials some(environment(), "us-east-1", client);
  BOOST_TEST(!some.has_keys());
  Asker first, second;
  auto asking = ask_for(some, first);
  while (server.requests == 0) std::this_thread::yield();
  auto waiting = ask_for(some, second);
  second.is_gone = true;
  const bool is_ended = waiting.wait_for(kLong) == std::future_status::ready;
  const bool is_asking = asking.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
  first.is_gone = true;
  BOOST_TEST(is_ended);
  BOOST_TEST(is_asking);
  BOOST_CHECK_THROW(waiting.get(), Cancelled);
  BOOST_CHECK_THROW(asking.get(), Cancelled);
}

BOOST_AUTO_TEST_CASE(valid_keys_are_used_during_a_renewal) {
  std::atomic<int> asked{0};
  const std::string keys = keys_until(std::time(nullptr) + 200);
  AnsweringServer server([&](const std::string&) { return asked++ == 0 ? keys : ""; });
  ask_container(server);
  Credentials some(environment(), "us-east-1", client);
  BOOST_TEST(some.current().id == "K");
  BOOST_TEST(!some.has_keys());  // they expire soon
  Asker first, second;
  auto asking = ask_for(some, first);
  while (server.requests < 2) std::this_thread::yield();
  auto other = ask_for(some, second);
  const bool is_answered = other.wait_for(kLong) == std::future_status::ready;
  first.is_gone = second.is_gone = true;
  BOOST_REQUIRE(is_answered);
  BOOST_TEST(other.get().id == "K");
  BOOST_CHECK_THROW(asking.get(), Cancelled);
}

BOOST_AUTO_TEST_CASE(valid_keys_are_used_if_a_renewal_fails) {
  std::atomic<int> asked{0};
  const std::string keys = keys_until(std::time(nullptr) + 200);
  AnsweringServer server([&](const std::string&) {
    return asked++ == 0 ? keys : AnsweringServer::reply("500 Internal Server Error", "", "");
  });
  ask_container(server);
  Credentials some(environment(), "us-east-1", client);
  BOOST_TEST(some.current().id == "K");
  BOOST_TEST(some.current().id == "K");
  BOOST_TEST(asked == 2);
}

BOOST_AUTO_TEST_CASE(failing_key_service_is_asked_once_for_all_waiters) {
  AnsweringServer server(
      [](const std::string&) { return AnsweringServer::reply("500 Internal Server Error", "", ""); });
  ask_container(server);
  Credentials some(environment(), "us-east-1", client);
  for (int i = 0; i < 2; ++i) BOOST_CHECK_EXCEPTION(some.current(), Error, mentions("status 500"));
  BOOST_TEST(server.requests == 1);
}

BOOST_AUTO_TEST_SUITE_END()
