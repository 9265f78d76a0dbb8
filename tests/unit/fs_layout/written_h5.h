// An HDF5 file made by a test, read back by the project's own container.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "formats/containers/hdf5/container.h"
#include "formats/core/model/node.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs {

// On disk for the lifetime of this object.
class WrittenFile {
 public:
  explicit WrittenFile(const std::string& bytes) {
    std::ofstream(path(), std::ios::binary) << bytes;
    root_ = hdf5::open_group(path(), *context_);
  }
  ArrayPtr array(std::initializer_list<std::string> path) const {
    GroupPtr group = root_;
    for (auto name = path.begin();; ++name) {
      if (name + 1 == path.end()) return find_array(*group, *name);
      group = find_group(*group, *name);
    }
  }
  GroupPtr group(std::initializer_list<std::string> path) const {
    GroupPtr group = root_;
    for (const std::string& name : path) group = find_group(*group, name);
    return group;
  }
  template <class T>
  std::vector<T> numbers(std::initializer_list<std::string> path) const {
    const Elements elements = read_all(*array(path));
    const auto values = elements.values<T>();
    return {values.begin(), values.end()};
  }
  std::vector<std::string> texts(std::initializer_list<std::string> path) const {
    const ArrayPtr values = array(path);
    const Elements elements = read_all(*values);
    std::vector<std::string> all;
    for (uint64_t i = 0; i < elements.count; ++i)
      all.emplace_back(
          trim_padding(as_text(elements.bytes).substr(i * values->dtype().size, values->dtype().size),
                       Padding::null_padded));
    return all;
  }
  const Group& root() const { return *root_; }

 private:
  std::string path() const { return folder_->path("file.h5"); }

  const std::unique_ptr<TemporaryDirectory> folder_ = std::make_unique<TemporaryDirectory>();
  const std::unique_ptr<TestContext> context_ = std::make_unique<TestContext>();
  GroupPtr root_;
};

}  // namespace plainfs
