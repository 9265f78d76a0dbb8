#include "formats/core/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "cache/lazy.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_integer_token(std::string_view token) {
  if (!token.empty() && token[0] == '-') token.remove_prefix(1);
  return !token.empty() && std::all_of(token.begin(), token.end(), is_digit);
}

size_t skip_digits(std::string_view token, size_t at) {
  while (at < token.size() && is_digit(token[at])) ++at;
  return at;
}

// Returns whether `token` is a number by RFC 8259, section 6.
bool is_number_token(std::string_view token) {
  size_t at = token.starts_with('-') ? 1 : 0;
  size_t end = skip_digits(token, at);
  if (end == at || (token[at] == '0' && end > at + 1)) return false;
  at = end;
  if (at < token.size() && token[at] == '.') {
    end = skip_digits(token, at + 1);
    if (end == at + 1) return false;
    at = end;
  }
  if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
    ++at;
    if (at < token.size() && (token[at] == '+' || token[at] == '-')) ++at;
    end = skip_digits(token, at);
    if (end == at) return false;
    at = end;
  }
  return at == token.size();
}

bool is_bare_non_finite(std::string_view token) {
  return token == "NaN" || token == "Infinity" || token == "-Infinity";
}

bool in_token(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

// Returns the end of the string that begins at `quote`, just after its closing quote.
size_t end_of_string(std::string_view text, size_t quote) {
  size_t i = quote + 1;
  while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
  return std::min(i + 1, text.size());
}

// The number tokens of a JSON text, in order.
class NumberTokens {
 public:
  explicit NumberTokens(std::string_view text) : text_(text) {}

  // Returns the next token, nullopt after the last. Throws damaged if a token is neither a number nor a word
  // of JSON.
  std::optional<std::string_view> next() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        at_ = end_of_string(text_, at_);
      } else if (!in_token(text_[at_])) {
        ++at_;
      } else {
        const size_t begin = at_;
        while (at_ < text_.size() && in_token(text_[at_])) ++at_;
        const std::string_view token = text_.substr(begin, at_ - begin);
        if (token == "true" || token == "false" || token == "null") continue;
        if (!is_number_token(token) && !is_bare_non_finite(token))
          throw damaged("invalid JSON at byte {}: \"{}\"", begin, token.substr(0, 40));
        return token;
      }
    }
    return std::nullopt;
  }

 private:
  const std::string_view text_;
  size_t at_ = 0;
};

// Returns the text with every number replaced by a 0 and blanks of the same length. The parser does not keep
// the tokens of numbers, and refuses NaN and numbers beyond the range of a double. (rapidjson 1.1 returns
// tokens, in 0.6 of the time and 0.8 of the memory. But it also refuses 1e999 and integers of 400 digits in
// that form, and accepts "Inf" and half of a surrogate pair.)
std::string without_numbers(std::string_view text) {
  std::string result(text);
  NumberTokens tokens(text);
  while (const auto token = tokens.next()) {
    const auto begin = result.begin() + (token->data() - text.data());
    *begin = '0';
    std::fill(begin + 1, begin + static_cast<ptrdiff_t>(token->size()), ' ');
  }
  return result;
}

// Removes duplicate keys: the last value is kept, at the position of the first.
void drop_duplicates(Json::Object& members) {
  std::vector<size_t> order(members.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return members[a].first < members[b].first; });
  std::vector<char> dropped(members.size(), 0);
  bool any = false;
  for (size_t i = 0; i < order.size();) {
    size_t end = i + 1;
    while (end < order.size() && members[order[end]].first == members[order[i]].first) ++end;
    if (end > i + 1) members[order[i]].second = std::move(members[order[end - 1]].second);
    for (size_t k = i + 1; k < end; ++k) dropped[order[k]] = 1;
    any = any || end > i + 1;
    i = end;
  }
  if (!any) return;
  size_t kept = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (dropped[i]) continue;
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

enum class Packing { none_of_the_root, all };

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, size_t max_depth, Packing packing)
      : tokens_(text), max_depth_(max_depth), packing_(packing) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t) override { return add_number(); }
  bool number_unsigned(number_unsigned_t) override { return add_number(); }
  bool number_float(number_float_t, const string_t&) override { return add_number(); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool start_object(size_t) override { return open(Json::Object()); }
  bool start_array(size_t) override {
    if (open_.empty() && packing_ == Packing::none_of_the_root) return open(Json::List());
    return open(JsonList());
  }
  bool end_object() override {
    Json::Object members = std::get<Json::Object>(std::move(open_.back().value));
    drop_duplicates(members);
    return close(std::move(members), open_.back().values + 1);
  }
  bool end_array() override {
    if (auto* const plain = std::get_if<Json::List>(&open_.back().value)) return close(std::move(*plain), 1);
    JsonList& list = std::get<JsonList>(open_.back().value);
    const size_t values = list.plain_values() + 1;
    return close(list.take(), values);
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw damaged("invalid JSON at byte {}", position);
  }

 private:
  struct Open {
    std::variant<Json::Object, JsonList, Json::List> value;
    std::string key;    // of the next member
    size_t values = 0;  // in the members of an object, at all depths, that are not packed
  };

  bool add_number() {
    const std::optional<std::string_view> token = tokens_.next();
    return token && add(Json::Number{std::string(*token)});
  }

  // values: the number of values in `value` that are not packed, itself included
  bool add(Json value, size_t values = 1) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (auto* const members = std::get_if<Json::Object>(&open_.back().value)) {
      members->emplace_back(std::move(open_.back().key), std::move(value));
      open_.back().values += values;
      check_total(values);
    } else if (auto* const list = std::get_if<JsonList>(&open_.back().value)) {
      list->add(std::move(value), values);
    } else {
      std::get<Json::List>(open_.back().value).push_back(std::move(value));
    }
    return true;
  }
  void check_total(size_t more) {
    total_ += more;
    if (total_ > kMaxParsedValues) throw unsupported("JSON of more than {} values", kMaxParsedValues);
  }
  template <class Value>
  bool open(Value value) {
    if (open_.size() >= max_depth_) throw damaged("JSON is nested deeper than {}", max_depth_);
    open_.emplace_back();
    open_.back().value.template emplace<Value>(std::move(value));
    return true;
  }
  bool close(Json value, size_t values) {
    total_ -= open_.back().values;  // adding to an object counts them again, a list packs them
    open_.pop_back();
    return add(std::move(value), values);
  }

  NumberTokens tokens_;
  const size_t max_depth_;
  const Packing packing_;
  size_t total_ = 0;  // of the values in open objects
  std::vector<Open> open_;
  Json root_;
};

// Returns the number of values that are not packed, `value` included.
size_t plain_values_in(const Json& value) {
  size_t count = 1;
  if (const Json::Object* const members = value.object())
    for (const auto& [key, member] : *members) count += plain_values_in(member);
  else if (const Json::List* const items = value.packed() ? nullptr : value.list())
    for (const Json& item : *items) count += plain_values_in(item);
  return count;
}

Json parse(std::string_view text, size_t max_depth, Packing packing) {
  const std::string numberless = without_numbers(text);
  Builder builder(text, max_depth, packing);
  if (!nlohmann::json::sax_parse(numberless, &builder)) throw damaged("invalid JSON");
  return builder.take();
}

// Parses a number in JSON's spelling, or an infinity or NaN. Returns nullopt for anything else. Beyond the
// range of double the result is an infinity or 0.
std::optional<double> to_double(const std::string& token) {
#ifdef __cpp_lib_to_chars
  double value;  // from_chars accepts "Infinity", "Inf" and "NaN" too
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error == std::errc::invalid_argument || end != token.data() + token.size()) return std::nullopt;
  if (error != std::errc::result_out_of_range) return value;
  return std::strtod(token.c_str(), nullptr);
#else
  // libc++ before 20 has from_chars for integers only. The program sets no locale, so the decimal separator
  // is a point.
  char* end = nullptr;
  const double value = std::strtod(token.c_str(), &end);
  if (token.empty() || end != token.c_str() + token.size()) return std::nullopt;
  return value;
#endif
}

void write_escape(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

void write_json_number(const Json::Number& number, std::string& out) {
  if (is_integer_token(number.token)) {
    out += number.token;
    return;
  }
  const double value = Json(number).as_double().value_or(std::numeric_limits<double>::quiet_NaN());
  if (std::isfinite(value)) return append_number(value, out);
  out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

}  // namespace

struct Json::PackedList {
  std::vector<std::string> pieces;  // JSON texts of lists: some items each, none packed
  uint64_t count = 0;               // of all items
  bool has_objects = false;
  Lazy<List> unpacked;

  List items_of(size_t piece) const {
    Json list = parse(pieces[piece], SIZE_MAX, Packing::none_of_the_root);
    return std::move(*list.list());
  }
  List all_items() const {
    if (count > kMaxUnpackedItems)
      throw unsupported("a list of {} items, expected at most {}", count, kMaxUnpackedItems);
    List all;
    all.reserve(count);
    for (size_t i = 0; i < pieces.size(); ++i)
      for (Json& item : items_of(i)) all.push_back(std::move(item));
    return all;
  }
};

Json Json::of(double value) {
  if (std::isnan(value)) return Number{"NaN"};
  if (std::isinf(value)) return Number{value > 0 ? "Infinity" : "-Infinity"};
  char text[kNumberTextMax];
  return Number{std::string(text, write_number(text, value))};
}

std::optional<int64_t> Json::as_int64() const {
  return number() ? parsed_number<int64_t>(number()->token) : std::nullopt;
}

std::optional<uint64_t> Json::as_uint64() const {
  if (!number()) return std::nullopt;
  return number()->token == "-0" ? 0 : parsed_number<uint64_t>(number()->token);
}

std::optional<double> Json::as_double() const {
  if (!number()) return std::nullopt;
  return to_double(number()->token);
}

const Json* Json::find(std::string_view key) const {
  if (!object()) return nullptr;
  for (auto member = object()->rbegin(); member != object()->rend(); ++member)
    if (member->first == key) return &member->second;
  return nullptr;
}

Json parse_json(std::string_view text, size_t max_depth) {
  return parse(text, max_depth, Packing::all);
}

void write_json_text(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const unsigned char c = static_cast<unsigned char>(text[0]);
    size_t length = utf8_length(text);
    if (c < 0x20 || c == '"' || c == '\\')
      write_escape(text[0], out);
    else if (length == 0)
      out += "\uFFFD";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

namespace {

// Appends compact JSON, with numbers as write_number(number, out) appends them.
template <class WriteNumber>
void write_value(const Json& value, std::string& out, WriteNumber&& write_number) {
  const auto write_items = [&](const Json::List& items, bool is_first) {
    for (const Json& item : items) {
      if (!std::exchange(is_first, false)) out += ',';
      write_value(item, out, write_number);
    }
  };
  if (value.is_null()) {
    out += "null";
  } else if (const bool* boolean = value.boolean()) {
    out += *boolean ? "true" : "false";
  } else if (const Json::Number* number = value.number()) {
    write_number(*number, out);
  } else if (const std::string* text = value.text()) {
    write_json_text(*text, out);
  } else if (const Json::PackedList* packed = value.packed()) {
    out += '[';
    for (size_t i = 0; i < packed->pieces.size(); ++i) write_items(packed->items_of(i), i == 0);
    out += ']';
  } else if (const Json::List* list = value.list()) {
    out += '[';
    write_items(*list, true);
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *value.object()) {
      if (!std::exchange(first, false)) out += ',';
      write_json_text(key, out);
      out += ':';
      write_value(member, out, write_number);
    }
    out += '}';
  }
}

// Appends JSON that parse_json() reads as the same value, with numbers as they were written.
void write_exact_json(const Json& value, std::string& out) {
  write_value(value, out, [](const Json::Number& number, std::string& text) { text += number.token; });
}

}  // namespace

void write_json(const Json& value, std::string& out) {
  write_value(value, out, write_json_number);
}

void for_each_item(const Json& list, const std::function<void(const Json&)>& use) {
  const auto use_all = [&](const Json::List& items) { std::for_each(items.begin(), items.end(), use); };
  const Json::PackedList* const packed = list.packed();
  if (!packed) return use_all(*list.list());
  for (size_t i = 0; i < packed->pieces.size(); ++i) use_all(packed->items_of(i));
}

void check_utf8(const Json& value) {
  if (value.packed()) return;  // a packed list has no other text
  if (const std::string* text = value.text()) check_utf8(std::string_view(*text));
  if (const Json::List* list = value.list())
    for (const Json& item : *list) check_utf8(item);
  if (const Json::Object* object = value.object()) {
    for (const auto& [key, member] : *object) {
      check_utf8(std::string_view(key));
      check_utf8(member);
    }
  }
}

const Json::List* Json::list() const {
  if (const PackedList* const list = packed()) return &list->unpacked.get([&] { return list->all_items(); });
  return std::get_if<List>(&value_);
}

Json::List* Json::list() {
  if (packed()) value_ = List(*std::as_const(*this).list());
  return std::get_if<List>(&value_);
}

const Json& Json::only_item() const {
  const List* const list = std::get_if<List>(&value_);
  return list && list->size() == 1 ? list->front() : *this;
}

bool Json::list_has_objects() const {
  if (const PackedList* const list = packed()) return list->has_objects;
  const List* const list = std::get_if<List>(&value_);
  return list && std::any_of(list->begin(), list->end(),
                             [](const Json& item) { return item.object() || item.list_has_objects(); });
}

bool Json::operator==(const Json& other) const {
  if (!packed() && !other.packed()) return value_ == other.value_;
  if (!is_list() || !other.is_list()) return false;
  std::string ours, theirs;
  write_exact_json(*this, ours);
  write_exact_json(other, theirs);
  return ours == theirs;
}

JsonList::JsonList() = default;
JsonList::~JsonList() = default;
JsonList::JsonList(JsonList&&) noexcept = default;

void JsonList::add(Json item) {
  const size_t values = plain_values_in(item);
  add(std::move(item), values);
}

void JsonList::add(Json item, size_t values) {
  items_.push_back(std::move(item));
  values_ += values;
  if (values_ > kMaxPlainValues && can_be_packed_) pack();
}

Json JsonList::take() {
  if (!packed_) return std::move(items_);
  if (!items_.empty()) pack();
  return packed_ ? Json(std::shared_ptr<const Json::PackedList>(std::move(packed_)))
                 : Json(std::move(items_));
}

namespace {

// Returns whether parse_json() can read the value back from its exact text.
bool can_be_text(const Json& value) {
  if (value.packed()) return true;
  if (const std::string* const text = value.text()) return is_utf8(*text);
  if (const Json::Number* const number = value.number())
    return is_number_token(number->token) || is_bare_non_finite(number->token);
  if (const Json::List* const items = value.list())
    return std::all_of(items->begin(), items->end(), can_be_text);
  const Json::Object* const members = value.object();
  return !members || std::all_of(members->begin(), members->end(), [](const auto& member) {
    return is_utf8(member.first) && can_be_text(member.second);
  });
}

}  // namespace

void JsonList::pack() {
  if (!std::all_of(items_.begin(), items_.end(), can_be_text)) return unpack();
  if (!packed_) packed_ = std::make_unique<Json::PackedList>();
  const Json items(std::move(items_));
  packed_->pieces.emplace_back();
  write_exact_json(items, packed_->pieces.back());
  packed_->pieces.back().shrink_to_fit();
  packed_->count += items.list()->size();
  packed_->has_objects = packed_->has_objects || items.list_has_objects();
  items_.clear();
  values_ = 0;
}

void JsonList::unpack() {
  can_be_packed_ = false;
  if (!packed_) return;
  Json::List all = packed_->all_items();
  std::move(items_.begin(), items_.end(), std::back_inserter(all));
  items_ = std::move(all);
  packed_.reset();
}

std::string to_json_text(const Json& value) {
  std::string out;
  write_json(value, out);
  return out;
}

}  // namespace plainfs
