#include "formats/containers/hdf5/chunk_btree.h"

#include <algorithm>

#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/object_header.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"

namespace plainfs::hdf5 {
namespace {

constexpr unsigned kChunkedClass = 2;
constexpr unsigned kMaxAxes = 32;
constexpr uint64_t kWideSearch = 64;   // chunks
constexpr uint64_t kLeafBytes = 2048;  // approximate bytes of a node of the library's usual size

bool is_undefined(uint64_t address, const FileLayout& layout) {
  return address == (layout.address_size == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * layout.address_size) - 1);
}

// Parses a message of version 1 or 2. The cursor is behind the version.
ChunkLayout old_layout(Cursor& cursor, const FileLayout& layout) {
  const unsigned axes = cursor.byte();
  if (const unsigned kind = cursor.byte(); kind != kChunkedClass)
    throw damaged("the data layout is of class {}, expected chunks", kind);
  cursor.skip(5);
  return {true, address_at(cursor, layout), Shape(axes), 0};
}

ChunkLayout parse_layout(ByteSpan message, const FileLayout& layout) {
  Cursor cursor(message);
  const unsigned version = cursor.byte();
  if (version == 4 || version == 5) return {false, std::nullopt, {}, 0};
  ChunkLayout chunks{true, std::nullopt, {}, 0};
  if (version == 1 || version == 2) {
    chunks = old_layout(cursor, layout);
  } else if (version == 3) {
    if (const unsigned kind = cursor.byte(); kind != kChunkedClass)
      throw damaged("the data layout is of class {}, expected chunks", kind);
    chunks.chunk_shape.resize(cursor.byte());
    chunks.root = address_at(cursor, layout);
  } else {
    throw damaged("unknown data layout version {}", version);
  }
  if (chunks.chunk_shape.size() < 2 || chunks.chunk_shape.size() > kMaxAxes + 1)
    throw damaged("invalid data layout: {} axes", chunks.chunk_shape.size());
  for (uint64_t& length : chunks.chunk_shape) {
    length = cursor.little<uint32_t>();
    if (length == 0) throw damaged("invalid chunk shape: no elements");
  }
  chunks.element_size = chunks.chunk_shape.back();
  chunks.chunk_shape.pop_back();
  if (is_undefined(*chunks.root, layout)) chunks.root.reset();
  return chunks;
}

}  // namespace

ChunkLayout read_chunk_layout(const File& file, const FileLayout& layout, uint64_t address) {
  std::optional<ChunkLayout> chunks;
  for_each_message(file, layout, address, [&](const HeaderMessage& message) {
    if (message.type == kLayoutMessage) chunks = parse_layout(message.data, layout);
    return !chunks;
  });
  if (!chunks) throw damaged("the object header has no data layout");
  return *std::move(chunks);
}

ChunkBtree::ChunkBtree(const File& file, FileLayout layout, Context& context, ChunkLayout chunks)
    : file_(file),
      layout_(layout),
      context_(context),
      chunks_(std::move(chunks)),
      cache_owner_(context.cache.new_owner()) {}

// The places of a box that the search has not passed, in C order.
class ChunkBtree::Search {
 public:
  explicit Search(const Box& places)
      : first(places.origin),
        last(places.origin),
        place(first),
        is_wide(element_count(places.extent) >= kWideSearch) {
    for (size_t axis = 0; axis < last.size(); ++axis) last[axis] += places.extent[axis] - 1;
  }

  // Moves to the first place that is at or after `given`, or after it if strictly is true.
  void go_to(std::span<const uint64_t> given, bool strictly) {
    const size_t rank = place.size();
    size_t axis = 0;
    for (; axis < rank && first[axis] <= given[axis] && given[axis] <= last[axis]; ++axis)
      place[axis] = given[axis];
    if (axis < rank && given[axis] < first[axis]) return start_at(axis);
    if (axis == rank && !strictly) return;
    while (axis > 0 && place[axis - 1] == last[axis - 1]) --axis;
    is_over = axis == 0;
    if (is_over) return;
    ++place[axis - 1];
    start_at(axis);
  }

  Shape first, last;
  Shape place;
  bool is_over = false;
  bool is_one_enough = false;
  bool is_wide;
  std::vector<PlacedChunk> found;

 private:
  void start_at(size_t axis) { std::copy(first.begin() + axis, first.end(), place.begin() + axis); }
};

// Compares like the library: by the place of the chunk in the grid, then by the offset in the element.
int ChunkBtree::compare(std::span<const uint64_t> place, const uint64_t* key) const {
  for (size_t axis = 0; axis < place.size(); ++axis) {
    const uint64_t other = key[axis] / chunks_.chunk_shape[axis];
    if (place[axis] != other) return place[axis] < other ? -1 : 1;
  }
  return key[place.size()] / chunks_.element_size > 0 ? -1 : 0;
}

// Returns whether two keys are in order. The library finds a chunk by binary search, so its results are
// unpredictable if keys are not.
bool ChunkBtree::ascend(const uint64_t* key, const uint64_t* next) const {
  const size_t rank = chunks_.chunk_shape.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    const uint64_t mine = key[axis] / chunks_.chunk_shape[axis];
    const uint64_t other = next[axis] / chunks_.chunk_shape[axis];
    if (mine != other) return mine < other;
  }
  return key[rank] / chunks_.element_size == 0 || next[rank] / chunks_.element_size > 0;
}

ChunkNode ChunkBtree::load(uint64_t address) const try {
  const size_t axes = chunks_.chunk_shape.size() + 1;
  const size_t header_size = 8 + 2 * layout_.address_size;
  const Bytes header = read_bytes(file_, layout_, address, header_size, "a node");
  if (as_text(header).substr(0, 4) != "TREE") throw damaged("not a B-tree node");
  if (const auto type = static_cast<unsigned>(header[4]); type != 1)
    throw damaged("invalid B-tree node type {}", type);
  ChunkNode node;
  node.level = static_cast<unsigned>(header[5]);
  const size_t count = load_little<uint16_t>(header.data() + 6);
  const size_t key_size = 8 + 8 * axes;
  const Bytes bytes = read_bytes(file_, layout_, checked_add(address, header_size),
                                 count * (key_size + layout_.address_size) + key_size, "a node");
  node.keys.reserve((count + 1) * axes);
  node.children.reserve(count);
  Cursor cursor(bytes);
  for (size_t i = 0; i <= count; ++i) {
    ChunkNode::Child child{};
    child.size = cursor.little<uint32_t>();
    child.filter_mask = cursor.little<uint32_t>();
    for (size_t axis = 0; axis < axes; ++axis) node.keys.push_back(cursor.little<uint64_t>());
    if (i == count) break;
    child.address = address_at(cursor, layout_);
    node.children.push_back(child);
  }
  for (size_t i = 0; i < count; ++i) {
    const uint64_t* key = node.keys.data() + i * axes;
    if (!ascend(key, key + axes)) throw damaged("keys are not ascending");
  }
  return node;
} catch (const Error& error) {
  throw error.at(fmt::format("chunk index at {}", address));
}

// Announces the children to the kernel. A wide search reads most of them, and they are scattered over the
// file.
void ChunkBtree::announce_children(const ChunkNode& node) const {
  if (file_.is_remote()) return;
  std::vector<ByteRange> ranges;
  for (const ChunkNode::Child& child : node.children) {
    const uint64_t offset = child.address + layout_.base_address;
    if (offset >= child.address && offset < file_.size())
      ranges.push_back({offset, std::min(kLeafBytes, file_.size() - offset)});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
  file_.will_read(ranges);
}

StoredChunk ChunkBtree::checked(const ChunkNode::Child& child) const {
  const uint64_t offset = checked_add(child.address, layout_.base_address);
  const uint64_t file_size = file_.size();
  if (offset > file_size || child.size > file_size - offset)
    throw damaged("{} bytes at {} lie beyond the file's end at {}", child.size, offset, file_size);
  return {offset, child.size, child.filter_mask};
}

std::vector<PlacedChunk> ChunkBtree::find(const Box& places) const {
  if (!chunks_.root || element_count(places.extent) == 0) return {};
  Search search(places);
  visit(search, *chunks_.root, 256, nullptr);
  return std::move(search.found);
}

bool ChunkBtree::holds_any(const Box& places) const {
  if (!chunks_.root || element_count(places.extent) == 0) return false;
  Search search(places);
  search.is_one_enough = true;
  visit(search, *chunks_.root, 256, nullptr);
  return !search.found.empty();
}

// Visits the places that the node at address covers. limit: the key after the node, or null.
void ChunkBtree::visit(Search& search, uint64_t address, unsigned level_above, const uint64_t* limit) const {
  const auto node = context_.cache.get<ChunkNode>({cache_owner_, address}, [&] {
    ChunkNode loaded = load(address);
    if (loaded.level == 1 && search.is_wide) announce_children(loaded);
    return loaded;
  });
  if (node->level >= level_above)
    throw damaged("chunk index at {}: a node of level {} below a node of level {}", address, node->level,
                  level_above);
  const size_t rank = search.place.size();
  const auto key = [&](size_t i) { return node->keys.data() + i * (rank + 1); };
  Shape place_of_key(rank);
  // Moves past all places before key i. No child up to it holds them.
  const auto go_to_key = [&](size_t i) {
    const uint64_t* to = limit && !ascend(key(i), limit) ? limit : key(i);
    for (size_t axis = 0; axis < rank; ++axis) place_of_key[axis] = to[axis] / chunks_.chunk_shape[axis];
    search.go_to(place_of_key, to[rank] / chunks_.element_size > 0);
  };
  const auto is_before = [&](const uint64_t* a_key) {
    return !search.is_over && compare(search.place, a_key) < 0;
  };
  while (is_before(key(node->children.size())) && (!limit || is_before(limit))) {
    if (is_before(key(0))) {
      go_to_key(0);
      continue;
    }
    // Finds the last child with a key at or before the place.
    size_t child = 0, end = node->children.size();
    while (end - child > 1) {
      const size_t middle = child + (end - child) / 2;
      (compare(search.place, key(middle)) < 0 ? end : child) = middle;
    }
    if (node->level > 0)
      visit(search, node->children[child].address, node->level, key(child + 1));
    else if (compare(search.place, key(child)) == 0)
      take(search, node->children[child], key(child));
    if (is_before(key(child + 1))) go_to_key(child + 1);
  }
}

void ChunkBtree::take(Search& search, const ChunkNode::Child& child, const uint64_t* key) const {
  const size_t rank = search.place.size();
  for (size_t axis = 0; axis < rank; ++axis) {
    if (key[axis] % chunks_.chunk_shape[axis] != 0)
      throw damaged("the chunk index has a chunk at {} along an axis with chunks of {}: outside the grid",
                    key[axis], chunks_.chunk_shape[axis]);
  }
  if (key[rank] != 0) throw damaged("the chunk index has a chunk that begins inside an element");
  search.found.push_back({search.place, checked(child)});
  search.is_over = search.is_one_enough;
}

}  // namespace plainfs::hdf5
