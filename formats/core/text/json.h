// A JSON value whose numbers stay as they were written and whose objects keep their order. nlohmann-json does
// the parsing; this type exists because genuine stores hold bare NaN and Infinity tokens (Zarr attributes
// written by Python) and integers beyond 64 bits, which no common JSON value can keep.
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

  // Exact integers; nullopt where the value is no integer number or does not fit.
  std::optional<int64_t> as_int64() const;
  std::optional<uint64_t> as_uint64() const;
  // Any number, bare NaN and Infinity included.
  std::optional<double> as_double() const;

  // The member of an object (the last one of that name, as Python has it), or null.
  const Json* find(std::string_view key) const;

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, List, Object> value_;
};

// Bare NaN, Infinity and -Infinity are accepted; of duplicate keys the last value stays, in the first one's
// place. Throws Error(damaged) with the line or byte; nesting deeper than max_depth is damage too.
Json parse_json(std::string_view text, size_t max_depth = 256);

// Compact JSON: no blanks, key order kept, text as UTF-8 with only the escapes JSON needs (bytes that are not
// UTF-8 become U+FFFD). Integer tokens stay; other numbers are laid out as number_text.h does. Not-a-number
// and the infinities become the strings "NaN", "Infinity", "-Infinity" (or "Inf", "-Inf" where that is the
// token).
void write_json(const Json& value, std::string& out);
std::string to_json_text(const Json& value);
// Throws damaged where a text or a key in value is not UTF-8, so that JSON cannot hold it.
void check_utf8(const Json& value);
// text as a JSON string, with its quotes.
void write_json_text(std::string_view text, std::string& out);

}  // namespace plainfs
