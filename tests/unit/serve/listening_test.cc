#include "fs/serve/http/listening.h"

#include <boost/test/unit_test.hpp>

#include "fs/command_line/exit_code.h"

namespace plainfs::serve {
namespace {

std::string parsed(const std::string& text) {
  const ListenAddress address = parse_listen_address(text);
  return address.address + " " + std::to_string(address.port);
}

BOOST_AUTO_TEST_SUITE(listening)

BOOST_AUTO_TEST_CASE(addresses_are_numbers) {
  BOOST_TEST(parsed("8080") == "127.0.0.1 8080");
  BOOST_TEST(parsed("0.0.0.0:80") == "0.0.0.0 80");
  BOOST_TEST(parsed("127.0.0.1") == "127.0.0.1 0");
  BOOST_TEST(parsed("[::1]:8080") == "::1 8080");
  BOOST_TEST(parsed("[::]") == ":: 0");
  for (const std::string wrong : {"", ":", "x", "localhost:80", "65536", "1.2.3.4:", "1.2.3.4:x",
                                  "1.2.3.4:65536", "::1", "[::1", "[::1]x80", "1.2.3", "1.2.3.4:80:80", "-1"})
    BOOST_CHECK_EXCEPTION(parse_listen_address(wrong), Failure, [&](const Failure& failure) {
      return failure.code() == kUsage &&
             std::string_view(failure.what()).find("--listen " + wrong + ":") != std::string_view::npos;
    });
}

BOOST_AUTO_TEST_CASE(loopback_addresses_are_recognised) {
  for (const char* const text : {"8080", "127.0.0.1:1", "127.3.4.5:1", "[::1]:1"})
    BOOST_TEST(parse_listen_address(text).is_loopback(), text);
  for (const char* const text : {"0.0.0.0:1", "192.168.1.1:1", "[::]:1", "12.7.0.0:1"})
    BOOST_TEST(!parse_listen_address(text).is_loopback(), text);
}

BOOST_AUTO_TEST_CASE(occupied_port_is_an_error) {
  ListenAddress address;
  const Descriptor socket = listen_at(address);
  BOOST_TEST(address.port > 0);
  BOOST_TEST(address_of(socket).address == "127.0.0.1");
  ListenAddress same = address;
  BOOST_CHECK_EXCEPTION(listen_at(same), Failure, [&](const Failure& failure) {
    return std::string_view(failure.what()).find(std::to_string(address.port)) != std::string_view::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::serve
