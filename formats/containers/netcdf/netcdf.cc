#include "formats/containers/netcdf/netcdf.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "formats/containers/netcdf/header.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/chunked_array.h"

namespace plainfs::netcdf {
namespace {

constexpr uint64_t kChunkBytes = 256 << 10;

// Returns the shape of a chunk: as many whole rows of the last axes as fit into kChunkBytes, at least one
// element.
Shape band_shape(const Shape& shape, uint64_t element_size) {
  Shape band(shape.size(), 1);
  uint64_t bytes = element_size;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const uint64_t length = std::max<uint64_t>(shape[axis], 1);
    band[axis] = std::clamp<uint64_t>(kChunkBytes / bytes, 1, length);
    if (band[axis] < length) break;
    bytes *= length;
  }
  return band;
}

// The values of one variable. A chunk is a band of whole rows, stored as one run of bytes per record.
class StoredVariable : public ChunkedArray, public NamedDimensions {
 public:
  StoredVariable(Context& context, FilePtr file, const Header& header, const Variable& variable)
      : ChunkedArray(
            context, variable.type,
            ChunkGrid(header.shape_of(variable), band_shape(header.shape_of(variable), variable.type.size))),
        NamedDimensions(names_of(header, variable)),
        file_(std::move(file)),
        variable_(variable),
        record_size_(header.record_size) {}

  Attributes attributes() const override { return attributes_of(variable_.attributes, file_); }
  bool may_be_missing() const override { return false; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    Shape origin(chunk.size());
    for (size_t axis = 0; axis < chunk.size(); ++axis) origin[axis] = grid().start(axis, chunk[axis]);
    const Shape extent = grid().chunk_shape(chunk);
    const uint64_t count = element_count(extent);
    Bytes bytes(checked_size(count, dtype().size));
    const uint64_t existing = elements_that_exist(origin, extent);
    read_elements(origin, std::span(bytes).first(existing * dtype().size));
    std::fill(bytes.begin() + static_cast<ptrdiff_t>(existing * dtype().size), bytes.end(), std::byte{0});
    return unpack(dtype(), std::move(bytes), count);
  }

 private:
  static std::vector<std::string> names_of(const Header& header, const Variable& variable) {
    std::vector<std::string> names;
    for (const uint64_t dimension : variable.dimensions) names.push_back(header.dimensions[dimension].name);
    return names;
  }

  // Returns the number of elements of a band that exist. Only the axis that the band cuts can end within it.
  // All later axes are whole.
  uint64_t elements_that_exist(const Shape& origin, const Shape& extent) const {
    uint64_t count = 1;
    for (size_t axis = 0; axis < extent.size(); ++axis)
      count *= std::min(extent[axis], shape()[axis] - origin[axis]);
    return count;
  }

  // Reads elements in C order from origin on.
  void read_elements(const Shape& origin, std::span<std::byte> out) const {
    uint64_t first = 0;
    for (size_t axis = 0; axis < origin.size(); ++axis) first = first * shape()[axis] + origin[axis];
    if (!variable_.is_record) return read_bytes(checked_multiply(first, dtype().size), out);
    uint64_t slab = dtype().size;
    for (size_t axis = 1; axis < shape().size(); ++axis) slab = checked_multiply(slab, shape()[axis]);
    uint64_t at = checked_multiply(first, dtype().size);
    while (!out.empty()) {
      const uint64_t inside = at % slab;
      const size_t some = std::min<uint64_t>(out.size(), slab - inside);
      read_bytes(checked_add(checked_multiply(at / slab, record_size_), inside), out.first(some));
      out = out.subspan(some);
      at += some;
    }
  }

  void read_bytes(uint64_t offset, std::span<std::byte> out) const {
    file_->read_at(checked_add(variable_.begin, offset), out);
  }

  const FilePtr file_;
  const Variable variable_;
  const uint64_t record_size_;
};

class FileGroup final : public Group {
 public:
  FileGroup(FilePtr file, const Header& header, Context& context)
      : file_(std::move(file)), attributes_(header.attributes), dimensions_(header.dimensions) {
    members_.reserve(header.variables.size());
    for (const Variable& variable : header.variables) {
      members_.push_back({variable.name, node_of(file_, header, variable, context)});
      by_name_.emplace(members_.back().name, members_.size() - 1);
    }
  }

  std::vector<Member> members() const override { return members_; }
  std::optional<Node> find(std::string_view name) const override {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(members_[found->second].node);
  }
  Attributes attributes() const override { return attributes_of(attributes_, file_); }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return "/"; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }

 private:
  static Node node_of(const FilePtr& file, const Header& header, const Variable& variable, Context& context) {
    Node node;
    try {
      element_count(header.shape_of(variable));
      node.content = LabelledArray{std::make_shared<StoredVariable>(context, file, header, variable), {}, {}};
    } catch (const Error& error) {
      node.content = error.at("/" + variable.name);
    }
    return node;
  }

  const FilePtr file_;
  const StoredAttributes attributes_;
  const std::vector<Dimension> dimensions_;
  std::vector<Member> members_;                           // reserved: the names stay where they are
  std::unordered_map<std::string_view, size_t> by_name_;  // views of these names
};

}  // namespace

bool is_of_netcdf(const Group& group) {
  return dynamic_cast<const FileGroup*>(&group) != nullptr;
}

std::vector<Dimension> dimensions_of(const Group& group) {
  const auto* const file = dynamic_cast<const FileGroup*>(&group);
  return file ? file->dimensions() : std::vector<Dimension>();
}

bool recognises(const Probe& probe) {
  return probe.is_file() && version_of(probe.first_bytes()).has_value();
}

Store open(const Probe& probe, Context& context) {
  FilePtr file = context.files.open(probe.location());
  const Header header = read_header(*file);
  Store store;
  store.path = probe.location();
  store.format = "NetCDF classic";
  store.version = header.version == 1 ? "CDF-1" : header.version == 2 ? "CDF-2" : "CDF-5";
  store.root.parts = std::make_shared<FileGroup>(std::move(file), header, context);
  return store;
}

}  // namespace plainfs::netcdf
