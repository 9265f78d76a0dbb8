// takane objects for tests, with at most one fault each.
#pragma once

#include <boost/filesystem.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "formats/schemas/takane/object.h"
#include "tests/support/probe.h"
#include "tests/support/store_nodes.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::takane {

using hdf5::Hdf5Writer;

inline void write_text(const std::string& path, const std::string& text) {
  boost::filesystem::create_directories(boost::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

inline void write_object(const std::string& directory, const std::string& type) {
  write_text(directory + "/OBJECT", R"({"type": ")" + type + R"(", ")" + type + R"(": {"version": "1.0"}})");
}

inline void text_attribute(Hdf5Writer& writer, hid_t object, const char* name, const char* value) {
  const hdf5::TypeHandle text = Hdf5Writer::text_type();
  const hdf5::SpaceHandle scalar(H5Screate(H5S_SCALAR));
  writer.attribute(object, name, text.id(), scalar.id(), &value);
}

inline void group_attribute(Hdf5Writer& writer, const std::string& group, const char* name,
                            const char* value) {
  const hdf5::ObjectHandle opened(hdf5::written(H5Oopen(writer.id(), group.c_str(), H5P_DEFAULT)));
  text_attribute(writer, opened.id(), name, value);
}

inline void scalar_dataset(Hdf5Writer& writer, const std::string& name, int value) {
  const hdf5::SpaceHandle scalar(H5Screate(H5S_SCALAR));
  const hdf5::DatasetHandle dataset(hdf5::written(H5Dcreate2(
      writer.id(), name.c_str(), H5T_STD_I32LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  hdf5::written(H5Dwrite(dataset.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
}

// The object that a test opens, and its context.
struct ObjectFixture {
  TestContext test;
  TemporaryDirectory directory;
  const std::string root = directory.path("store");

  // Files written since the last call are new files.
  Node open() {
    test.files.clear();
    return takane::open(look_at(root), test.context).root;
  }

  static std::vector<std::string> names_in(const Group& group) {
    std::vector<std::string> names;
    for (const Member& member : group.members()) names.push_back(member.name);
    return names;
  }
};

// Returns the message of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string failure_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace plainfs::takane
