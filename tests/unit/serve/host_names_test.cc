#include "fs/serve/http/host_names.h"

#include <boost/test/unit_test.hpp>

namespace plainfs::serve {
namespace {

BOOST_AUTO_TEST_SUITE(host_names)

BOOST_AUTO_TEST_CASE(addresses_and_configured_names_are_hosts) {
  const HostNames hosts({"data.lab.example"});
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1:8080", "192.168.1.7:80", "[::1]", "[::1]:8080", "[fe80::1]:1", "localhost",
        "LocalHost:9", "localhost.", "data.lab.example", "DATA.lab.example:443", "localhost:"})
    BOOST_TEST(hosts.allows(host), host);
}

// A foreign name that resolves to this machine.
BOOST_AUTO_TEST_CASE(other_names_are_refused) {
  const HostNames hosts({"data.lab.example"});
  for (const char* const host : {"",
                                 "evil.example",
                                 "evil.example:8080",
                                 "127.0.0.1.evil.example",
                                 "localhost.evil.example",
                                 "lab.example",
                                 "xdata.lab.example",
                                 "127.0.0.1:8080x",
                                 "127.0.0.1:123456",
                                 "[::1",
                                 "[::1]x",
                                 "[::1]:x",
                                 "[evil]",
                                 "::1",
                                 "127.1",
                                 "2130706433",
                                 "0x7f.0.0.1",
                                 "user@127.0.0.1",
                                 "127.0.0.1/",
                                 "local host",
                                 "[127.0.0.1]"})
    BOOST_TEST(!hosts.allows(host), host);
}

BOOST_AUTO_TEST_CASE(origins_must_be_on_the_list) {
  const Origins some({"https://vitessce.io"}), all({"*"}), none({});
  BOOST_TEST(some.allows("https://vitessce.io"));
  for (const char* const origin : {"", "null", "http://vitessce.io", "https://vitessce.io.evil.example",
                                   "https://vitessce.io:444", "vitessce.io"})
    BOOST_TEST(!some.allows(origin), origin);
  BOOST_TEST(all.allows("https://anything.example"));
  BOOST_TEST(!all.allows(""));
  BOOST_TEST(!none.allows("https://vitessce.io"));
}

BOOST_AUTO_TEST_CASE(origins_are_written_as_browsers_send_them) {
  for (const char* const text : {"*", "https://a.example", "http://127.0.0.1:8000", "http://[::1]:3"})
    BOOST_TEST(is_origin(text), text);
  for (const char* const text : {"", "a.example", "https://", "https://a.example/", "https://a.example/x",
                                 "ftp://a", "https://a b", "https://a\r\nX: y"})
    BOOST_TEST(!is_origin(text), text);
}

BOOST_AUTO_TEST_CASE(port_of_a_host_name_is_ignored) {
  const HostNames hosts({"data.lab.example:8993", "evil:port"});
  BOOST_TEST(hosts.allows("data.lab.example:8993"));
  BOOST_TEST(hosts.allows("data.lab.example"));
  BOOST_TEST(!hosts.allows("evil"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
