#include "fs/layout/zarr_tree.h"

#include <limits.h>

#include <algorithm>
#include <new>

#include "formats/core/base/checked.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/split.h"
#include "formats/core/text/utf8.h"
#include "fs/layout/zarr_documents.h"

namespace plainfs {

namespace {

// The most chunks of an array, because each is a name in a directory.
constexpr uint64_t kMaxZarrChunks = uint64_t{1} << 18;

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
  const auto open = [error](const Shape&) { return std::make_shared<UnreadableFile>(error); };
  return {{}, ZarrArray{"|V1", nullptr, {}, {}, open}, {}};
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
      files.push_back(document(".zarray", zarr2_array(*content.array, content.array->chunk)));
    else
      files.push_back(document(".zgroup", zarr2_group()));
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
    return {std::move(name), [text = python_json(value, kZarr2Json), &context = context_] {
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
  if (content.array)
    documents.emplace_back(place + ".zarray", zarr2_array(*content.array, content.array->chunk));
  else
    documents.emplace_back(place + ".zgroup", zarr2_group());
  for (const auto& [name, member] : content.members)
    if (!member.is_unlisted) collect(*member.node, place + name + "/", documents);
}

std::string consolidated(ZarrNode& root) {
  Json::Object documents;
  collect(root, "", documents);
  return python_json(zarr2_consolidated(std::move(documents)), kZarr2Json);
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
  for (const std::string_view name : split(path, '/')) check_name(names.emplace_back(name));
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
