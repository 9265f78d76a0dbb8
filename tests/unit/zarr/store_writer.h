// Writes small Zarr stores by hand, so that a test can break one thing in a valid one.
#pragma once

#include <boost/filesystem.hpp>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/containers/zarr/zarr.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::zarr {

class StoreWriter {
 public:
  // Writes one key. Creates its folders.
  void put(const std::string& key, std::string_view value) const {
    const boost::filesystem::path path(directory_.path(key));
    boost::filesystem::create_directories(path.parent_path());
    std::ofstream(path.string(), std::ios::binary)
        .write(value.data(), static_cast<std::streamsize>(value.size()));
  }
  template <class T>
  void put_values(const std::string& key, const std::vector<T>& values) const {
    put(key, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  void remove(const std::string& key) const { boost::filesystem::remove_all(directory_.path(key)); }

  // Members are JSON text that replaces or extends the members of a valid array of int32 [4] in chunks of 2.
  void put_v2_array(const std::string& path, const std::string& dtype = R"("<i4")",
                    const std::string& fill = "0", const std::string& more = "",
                    const std::string& shape = "[4]", const std::string& chunks = "[2]") const {
    put(path + "/.zarray",
        R"({"zarr_format":2,"shape":)" + shape + R"(,"chunks":)" + chunks + R"(,"dtype":)" + dtype +
            R"(,"compressor":null,"filters":null,"order":"C","fill_value":)" + fill + more + "}");
  }
  void put_v3_array(const std::string& path, const std::string& data_type = R"("int32")",
                    const std::string& fill = "0",
                    const std::string& codecs = R"([{"name":"bytes","configuration":{"endian":"little"}}])",
                    const std::string& shape = "[4]", const std::string& chunks = "[2]",
                    const std::string& more = "") const {
    put(path + "/zarr.json", R"({"zarr_format":3,"node_type":"array","shape":)" + shape + R"(,"data_type":)" +
                                 data_type +
                                 R"(,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":)" +
                                 chunks + R"(}},"chunk_key_encoding":"default","fill_value":)" + fill +
                                 R"(,"codecs":)" + codecs + more + "}");
  }

  std::string path() const { return directory_.path(); }
  Store open(Context& context) const { return zarr::open(look_at(path()), context); }

 private:
  TemporaryDirectory directory_;
};

// A store with a v2 root group.
struct V2Store : StoreWriter {
  V2Store() { put(".zgroup", R"({"zarr_format":2})"); }
};
struct V3Store : StoreWriter {
  V3Store() { put("zarr.json", R"({"zarr_format":3,"node_type":"group"})"); }
};

inline Node member(const Store& store, std::string_view name) {
  auto node = store.root.parts->find(name);
  if (!node) throw not_found("no member {}", name);
  return *node;
}

inline ArrayPtr array_in(const Store& store, std::string_view name) {
  return array_of(member(store, name));
}

template <class T>
std::vector<T> values_in(const Store& store, std::string_view name) {
  const Elements elements = read_all(*array_in(store, name));
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

// Returns the message of the error from reading the whole array, after its code; empty if it is readable.
inline std::string error_of(const Store& store, std::string_view name) {
  try {
    read_all(*array_in(store, name));
    return "";
  } catch (const Error& error) {
    return (is_unsupported(error) ? "ENOTSUP " : "EIO ") + std::string(error.what());
  }
}

inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline std::vector<std::string> names_of(const Group& group) {
  std::vector<std::string> names;
  for (const Member& each : group.members()) names.push_back(each.name);
  return names;
}

}  // namespace plainfs::zarr
