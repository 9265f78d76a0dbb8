#include "fs/native/python_json.h"

#include <algorithm>

#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

void write_unit(uint32_t unit, std::string& out) {
  out += fmt::format("\\u{:04x}", unit);
}

void write_text(std::string_view text, std::string& out) {
  check_utf8(text);
  out += '"';
  for (const uint32_t code : code_points(text)) {
    constexpr std::string_view kNamed = "\"\\\n\r\t\f\b", kNames = "\"\\nrtfb";
    const size_t named = code < 0x80 ? kNamed.find(static_cast<char>(code)) : kNamed.npos;
    if (named != kNamed.npos) {
      out += '\\';
      out += kNames[named];
    } else if (code >= 0x20 && code < 0x7f) {
      out += static_cast<char>(code);
    } else if (code < 0x10000) {
      write_unit(code, out);
    } else {
      write_unit(0xd800 + ((code - 0x10000) >> 10), out);
      write_unit(0xdc00 + ((code - 0x10000) & 0x3ff), out);
    }
  }
  out += '"';
}

class Printer {
 public:
  void write(const Json& value) {
    if (const auto* list = value.list()) {
      write_all('[', ']', *list, [&](const Json& item) { write(item); });
    } else if (const auto* object = value.object()) {
      std::vector<const Json::Object::value_type*> members;
      for (const auto& member : *object) members.push_back(&member);
      std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->first < b->first; });
      write_all('{', '}', members, [&](const auto* member) {
        write_text(member->first, out_);
        out_ += ": ";
        write(member->second);
      });
    } else if (const auto* text = value.text()) {
      write_text(*text, out_);
    } else if (const auto* number = value.number()) {
      out_ += number->token;
    } else if (const auto* truth = value.boolean()) {
      out_ += *truth ? "true" : "false";
    } else {
      out_ += "null";
    }
  }
  std::string take() { return std::move(out_); }

 private:
  static constexpr size_t kIndent = 4;

  template <class Items, class Write>
  void write_all(char begin, char end, const Items& items, Write&& write) {
    out_ += begin;
    depth_ += kIndent;
    bool is_first = true;
    for (const auto& item : items) {
      out_ += is_first ? "\n" : ",\n";
      out_.append(depth_, ' ');
      is_first = false;
      write(item);
    }
    depth_ -= kIndent;
    if (!is_first) out_.append("\n").append(depth_, ' ');
    out_ += end;
  }

  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string python_json(const Json& value) {
  Printer printer;
  printer.write(value);
  return printer.take();
}

}  // namespace plainfs
