#include "fs/layout/zarr_tree.h"

#include <limits.h>

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <new>

#include "formats/core/base/checked.h"
#include "formats/core/text/percent.h"
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

// Returns JSON as Python's json.dumps(indent=4, sort_keys=True) writes it, like zarr-python. Throws damaged
// if a text or key is not UTF-8.
std::string python_json(const Json& value) {
  Printer printer;
  printer.write(value);
  return printer.take();
}

// The most chunks of an array, because each is a name in a directory.
constexpr uint64_t kMaxZarrChunks = uint64_t{1} << 18;

Json group_document() {
  return Json::Object{{"zarr_format", Json::of(int64_t{2})}};
}

Json shape_list(const Shape& shape) {
  Json::List list;
  for (const uint64_t length : shape) list.push_back(Json::of(length));
  return list;
}

// The version of all files of the hierarchy (Measured::version).
constexpr const char kZarr[] = "zarr 4";

uint64_t chunk_count(const ZarrArray& array) {
  uint64_t count = 1;
  for (size_t axis = 0; axis < array.shape.size(); ++axis)
    count = checked_multiply(count, divide_up(array.shape[axis], array.chunk[axis]));
  return count;
}

// A file that opens but cannot be read: some readers of Zarr take a chunk that does not open for a missing
// one.
class UnreadableFile : public ViewFile {
 public:
  explicit UnreadableFile(Error error) : error_(std::move(error)) {}
  uint64_t size() override { throw error_; }
  Slices read(uint64_t, size_t) override { throw error_; }

 private:
  const Error error_;
};

// Returns an array of one value of an opaque type, because the shape and type of an element that cannot be
// shown are unknown.
ZarrContent unreadable_array(const Error& error) {
  return {{},
          ZarrArray{zarr_array_document({}, {}, "|V1", nullptr, nullptr),
                    {},
                    {},
                    [error](const Shape&) { return std::make_shared<UnreadableFile>(error); }},
          {}};
}

class NodeFiles {
 public:
  NodeFiles(ZarrNodePtr node, Context& context) : node_(std::move(node)), context_(context) {}

  std::vector<ViewEntry> list() const {
    try {
      return list_content();
    } catch (const Error& error) {
      return unread_documents(error);
    } catch (const std::bad_alloc&) {
      return unread_documents(out_of_memory());
    }
  }

 private:
  std::vector<ViewEntry> list_content() const {
    const ZarrContent& content = node_->content();
    std::vector<ViewEntry> files;
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

  // Returns the documents of a node if it is unknown for now whether it is a group.
  static std::vector<ViewEntry> unread_documents(const Error& fault) {
    std::vector<ViewEntry> files;
    for (const char* name : {".zarray", ".zattrs", ".zgroup"}) {
      files.push_back({name, [fault] { return std::make_shared<UnreadableFile>(fault); }});
      files.back().fault = fault;
    }
    return files;
  }

  ViewEntry document(std::string name, const Json& value) const {
    return {std::move(name), [text = python_json(value), &context = context_] {
              ByteLayout layout;
              layout.put(text);
              return layout_file(std::move(layout), context);
            }};
  }

  void add_chunks(const ZarrArray& array, std::vector<ViewEntry>& files) const {
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
      if (rank == 0) name = "0";
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

// Adds a member. Throws unsupported if the path is not valid in Zarr or is taken.
void put_at(ZarrContent& root, std::string_view path, const ZarrContent::Member& member) {
  std::vector<std::string> names;
  boost::algorithm::split(names, path, [](char c) { return c == '/'; });
  for (const std::string& name : names) check_name(name);
  const std::string last = std::move(names.back());
  names.pop_back();
  ZarrContent* group = &root;
  for (const std::string& name : names) {
    const ZarrNodePtr next =
        group->members.try_emplace(name, ZarrContent::Member{std::make_shared<ZarrNode>(ZarrContent())})
            .first->second.node;
    group = next->at_hand();
    if (!group || group->array) throw unsupported("{}: {} is not a group", path, name);
  }
  if (!group->members.try_emplace(last, member).second)
    throw unsupported("{}: a group of that name already exists", path);
}

// Returns a name that is valid in Zarr and not taken.
std::string free_zarr_name(const ZarrContent& group, std::string_view path) {
  constexpr size_t kMax = 200;
  const std::string encoded = percent_encoded(path);
  const std::string name = (encoded.starts_with('.') ? "%2E" + encoded.substr(1) : encoded).substr(0, kMax);
  std::string free = name.empty() ? "%00" : name;
  for (int number = 2; group.members.contains(free); ++number) free = fmt::format("{}~{}", name, number);
  return free;
}

// Returns the group that the first name of "a/b" names; null if it is missing.
ZarrContent* group_below(const ZarrContent& group, std::string_view path) {
  const size_t end = path.find('/');
  const auto member = end == path.npos ? group.members.end() : group.members.find(path.substr(0, end));
  ZarrContent* const below = member == group.members.end() ? nullptr : member->second.node->at_hand();
  return below && !below->array ? below : nullptr;
}

}  // namespace

Json zarr_array_document(const Shape& shape, const Shape& chunk, Json dtype, Json fill, Json filters) {
  return Json::Object{{"chunks", shape_list(chunk)},
                      {"compressor", nullptr},
                      {"dimension_separator", "."},
                      {"dtype", std::move(dtype)},
                      {"fill_value", std::move(fill)},
                      {"filters", std::move(filters)},
                      {"order", "C"},
                      {"shape", shape_list(shape)},
                      {"zarr_format", Json::of(int64_t{2})}};
}

void check_chunk_count(const ZarrArray& array) {
  const uint64_t count = chunk_count(array);
  if (count > kMaxZarrChunks) throw unsupported("{} chunks are too many for a Zarr array", count);
}

const ZarrContent& ZarrNode::content() {
  if (given_) return *given_;
  return generated_.get([&] {
    try {
      return make_();
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      return unreadable_array(error);
    }
  });
}

void put_zarr_node(ZarrContent& root, std::string_view path, ZarrContent::Member member) {
  try {
    put_at(root, path, member);
  } catch (const Error& error) {
    ZarrContent* group = &root;
    while (ZarrContent* const below = group_below(*group, path)) {
      group = below;
      path.remove_prefix(path.find('/') + 1);
    }
    member.node = std::make_shared<ZarrNode>(unreadable_array(error));
    group->members.emplace(free_zarr_name(*group, path), std::move(member));
  }
}

ListEntries zarr_directory(ZarrNodePtr root, Context& context) {
  return [root = std::move(root), &context] {
    std::vector<ViewEntry> files = NodeFiles(root, context).list();
    files.push_back({".zmetadata", [root, &context] {
                       return computed_file([root] { return consolidated(*root); }, context, kZarr);
                     }});
    return files;
  };
}

}  // namespace plainfs
