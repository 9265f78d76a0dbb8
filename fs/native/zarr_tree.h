// A Zarr hierarchy of version 2 as a made directory: groups and arrays, each with its documents, an array
// with its chunks. What is below a node may be made when it is asked for. The documents are those of
// zarr-python, to the byte.
//
// To a reader of Zarr an absent document is no element and an absent chunk is the fill value, without an
// error. So nothing is left out because it cannot be shown: an element that fails for good is an array whose
// only chunk cannot be read, and one that fails for now has documents that cannot be read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cache/cancellable_lock.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/text/json.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// The document of an array, .zarray, without a compressor.
Json zarr_array_document(const Shape& shape, const Shape& chunk, std::string dtype, Json fill, Json filters);

struct ZarrArray {
  Json document;
  Shape shape;
  Shape chunk;
  std::function<std::shared_ptr<ViewFile>(const Shape& origin)> open_chunk;  // by its first element
};

// Throws unsupported if there are more chunks than a directory can list.
void check_chunk_count(const ZarrArray& array);

class ZarrNode;
using ZarrNodePtr = std::shared_ptr<ZarrNode>;

// A group, or an array where it has one.
struct ZarrContent {
  std::optional<Json> attributes;  // none: no .zattrs
  std::optional<ZarrArray> array;
  struct Member {
    ZarrNodePtr node;
    bool is_unlisted = false;  // found by name; neither listed nor in consolidated metadata
  };
  std::map<std::string, Member, std::less<>> members;
};

// Thread-safe, but while it is being made up by members_of() and the like.
class ZarrNode : public std::enable_shared_from_this<ZarrNode> {
 public:
  explicit ZarrNode(ZarrContent content) : content_(std::move(content)) {}
  // make: called when it is first asked for, again if it threw an error that may pass. The content of a node
  // whose make throws any other error is an array that cannot be read.
  explicit ZarrNode(std::function<ZarrContent()> make) : make_(std::move(make)) {}

  // Its content where that is at hand, else null: then it is not known yet whether it is a group.
  ZarrContent* at_hand() { return make_ ? nullptr : &content_; }
  // Throws an error that may pass.
  const ZarrContent& content();

 private:
  const std::function<ZarrContent()> make_;
  Once once_;
  ZarrContent content_;  // with make_: set by once_
};

// Adds a member under the path "a/b", whose first names may be new groups without attributes. If a name
// cannot be one in Zarr, or something else has it, adds an array that cannot be read under a similar name.
void put_zarr_node(ZarrContent& root, std::string_view path, ZarrContent::Member member);

// The files of the hierarchy. At its root .zmetadata has all documents, so that a reader need not look for
// them; it cannot be read while an element fails for now.
ListMade zarr_directory(ZarrNodePtr root, Context& context);

}  // namespace plainfs
