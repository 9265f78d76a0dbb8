// A JSON value that keeps numbers as written and the order of objects. nlohmann-json does the parsing. This
// type exists because real stores contain bare NaN and Infinity tokens (Zarr attributes written by Python)
// and integers beyond 64 bits, which common JSON values cannot represent.
#pragma once

#include <cstdint>
#include <memory>
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
  const Object* object() const { return std::get_if<Object>(&value_); }
  Object* object() { return std::get_if<Object>(&value_); }
  bool is_list() const { return std::holds_alternative<List>(value_) || packed(); }
  // Returns the items of a list, else null. Unpacks a packed list, and keeps its items as long as there are
  // copies of it. Throws unsupported if a packed list has more than kMaxUnpackedItems.
  const List* list() const;
  List* list();
  // Returns the item of a list of one item; otherwise this value. Does not unpack.
  const Json& only_item() const;
  // Returns whether a list contains an object at any depth. Does not unpack.
  bool list_has_objects() const;

  // Returns the exact integer; nullopt if the value is not an integer or does not fit.
  std::optional<int64_t> as_int64() const;
  std::optional<uint64_t> as_uint64() const;
  // Returns any number, bare NaN and Infinity included.
  std::optional<double> as_double() const;

  // Returns the member of an object (the last one of that name, like Python), or null.
  const Json* find(std::string_view key) const;

  bool operator==(const Json& other) const;

  // A list in packed form. See JsonList.
  struct PackedList;
  explicit Json(std::shared_ptr<const PackedList> list) : value_(std::move(list)) {}
  // Returns the list if it is packed, else null.
  const PackedList* packed() const {
    const auto* const held = std::get_if<Packed>(&value_);
    return held ? held->get() : nullptr;
  }

 private:
  using Packed = std::shared_ptr<const PackedList>;

  std::variant<std::nullptr_t, bool, Number, std::string, List, Object, Packed> value_;
};

// The largest number of items in a packed list that Json::list() unpacks.
inline constexpr uint64_t kMaxUnpackedItems = uint64_t{1} << 20;

// A list that is built item by item. A Json of its own takes 40 bytes, even for a digit. Therefore a list of
// more than kMaxPlainValues values, at all depths together, is packed: it is held as the text of its items.
// A list with text that is not UTF-8 is not packed.
class JsonList {
 public:
  static constexpr size_t kMaxPlainValues = 1024;

  JsonList();
  ~JsonList();
  JsonList(JsonList&&) noexcept;

  void add(Json item);
  // Adds an item that contains `values` values that are not packed, itself included.
  void add(Json item, size_t values);
  // Returns the number of values that are not packed.
  size_t plain_values() const { return values_; }
  // Returns the list. Requires that nothing is added afterwards.
  Json take();

 private:
  void pack();
  void unpack();

  Json::List items_;   // those that are not packed
  size_t values_ = 0;  // in items_, at all depths
  bool can_be_packed_ = true;
  std::unique_ptr<Json::PackedList> packed_;  // the items before items_
};

// Returns the first item of a list; null if `list` is null, empty or no list.
inline const Json* first_in(const Json* list) {
  return list && list->list() && !list->list()->empty() ? &list->list()->front() : nullptr;
}

// The largest number of values outside packed lists that parse_json() accepts.
inline constexpr size_t kMaxParsedValues = size_t{1} << 24;

// Parses JSON, with large lists packed. Accepts bare NaN, Infinity and -Infinity. Of duplicate keys the last
// value is kept, at the position of the first. Throws Error(damaged) with the line or byte. Nesting deeper
// than max_depth is damage too. Throws unsupported if there are more than kMaxParsedValues.
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
