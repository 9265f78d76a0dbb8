// Numbers that are the whole of a text, independent of the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace plainfs {

// Returns the number; nullopt if the text is anything else, or beyond the range of the type. base: of
// integers, 10 unless it is given.
template <class Number, class... Base>
std::optional<Number> parsed_number(std::string_view text, Base... base) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base...);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace plainfs
