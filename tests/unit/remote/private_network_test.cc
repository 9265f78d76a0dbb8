#include "formats/core/remote/url.h"

#include <boost/test/unit_test.hpp>
#include <map>

using namespace plainfs;
using namespace plainfs::remote;

namespace {

bool goes_by_proxy_of(const std::string& url, std::map<std::string, std::string> variables) {
  return goes_by_proxy(parse_url(url), [&](const std::string& name) { return variables[name]; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(private_network)

BOOST_AUTO_TEST_CASE(addresses_of_this_machine_and_of_private_networks) {
  for (const char* host :
       {"0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
        "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.168.1.1", "192.0.0.8",
        "198.18.0.1", "198.19.255.255", "224.0.0.1", "240.0.0.1", "255.255.255.255"})
    BOOST_TEST(is_private_host(host), host);
  for (const char* host :
       {"::", "::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8",
        "2002:7f00:1::", "[::1]", "[fd00::1]", "[::ffff:192.168.0.1]"})
    BOOST_TEST(is_private_host(host), host);
}

BOOST_AUTO_TEST_CASE(addresses_just_outside_private_ranges_are_public) {
  for (const char* host :
       {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"})
    BOOST_TEST(!is_private_host(host), host);
  for (const char* host : {"2606:2800:220:1:248:1893:25c8:1946", "[2a00::1]", "fbff::1", "fe00::1",
                           "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::"})
    BOOST_TEST(!is_private_host(host), host);
}

BOOST_AUTO_TEST_CASE(address_is_recognised_in_any_form_of_the_system) {
  for (const char* host :
       {"2130706433", "127.1", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.", "[::1]", "[FD00::1]"})
    BOOST_TEST(is_private_host(host), host);
  BOOST_TEST(!is_private_host("0x08080808"));
}

BOOST_AUTO_TEST_CASE(localhost_is_the_only_known_name) {
  for (const char* host : {"localhost", "LocalHost", "localhost.", "store.localhost"})
    BOOST_TEST(is_private_host(host), host);
  for (const char* host : {"", "localhost.example", "notlocalhost", "10.0.0.1.example", "fd00.example"})
    BOOST_TEST(!is_private_host(host), host);
}

BOOST_AUTO_TEST_CASE(a_proxy_is_the_one_of_the_scheme_or_of_all) {
  BOOST_TEST(!goes_by_proxy_of("https://host/", {}));
  BOOST_TEST(goes_by_proxy_of("https://host/", {{"HTTPS_PROXY", "http://proxy"}}));
  BOOST_TEST(goes_by_proxy_of("https://host/", {{"all_proxy", "http://proxy"}}));
  BOOST_TEST(!goes_by_proxy_of("https://host/", {{"http_proxy", "http://proxy"}}));
  BOOST_TEST(goes_by_proxy_of("http://host/", {{"http_proxy", "http://proxy"}}));
  BOOST_TEST(!goes_by_proxy_of("http://host/", {{"HTTP_PROXY", "http://proxy"}}));
}

BOOST_AUTO_TEST_CASE(no_proxy_covers_names_and_subdomains) {
  const auto goes = [](const std::string& host, const std::string& past) {
    return goes_by_proxy_of("http://" + host + "/", {{"http_proxy", "http://proxy"}, {"NO_PROXY", past}});
  };
  BOOST_TEST(!goes("host", "*"));
  BOOST_TEST(!goes("data.Lab.example", "other, .lab.example"));
  BOOST_TEST(!goes("lab.example.", "lab.example other"));
  BOOST_TEST(goes("mylab.example", "lab.example"));
  BOOST_TEST(goes("lab.example.org", "lab.example"));
}

BOOST_AUTO_TEST_SUITE_END()
