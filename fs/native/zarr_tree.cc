#include "fs/native/zarr_tree.h"

#include <limits.h>

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/utf8.h"
#include "fs/native/byte_layout.h"
#include "fs/native/python_json.h"

namespace plainfs {

namespace {

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
