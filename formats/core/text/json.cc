#include "formats/core/text/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "formats/core/text/number_text.h"
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

// A text with its numbers replaced. The parser does not keep the tokens of numbers, and refuses NaN and
// numbers beyond the range of a double. So every number is moved to a list, in order, and replaced by a 0 and
// blanks of the same length. (rapidjson 1.1 returns tokens, in 0.6 of the time and 0.8 of the memory. But it
// also refuses 1e999 and integers of 400 digits in that form, and accepts "Inf" and half of a surrogate
// pair.)
struct NumbersTakenOut {
  std::string text;
  std::vector<std::string_view> tokens;
};

NumbersTakenOut take_numbers_out(std::string_view text) {
  NumbersTakenOut result{std::string(text), {}};
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (in_token(c)) {
      size_t end = i + 1;
      while (end < text.size() && in_token(text[end])) ++end;
      const std::string_view token = text.substr(i, end - i);
      const bool word = token == "true" || token == "false" || token == "null";
      if (!word && !is_number_token(token) && !is_bare_non_finite(token))
        throw damaged("invalid JSON at byte {}: \"{}\"", i, token.substr(0, 40));
      if (!word) {
        result.tokens.push_back(token);
        result.text[i] = '0';
        std::fill(result.text.begin() + i + 1, result.text.begin() + end, ' ');
      }
      i = end - 1;
    }
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

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::vector<std::string_view>& tokens, size_t max_depth)
      : tokens_(tokens), max_depth_(max_depth) {}

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
  bool start_array(size_t) override { return open(Json::List()); }
  bool end_object() override {
    drop_duplicates(*open_.back().value.object());
    return close();
  }
  bool end_array() override { return close(); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw damaged("invalid JSON at byte {}", position);
  }

 private:
  struct Open {
    Json value;
    std::string key;  // of the next member
  };

  bool add_number() { return add(Json::Number{std::string(tokens_[next_token_++])}); }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (Json::Object* members = open_.back().value.object()) {
      members->emplace_back(std::move(open_.back().key), std::move(value));
    } else {
      open_.back().value.list()->push_back(std::move(value));
    }
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= max_depth_) throw damaged("JSON is nested deeper than {}", max_depth_);
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  const std::vector<std::string_view>& tokens_;
  const size_t max_depth_;
  size_t next_token_ = 0;
  std::vector<Open> open_;
  Json root_;
};

template <class T>
std::optional<T> exact_integer(std::string_view token) {
  T value{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc{} || end != token.data() + token.size()) return std::nullopt;
  return value;
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
  if (std::isfinite(value)) {
    char text[kNumberTextMax];
    out.append(text, write_number(text, value));
    return;
  }
  out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
}

}  // namespace

Json Json::of(double value) {
  if (std::isnan(value)) return Number{"NaN"};
  if (std::isinf(value)) return Number{value > 0 ? "Infinity" : "-Infinity"};
  char text[kNumberTextMax];
  return Number{std::string(text, write_number(text, value))};
}

std::optional<int64_t> Json::as_int64() const {
  return number() ? exact_integer<int64_t>(number()->token) : std::nullopt;
}

std::optional<uint64_t> Json::as_uint64() const {
  if (!number()) return std::nullopt;
  return number()->token == "-0" ? 0 : exact_integer<uint64_t>(number()->token);
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
  const NumbersTakenOut numbers = take_numbers_out(text);
  Builder builder(numbers.tokens, max_depth);
  if (!nlohmann::json::sax_parse(numbers.text, &builder)) throw damaged("invalid JSON");
  return builder.take();
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

void write_json(const Json& value, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else if (const bool* boolean = value.boolean()) {
    out += *boolean ? "true" : "false";
  } else if (const Json::Number* number = value.number()) {
    write_json_number(*number, out);
  } else if (const std::string* text = value.text()) {
    write_json_text(*text, out);
  } else if (const Json::List* list = value.list()) {
    out += '[';
    for (size_t i = 0; i < list->size(); ++i) {
      if (i) out += ',';
      write_json((*list)[i], out);
    }
    out += ']';
  } else {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *value.object()) {
      if (!first) out += ',';
      first = false;
      write_json_text(key, out);
      out += ':';
      write_json(member, out);
    }
    out += '}';
  }
}

void check_utf8(const Json& value) {
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

std::string to_json_text(const Json& value) {
  std::string out;
  write_json(value, out);
  return out;
}

}  // namespace plainfs
