#include "formats/core/text/indented_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/text/json_members.h"
#include "formats/core/text/utf8.h"

namespace plainfs {
namespace {

class JsonPrinter {
 public:
  explicit JsonPrinter(JsonLayout layout) : layout_(layout) {}

  void write(const Json& value) {
    if (value.is_list()) {
      write_all('[', ']', [&](auto&& write_next) {
        for_each_item(value, [&](const Json& item) {
          write_next();
          write(item);
        });
      });
    } else if (const auto* object = value.object()) {
      write_all('{', '}', [&](auto&& write_next) {
        for (const auto* member : members_of(*object)) {
          write_next();
          write_text(member->first);
          out_ += ": ";
          write(member->second);
        }
      });
    } else if (const auto* text = value.text()) {
      write_text(*text);
    } else if (const auto* number = value.number()) {
      out_ += number->token;
    } else {
      write_json(value, out_);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::vector<const Json::Object::value_type*> members_of(const Json::Object& object) const {
    std::vector<const Json::Object::value_type*> members;
    for (const auto& member : object) members.push_back(&member);
    if (layout_.is_sorted)
      std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->first < b->first; });
    return members;
  }

  // write_items: calls its argument before each item.
  template <class WriteItems>
  void write_all(char begin, char end, WriteItems&& write_items) {
    out_ += begin;
    depth_ += layout_.indent;
    bool is_first = true;
    write_items([&] {
      out_ += is_first ? "\n" : ",\n";
      out_.append(depth_, ' ');
      is_first = false;
    });
    depth_ -= layout_.indent;
    if (!is_first) out_.append("\n").append(depth_, ' ');
    out_ += end;
  }

  void write_text(std::string_view text) {
    if (!layout_.is_ascii) return write_json_text(text, out_);
    std::string utf8;
    write_json_text(text, utf8);
    for (const uint32_t code : code_points(utf8)) {
      if (code < 0x7f) {
        out_ += static_cast<char>(code);
      } else if (code < 0x10000) {
        write_unit(code);
      } else {
        write_unit(0xd800 + ((code - 0x10000) >> 10));
        write_unit(0xdc00 + ((code - 0x10000) & 0x3ff));
      }
    }
  }
  void write_unit(uint32_t unit) { fmt::format_to(std::back_inserter(out_), "\\u{:04x}", unit); }

  const JsonLayout layout_;
  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string indented_json(const Json& value, JsonLayout layout) {
  JsonPrinter printer(layout);
  printer.write(value);
  return printer.take();
}

}  // namespace plainfs
