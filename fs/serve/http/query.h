// The query of a page's address ("page&color=CD3E&split=leiden"), in the form that forms and links write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plainfs::serve {

// An exception for a query that a file cannot follow, which is answered with 400. It is no Error: the store
// is sound.
struct InvalidQuery {
  std::string what;
};

class Query {
 public:
  // A "+" is a blank, as in forms.
  explicit Query(std::string_view text);

  // Returns the first value of that name, decoded; nullopt if it is absent or empty, as a form sends every
  // field.
  std::optional<std::string> value(std::string_view name) const;
  // Returns all values of that name, decoded, without empty ones.
  std::vector<std::string> values(std::string_view name) const;
  // Returns the value as an integer; nullopt if it is absent or no number below 2^63.
  std::optional<uint64_t> number(std::string_view name) const;
  // Returns the value as a finite number; nullopt if it is absent or not a finite number.
  std::optional<double> decimal(std::string_view name) const;
  bool has(std::string_view name) const;

  // Returns the query with `value` in place of that name's value, or appended. An empty value removes the
  // name.
  Query with(std::string_view name, std::string_view value) const;
  // Returns the query with one more value of that name.
  Query with_more(std::string_view name, std::string_view value) const;
  // Returns the query with these names alone.
  Query only(const std::vector<std::string>& names) const;
  // Returns a link relative to the page: "?page&color=CD3E". The only character in it that HTML escapes is
  // "&".
  std::string href() const;
  // Returns all names with their decoded values, except those in `fields`, which the form sends itself.
  std::vector<std::pair<std::string, std::string>> rest(const std::vector<std::string>& fields) const;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> parts_;
};

}  // namespace plainfs::serve
