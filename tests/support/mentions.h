// A check of the message of an error: BOOST_CHECK_EXCEPTION(read(), Error, mentions("over 64 bits")).
#pragma once

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>
#include <string_view>

namespace plainfs {

// Returns a predicate that is true if the message of an exception contains all of `words`. Prints a message
// that does not.
inline auto mentions(std::string words) {
  return [words = std::move(words)](const std::exception& error) {
    const bool holds = std::string_view(error.what()).find(words) != std::string_view::npos;
    if (!holds) BOOST_TEST_MESSAGE("the message is '" << error.what() << "', without '" << words << "'");
    return holds;
  };
}

}  // namespace plainfs
