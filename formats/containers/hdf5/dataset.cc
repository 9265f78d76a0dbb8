#include "formats/containers/hdf5/nodes.h"

#include <algorithm>
#include <cstring>

#include <fmt/ranges.h>

#include "formats/containers/hdf5/attributes.h"
#include "formats/containers/hdf5/file_layout.h"
#include "formats/containers/hdf5/storage.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/arrays/chunked_array.h"

namespace plainfs::hdf5 {
namespace {

// Returns a grid with the storage's steps along the dataset's axes, and one step along the axes of an array
// type.
ChunkGrid grid_of(const StoredExtent& extent, const Storage& storage) {
  Shape steps = storage.block_shape();
  steps.insert(steps.end(), extent.shape.begin() + static_cast<ptrdiff_t>(steps.size()), extent.shape.end());
  for (uint64_t& step : steps) step = std::max<uint64_t>(step, 1);
  return ChunkGrid(extent.shape, std::move(steps));
}

// Returns one item if all items are equal byte by byte, otherwise all items repeated `times` times.
Elements repeated_items(const DType& type, const Elements& items, uint64_t times) {
  Elements all;
  const Bytes& bytes = items.bytes;
  if (layout_of(type) == Layout::flat && items.missing.empty() &&
      std::equal(bytes.begin() + type.size, bytes.end(), bytes.begin())) {
    append(type, all, items, 0, 1);
    return all;
  }
  for (uint64_t i = 0; i < times; ++i) append(type, all, items, 0, items.count);
  return all;
}

class DatasetArray : public ChunkedArray, public StoredObject {
 public:
  DatasetArray(SourceFilePtr file, uint64_t address, std::string path, StoredExtent extent,
               std::unique_ptr<Storage> storage)
      : ChunkedArray(file->context(), extent.type.dtype, grid_of(extent, *storage)),
        StoredObject(std::move(file), address),
        path_(std::move(path)),
        extent_(std::move(extent)),
        storage_(std::move(storage)) {}

  Attributes attributes() const override { return read_attributes(shared_file(), address()); }

  std::optional<uint64_t> first_null_string() const override {
    if (extent_.type.form != StoredType::Form::text || shape().size() != 1) return std::nullopt;
    const unsigned address_size = file().layout().address_size;
    const uint64_t rows = count();
    for (uint64_t first = 0; first < rows; first += kNullSearchRows) {
      const uint64_t run = std::min(kNullSearchRows, rows - first);
      const Bytes stored = storage_->read(range(first, run), {run});
      for (uint64_t i = 0; (i + 1) * extent_.stored_size <= stored.size(); ++i) {
        // u32 length, then the address of the string's collection
        if (load_unsigned(stored.data() + i * extent_.stored_size + 4, address_size) == 0) return first + i;
      }
    }
    return std::nullopt;
  }

  bool is_bit_field() const override { return extent_.type.form == StoredType::Form::bit_field; }

 protected:
  Elements load_chunk(std::span<const uint64_t> chunk) const override {
    const Shape block = grid().chunk_shape(chunk);
    return load_rows_of(chunk, 0, block.empty() ? 1 : block[0]);
  }

  std::optional<Elements> load_rows(std::span<const uint64_t> chunk, uint64_t first,
                                    uint64_t count) const override {
    if (!loads_rows_alone()) return std::nullopt;
    return load_rows_of(chunk, first, count);
  }
  bool loads_rows_alone() const override { return storage_->reads_boxes_alone(); }

  void will_load(const Box& box) const override { storage_->will_read(of_dataset(box)); }

  std::optional<Elements> absent(const Box& box) const override {
    const std::optional<Bytes> one = storage_->absent(of_dataset(box));
    if (!one) return std::nullopt;
    Elements items = decode(extent_.type, Bytes(*one), items_of_one(), file().pointees());
    if (items.count != 1) return std::nullopt;
    return items;
  }

 private:
  static constexpr uint64_t kNullSearchRows = 65536;

  // Returns rows [first, first + count) of a chunk. For a scalar, returns the whole of it.
  Elements load_rows_of(std::span<const uint64_t> chunk, uint64_t first, uint64_t count) const {
    try {
      Shape block = grid().chunk_shape(chunk);
      if (rank() > 0) block[0] = count;
      const Shape dataset_block(block.begin(), block.begin() + static_cast<ptrdiff_t>(rank()));
      Box box{dataset_block, dataset_block};
      for (size_t axis = 0; axis < rank(); ++axis) {
        box.origin[axis] = grid().start(axis, chunk[axis]) + (axis == 0 ? first : 0);
        box.extent[axis] = std::min(dataset_block[axis], extent_.dataset_shape[axis] - box.origin[axis]);
      }
      const uint64_t bytes = checked_multiply(element_count(dataset_block), extent_.stored_size);
      // Room for the bytes before and after a filter, or for the stored and the decoded elements.
      const auto room = file().context().decode_budget.take(checked_multiply(bytes, 2));
      return decoded(storage_->read(box, dataset_block), element_count(dataset_block), element_count(block));
    } catch (const Error& error) {
      throw error.at(path_);
    }
  }

  Box of_dataset(const Box& box) const {
    const auto end = static_cast<ptrdiff_t>(rank());
    return {Shape(box.origin.begin(), box.origin.begin() + end),
            Shape(box.extent.begin(), box.extent.begin() + end)};
  }
  size_t rank() const { return extent_.dataset_shape.size(); }
  // Returns the number of elements of this array per element of the dataset, which is above 1 for an array
  // type.
  uint64_t items_of_one() const {
    return element_count(Shape(shape().begin() + static_cast<ptrdiff_t>(rank()), shape().end()));
  }

  // Decodes stored: stored_count elements of the dataset, or one element that stands for all of them. count:
  // includes the items of an array type.
  Elements decoded(Bytes stored, uint64_t stored_count, uint64_t count) const {
    const bool is_one = stored.size() == extent_.stored_size && stored_count > 1;
    if (!is_one) return decode(extent_.type, std::move(stored), count, file().pointees());
    const uint64_t items = items_of_one();
    Elements one = decode(extent_.type, std::move(stored), items, file().pointees());
    return items == 1 ? one : repeated_items(extent_.type.dtype, one, stored_count);
  }

  std::string path_;
  StoredExtent extent_;
  std::unique_ptr<Storage> storage_;
};

class NullArray : public Array {
 public:
  NullArray(SourceFilePtr file, uint64_t address, DType dtype)
      : Array(std::move(dtype), {0}), file_(std::move(file)), address_(address) {}
  Elements read(const Box&) const override { return zero_elements(dtype(), 0); }
  bool is_null() const override { return true; }
  Attributes attributes() const override { return read_attributes(file_, address_); }

 private:
  SourceFilePtr file_;
  uint64_t address_;
};

// Returns whether elements of type contain all of their data themselves.
bool holds_its_data(const StoredType& type) {
  using Form = StoredType::Form;
  if (type.form == Form::text || type.form == Form::sequence || type.form == Form::object_reference ||
      type.form == Form::region_reference)
    return false;
  return std::all_of(type.fields.begin(), type.fields.end(),
                     [](const StoredField& field) { return holds_its_data(field.type); }) &&
         std::all_of(type.items.begin(), type.items.end(), holds_its_data);
}

ArrayPtr open_array(const SourceFilePtr& file, StoredDataset dataset, uint64_t address,
                    const std::string& path) {
  StoredExtent& extent = dataset.extent;
  try {
    if (dataset.error) throw *dataset.error;
    if (extent.is_null) return std::make_shared<NullArray>(file, address, extent.type.dtype);
    return file->arrays().get(fmt::format("{} {}", address, path), [&]() -> ArrayPtr {
      auto storage = make_storage(dataset, {file, address, extent.dataset_shape, extent.stored_size},
                                  holds_its_data(extent.type));
      return std::make_shared<DatasetArray>(file, address, path, std::move(extent), std::move(storage));
    });
  } catch (const Error& error) {
    const bool is_only_shape_known = dataset.error && !extent.shape.empty();
    const std::string shape =
        is_only_shape_known ? fmt::format(" ({})", fmt::join(extent.shape, " \u00d7 ")) : "";
    return std::make_shared<BrokenArray>(extent.type.dtype, error.at(path + shape));
  }
}

}  // namespace

Node dataset_node(const SourceFilePtr& file, StoredDataset dataset, uint64_t address,
                  const std::string& path) {
  Node node;
  node.content = LabelledArray{open_array(file, std::move(dataset), address, path), nullptr, nullptr};
  node.attributes = [file, address] { return read_attributes(file, address); };
  return node;
}

}  // namespace plainfs::hdf5
