// A JSON value that keeps numbers as written and the order of objects. nlohmann-json does the parsing. This
// type exists because real stores contain bare NaN and Infinity tokens (Zarr attributes written by Python)
// and integers beyond 64 bits, which common JSON values cannot represent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "formats/core/base/error.h"

namespace plainfs {

class Json {
 public:
  struct Number {
    std::string token;  // as written: "1", "1e3", "NaN", "Infinity", "-Infinity"
    bool operator==(const Number&) const = default;
  };
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() : value_(nullptr) {}
  Json(std::nullptr_t) : value_(nullptr) {}
  Json(bool value) : value_(value) {}
  Json(Number value) : value_(std::move(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(List value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  static Json of(int64_t value) { return Number{std::to_string(value)}; }
  static Json of(uint64_t value) { return Number{std::to_string(value)}; }
  static Json of(double value);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Number* number() const { return std::get_if<Number>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  List* list() { return std::get_if<List>(&value_); }
  Object* object() { return std::get_if<Object>(&value_); }

  // Returns the exact integer; nullopt if the value is not an integer or does not fit.
  std::optional<int64_t> as_int64() const;
  std::optional<uint64_t> as_uint64() const;
  // Returns any number, bare NaN and Infinity included.
  std::optional<double> as_double() const;

  // Returns the member of an object (the last one of that name, like Python), or null.
  const Json* find(std::string_view key) const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, List, Object> value_;
};

// Returns the first item of a list; null if `list` is null, empty or no list.
inline const Json* first_in(const Json* list) {
  return list && list->list() && !list->list()->empty() ? &list->list()->front() : nullptr;
}

// Parses JSON. Accepts bare NaN, Infinity and -Infinity. Of duplicate keys the last value is kept, at the
// position of the first. Throws Error(damaged) with the line or byte. Nesting deeper than max_depth is damage
// too.
Json parse_json(std::string_view text, size_t max_depth = 256);

// Appends compact JSON: no blanks, key order kept, text as UTF-8 with only the escapes that JSON requires
// (bytes that are not UTF-8 become U+FFFD). Integer tokens are kept; other numbers are formatted as in
// number_text.h. Not-a-number and the infinities become the strings "NaN", "Infinity", "-Infinity" (or "Inf",
// "-Inf" if that is the token).
void write_json(const Json& value, std::string& out);
std::string to_json_text(const Json& value);
// Throws damaged if a text or a key in `value` is not UTF-8, so that JSON cannot represent it.
void check_utf8(const Json& value);
// Appends `text` as a JSON string, with its quotes.
void write_json_text(std::string_view text, std::string& out);

}  // namespace plainfs
