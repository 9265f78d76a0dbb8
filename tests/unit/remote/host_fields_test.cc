#include "formats/core/remote/host_fields.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"

namespace plainfs::remote {
namespace {

struct Fixture {
  TemporaryDirectory folder;
  std::string home = folder.path("home");
  Profile variables{{"HOME", home}};

  std::string written(const std::string& name, const std::string& text) const {
    const std::string path = folder.path(name);
    std::ofstream(path) << text;
    return path;
  }
  HostFields fields(const std::string& own, const std::string& lines = "") const {
    return {parse_url(own), lines.empty() ? "" : written("fields", lines),
            [this](const std::string& name) { return value_of(variables, name); }};
  }
  static std::vector<std::string> sent(const HostFields& fields, const std::string& url) {
    return fields.of(parse_url(url));
  }
};

using Texts = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(host_fields, Fixture)

BOOST_AUTO_TEST_CASE(fields_go_to_their_host_and_port_only) {
  const HostFields known =
      fields("https://data.lab:8443/x.h5",
             "# tokens\n\nData.Lab  X-Key:  a b \r\nother.lab:444 Authorization: Bearer t\n"
             "login.lab X-Key: c\n");
  BOOST_TEST(sent(known, "https://data.lab:8443/y") == Texts{"X-Key:  a b"});
  BOOST_TEST(sent(known, "https://DATA.lab:8443/y") == Texts{"X-Key:  a b"});
  BOOST_TEST(sent(known, "https://data.lab/y") == Texts{});
  BOOST_TEST(sent(known, "https://data.lab.evil:8443/y") == Texts{});
  BOOST_TEST(sent(known, "https://other.lab:444/") == Texts{"Authorization: Bearer t"});
  BOOST_TEST(sent(known, "https://other.lab/") == Texts{});
  BOOST_TEST(sent(known, "https://login.lab/") == Texts{"X-Key: c"});
  BOOST_TEST(sent(known, "http://login.lab:443/") == Texts{});
}

BOOST_AUTO_TEST_CASE(plain_http_carries_fields_to_this_machine_only) {
  BOOST_TEST(sent(fields("http://127.0.0.1:8000/x", "127.0.0.1 X-Key: a"), "http://127.0.0.1:8000/y") ==
             Texts{"X-Key: a"});
  BOOST_CHECK_EXCEPTION(fields("http://data.lab/x", "data.lab X-Key: secret"), Error, [](const Error& error) {
    return mentions("over https only")(error) && !mentions("secret")(error);
  });
}

BOOST_AUTO_TEST_CASE(invalid_line_is_an_error_without_its_text) {
  for (const auto& [line, reason] : {std::pair{"data.lab", "expected HOST[:PORT] NAME: VALUE"},
                                     {"data.lab secret", "expected HOST[:PORT] NAME: VALUE"},
                                     {"data.lab Authori zation: secret", "expected HOST[:PORT] NAME: VALUE"},
                                     {"data.lab : secret", "expected HOST[:PORT] NAME: VALUE"},
                                     {"data.lab/path X: secret", "the host is not valid"},
                                     {"me:secret@data.lab X: y", "the host is not valid"},
                                     {"data.lab X: secret\x01", "a control character"},
                                     {"data.lab Range: secret", "plainfs sets this field itself"}}) {
    const std::string why = std::string("line 2: ") + reason;
    BOOST_CHECK_EXCEPTION(
        fields("https://data.lab/x", std::string("\n") + line), Error,
        [&](const Error& error) { return mentions(why)(error) && !mentions("secret")(error); });
  }
  BOOST_CHECK_EXCEPTION(HostFields(parse_url("https://data.lab/x"), folder.path("none"),
                                   [](const std::string&) { return std::string(); }),
                        Error, mentions("cannot be read"));
}

BOOST_AUTO_TEST_CASE(tokens_of_services_come_from_the_environment) {
  variables["HF_TOKEN"] = "hf_x";
  variables["EARTHDATA_TOKEN"] = "e";
  const HostFields known = fields("https://huggingface.co/x");
  BOOST_TEST(sent(known, "https://huggingface.co/y") == Texts{"Authorization: Bearer hf_x"});
  BOOST_TEST(sent(known, "https://cdn-lfs.huggingface.co/y") == Texts{});
  BOOST_TEST(sent(known, "https://data.lpdaac.earthdatacloud.nasa.gov/y") ==
             Texts{"Authorization: Bearer e"});
  BOOST_TEST(sent(known, "https://earthdatacloud.nasa.gov.evil/y") == Texts{});
  BOOST_TEST(sent(fields("https://huggingface.co/x", "huggingface.co Authorization: Bearer mine"),
                  "https://huggingface.co/y") == Texts{"Authorization: Bearer mine"});
}

BOOST_AUTO_TEST_CASE(netrc_is_used_for_the_store_and_for_named_hosts) {
  ::mkdir(home.c_str(), 0700);
  std::ofstream(home + "/.netrc") << "machine login.lab login ann password x\ndefault login a password b\n";
  const HostFields known = fields("https://data.lab/x");
  for (const auto& [url, may] : {std::pair{"https://data.lab/y", true},
                                 {"https://data.lab:444/y", false},
                                 {"http://data.lab/y", false},
                                 {"https://login.lab/y", true},
                                 {"https://login.lab:444/y", true},
                                 {"http://login.lab/y", false},
                                 {"https://other.lab/y", false}})
    BOOST_TEST(known.may_use_netrc(parse_url(url)) == may, url);
}

BOOST_AUTO_TEST_CASE(hosts_of_a_netrc_are_its_machines) {
  BOOST_TEST(hosts_of_netrc("machine A login x password y\nmachine\nb login machine password machine\n") ==
             (Texts{"a", "b"}));
  BOOST_TEST(hosts_of_netrc("machine a login x password \"machine e\\\" machine f\" machine c") ==
             (Texts{"a", "c"}));
  BOOST_TEST(hosts_of_netrc("default login x password y # machine d\n# machine e\n") == Texts{});
  BOOST_TEST(hosts_of_netrc("machine a\nmacdef init\nmachine b\ncd x\n\nmachine c") == (Texts{"a", "c"}));
  BOOST_TEST(hosts_of_netrc("machine") == Texts{});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs::remote
