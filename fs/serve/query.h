// The query of a page's address ("page&color=CD3E&split=leiden"), as forms and links write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

class Query {
 public:
  // A "+" is a blank, as forms write it.
  explicit Query(std::string_view text);

  // The first value of that name, decoded; nullopt if there is none. A form sends every field: an empty
  // value is none.
  std::optional<std::string> value(std::string_view name) const;
  // Returns the value as a whole number; nullopt if there is none, or if it is no number below 2^63.
  std::optional<uint64_t> number(std::string_view name) const;
  // Returns the value as a finite number; nullopt if there is none, or if it is not one.
  std::optional<double> decimal(std::string_view name) const;
  bool has(std::string_view name) const;

  // The query with another value in place of that name's, or at the end; without the name if value is empty.
  Query with(std::string_view name, std::string_view value) const;
  // Returns a link that is relative to the page: "?page&color=CD3E". Its only character that HTML escapes is
  // "&".
  std::string href() const;
  // All names with their values, decoded, but those that a form has fields for.
  std::vector<std::pair<std::string, std::string>> rest(const std::vector<std::string>& fields) const;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> parts_;
};

}  // namespace plainfs::serve
