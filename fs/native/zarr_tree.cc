#include "fs/native/zarr_tree.h"

#include <limits.h>

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/text/printable.h"
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

// JSON as Python's json.dumps(indent=4, sort_keys=True) writes it, which zarr-python does. Throws damaged
// where a text or key is not UTF-8.
std::string python_json(const Json& value) {
  Printer printer;
  printer.write(value);
  return printer.take();
}

// Each is a name in a directory.
constexpr uint64_t kMostZarrChunks = uint64_t{1} << 18;

Json group_document() {
  return Json::Object{{"zarr_format", Json::of(int64_t{2})}};
}

// Of all files of the hierarchy, as Measured has it.
constexpr const char kZarr[] = "zarr 1";

uint64_t chunk_count(const ZarrArray& array) {
  uint64_t count = 1;
  for (size_t axis = 0; axis < array.shape.size(); ++axis)
    count = checked_multiply(count, divide_up(array.shape[axis], array.chunk[axis]));
  if (count > kMostZarrChunks) throw unsupported("{} chunks are more than are shown of a Zarr array", count);
  return count;
}

class NodeFiles {
 public:
  NodeFiles(ZarrNodePtr node, Context& context) : node_(std::move(node)), context_(context) {}

  std::vector<MadeEntry> list() const {
    const ZarrContent& content = node_->content();
    std::vector<MadeEntry> files;
    if (content.array)
      files.push_back(document(".zarray", content.array->document));
    else
      files.push_back(document(".zgroup", group_document()));
    if (content.attributes) files.push_back(document(".zattrs", *content.attributes));
    if (content.array) add_chunks(*content.array, files);
    for (const auto& [name, member] : content.members) {
      const auto list = [files = NodeFiles(member.node, context_)] { return files.list(); };
      files.push_back({name, nullptr, list, member.is_unlisted});
    }
    return files;
  }

 private:
  MadeEntry document(std::string name, const Json& value) const {
    return {std::move(name), [text = python_json(value), &context = context_] {
              ByteLayout layout;
              layout.put(text);
              return layout_file(std::move(layout), context);
            }};
  }

  void add_chunks(const ZarrArray& array, std::vector<MadeEntry>& files) const {
    const size_t rank = array.shape.size();
    const uint64_t count = chunk_count(array);
    files.reserve(files.size() + count);
    Shape number(rank);
    for (uint64_t i = 0; i < count; ++i) {
      std::string name;
      Shape origin(rank);
      for (size_t axis = 0; axis < rank; ++axis) {
        if (axis > 0) name += '.';
        name += std::to_string(number[axis]);
        origin[axis] = number[axis] * array.chunk[axis];
      }
      files.push_back(
          {std::move(name), [node = node_, origin] { return node->content().array->open_chunk(origin); }});
      for (size_t axis = rank; axis-- > 0;) {
        if (++number[axis] * array.chunk[axis] < array.shape[axis]) break;
        number[axis] = 0;
      }
    }
  }

  ZarrNodePtr node_;
  Context& context_;
};

void collect(ZarrNode& node, const std::string& place, Json::Object& documents) {
  const ZarrContent& content = node.content();
  if (content.attributes) documents.emplace_back(place + ".zattrs", *content.attributes);
  if (content.array) {
    chunk_count(*content.array);
    documents.emplace_back(place + ".zarray", content.array->document);
  } else {
    documents.emplace_back(place + ".zgroup", group_document());
  }
  for (const auto& [name, member] : content.members)
    if (!member.is_unlisted) collect(*member.node, place + name + "/", documents);
}

std::string consolidated(ZarrNode& root) {
  Json::Object documents;
  collect(root, "", documents);
  return python_json(
      Json::Object{{"metadata", std::move(documents)}, {"zarr_consolidated_format", Json::of(int64_t{1})}});
}

void check_name(std::string_view name) {
  check_utf8(name);
  if (name.empty() || name == "." || name == ".." || name.starts_with(".z") || name.size() > NAME_MAX ||
      name.find('\0') != name.npos)
    throw unsupported("\"{}\" cannot be a name in Zarr", printable(name));
}

}  // namespace

const ZarrContent& ZarrNode::content() {
  if (make_) once_.call([&] { content_ = make_(); });
  return content_;
}

void put_zarr_node(ZarrContent& root, std::string_view path, ZarrContent::Member member) {
  ZarrContent* group = &root;
  for (std::string_view rest = path;;) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, end));
    check_name(name);
    if (end == rest.size()) {
      if (!group->members.try_emplace(name, std::move(member)).second)
        throw unsupported("{}: there is a group of that name", path);
      return;
    }
    const ZarrNodePtr next =
        group->members.try_emplace(name, ZarrContent::Member{std::make_shared<ZarrNode>(ZarrContent())})
            .first->second.node;
    group = next->at_hand();
    if (!group || group->array) throw unsupported("{}: {} is no group", path, name);
    rest.remove_prefix(end + 1);
  }
}

ListMade zarr_directory(ZarrNodePtr root, Context& context) {
  return [root = std::move(root), &context] {
    std::vector<MadeEntry> files = NodeFiles(root, context).list();
    files.push_back({".zmetadata", [root, &context] {
                       return made_file([root] { return consolidated(*root); }, context, kZarr);
                     }});
    return files;
  };
}

}  // namespace plainfs
