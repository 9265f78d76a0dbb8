#include "formats/containers/hdf5/library/written_file.h"

#include <algorithm>

#include "formats/containers/hdf5/library/file_driver.h"
#include "formats/containers/hdf5/library/library.h"
#include "formats/containers/hdf5/library/object_writer.h"
#include "formats/containers/hdf5/library/sink_file.h"

namespace plainfs::hdf5 {
namespace {

// A sink that passes writes on until it is shut. A file that is abandoned is closed too, and a write that
// fails then would keep it open in the library, together with the sink.
class Gate : public FileSink {
 public:
  explicit Gate(FileSink& sink) : sink_(&sink) {}
  void shut() { sink_ = nullptr; }

  void write_at(uint64_t offset, std::span<const char> bytes) override {
    if (sink_) sink_->write_at(offset, bytes);
  }
  void read_at(uint64_t offset, std::span<char> bytes) override {
    if (sink_)
      sink_->read_at(offset, bytes);
    else
      std::fill(bytes.begin(), bytes.end(), '\0');
  }
  void set_size(uint64_t size) override {
    if (sink_) sink_->set_size(size);
  }

 private:
  FileSink* sink_;
};

// Selects a run of elements of a dataset in C order: part of a line of the last axis, or consecutive whole
// lines along the first one.
SpaceHandle select_run(const SkeletonDataset& dataset, uint64_t first, uint64_t count) {
  const std::vector<hsize_t> shape(dataset.shape.begin(), dataset.shape.end());
  SpaceHandle space = checked_handle<SpaceHandle>(
      H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "no dataspace");
  uint64_t line = 1;  // elements of all axes but the first
  for (size_t axis = 1; axis < shape.size(); ++axis) line *= shape[axis];
  std::vector<hsize_t> origin(shape.size(), 0), extent = shape;
  origin[0] = first / line;
  extent[0] = count / line;
  checked_call(
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, origin.data(), nullptr, extent.data(), nullptr),
      "no selection");
  return space;
}

}  // namespace

struct WrittenFile::Open {
  Open(FileSink& sink, const std::string& user_block)
      : gate(sink),
        access(access_into(gate, MetadataPlacement::together)),
        objects(access.id(), user_block.empty() ? 0 : kUserBlock) {
    gate.write_at(0, user_block);
  }

  // Runs one call of the library, with its lock held.
  template <class Call>
  void run(Call&& call) {
    forget_driver_error();
    try {
      call();
    } catch (const Error& error) {
      throw unsupported("{} in an HDF5 file: {}", object.path, error.what());
    }
    throw_driver_error();  // the library does not report every error
  }

  Gate gate;
  const PropertyHandle access;
  ObjectWriter objects;
  SkeletonObject object;  // the last one
  DatasetHandle dataset;
};

WrittenFile::WrittenFile(FileSink& sink, const std::string& user_block) {
  const LibraryLock lock;
  forget_driver_error();
  open_ = std::make_unique<Open>(sink, user_block);
}

WrittenFile::~WrittenFile() {
  const LibraryLock lock;
  open_->gate.shut();
  open_.reset();
  forget_driver_error();
}

void WrittenFile::add(const SkeletonObject& object) {
  const LibraryLock lock;
  open_->object = object;
  open_->run([&] {
    open_->dataset = DatasetHandle();
    open_->dataset = open_->objects.add(object);
  });
}

void WrittenFile::write_chunk(const std::vector<uint64_t>& origin, ByteSpan stored) {
  const LibraryLock lock;
  const std::vector<hsize_t> at(origin.begin(), origin.end());
  open_->run([&] {
    checked_call(H5Dwrite_chunk(open_->dataset.id(), H5P_DEFAULT, 0, at.data(), stored.size(), stored.data()),
                 "a chunk is not written");
  });
}

void WrittenFile::write_texts(uint64_t first, std::span<const std::string> texts) {
  if (texts.empty()) return;
  const LibraryLock lock;
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  open_->run([&] {
    const hsize_t count = pointers.size();
    const auto memory = checked_handle<SpaceHandle>(H5Screate_simple(1, &count, nullptr), "no dataspace");
    const SpaceHandle run = select_run(*open_->object.dataset, first, count);
    checked_call(H5Dwrite(open_->dataset.id(), variable_text_type().id(), memory.id(), run.id(), H5P_DEFAULT,
                          pointers.data()),
                 "texts are not written");
  });
}

void WrittenFile::write_all(ByteSpan bytes) {
  if (bytes.empty()) return;
  const LibraryLock lock;
  open_->run([&] {
    const auto type = checked_handle<TypeHandle>(H5Dget_type(open_->dataset.id()), "no type");
    checked_call(H5Dwrite(open_->dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
                 "elements are not written");
  });
}

void WrittenFile::finish() {
  const LibraryLock lock;
  open_->run([&] {
    open_->dataset = DatasetHandle();
    open_->objects.finish();
  });
}

}  // namespace plainfs::hdf5
