// A Zarr hierarchy: groups and arrays, each with its documents, and arrays with their chunks. The content
// below a node may be created on first use. It is shown as a generated directory of version 2; its documents
// equal those of zarr-python 2, byte for byte. zarr_packed.h has the form of either version that an export
// writes.
//
// To a Zarr reader a missing document means that there is no element, and a missing chunk is the fill value,
// without an error. So nothing is left out because it cannot be shown. An element that fails permanently is
// an array with one unreadable chunk, and one that fails for now has unreadable documents.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cache/lazy.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/text/json.h"
#include "fs/layout/byte_layout.h"
#include "fs/layout/element_form.h"
#include "fs/text/view_entry.h"

namespace plainfs {

// An array, apart from the version of the format.
struct ZarrArray {
  Json dtype;  // as in version 2; "|O" is text of any length
  Json fill;   // of the elements of a chunk that is missing
  Shape shape;
  Shape chunk;                                                               // of the generated directory
  std::function<std::shared_ptr<ViewFile>(const Shape& origin)> open_chunk;  // the chunk at its first element
  // The elements, for chunks of another shape; null if there is only one chunk, which is all of the array.
  ArrayPtr values{};
  std::optional<ElementForm> form{};  // of numbers; nullopt: `values` are texts

  bool is_text() const { return values && !form; }
};

// Throws unsupported if there are more chunks than a directory can list.
void check_chunk_count(const ZarrArray& array);

class ZarrNode;
using ZarrNodePtr = std::shared_ptr<ZarrNode>;

// A group, or an array if `array` is set.
struct ZarrContent {
  std::optional<Json> attributes;  // null: no .zattrs
  std::optional<ZarrArray> array;
  struct Member {
    ZarrNodePtr node;
    bool is_unlisted = false;  // found by name; neither listed nor in consolidated metadata
  };
  std::map<std::string, Member, std::less<>> members;
};

// A node of the hierarchy. Thread-safe, except while members_of() and the like build it.
class ZarrNode : public std::enable_shared_from_this<ZarrNode> {
 public:
  explicit ZarrNode(ZarrContent content) : given_(std::make_unique<ZarrContent>(std::move(content))) {}
  // make: called on first use, and again if it threw an error that may pass. If it throws any other error,
  // the content is an array that cannot be read.
  explicit ZarrNode(std::function<ZarrContent()> make) : make_(std::move(make)) {}

  // Returns the content if it is in memory. Otherwise returns null, and it is not yet known whether the node
  // is a group.
  ZarrContent* at_hand() { return given_.get(); }
  // Throws an error that may pass.
  const ZarrContent& content();

 private:
  const std::unique_ptr<ZarrContent> given_;  // null if make_ makes it
  const std::function<ZarrContent()> make_;
  Lazy<ZarrContent> generated_;
};

// Adds a member at the path "a/b"; its parents may be new groups without attributes. If a name is not valid
// in Zarr or is taken, adds an array that cannot be read under a similar name.
void put_zarr_node(ZarrContent& root, std::string_view path, ZarrContent::Member member);

// Returns the files of the hierarchy. .zmetadata at its root has all documents, so that a reader need not
// look for them; it cannot be read while an element fails for now.
ListEntries zarr_directory(ZarrNodePtr root, Context& context);

}  // namespace plainfs
