// What a test expects of an error: BOOST_CHECK_EXCEPTION(read(), Error, says("over 64 bits")).
#pragma once

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>
#include <string_view>

namespace plainfs {

// Whether the message of an exception holds all of words; where it does not, it is shown.
inline auto says(std::string words) {
  return [words = std::move(words)](const std::exception& error) {
    const bool holds = std::string_view(error.what()).find(words) != std::string_view::npos;
    if (!holds) BOOST_TEST_MESSAGE("the message is '" << error.what() << "', without '" << words << "'");
    return holds;
  };
}

}  // namespace plainfs
