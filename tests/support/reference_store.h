// A Zarr v2 store of random groups and arrays on disk, and every file that a mount of it must show, computed
// in the simplest way.
#pragma once

#include <boost/filesystem/path.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

namespace plainfs {

struct ReferenceStore {
  std::map<std::string, std::string> files;              // "g/a.csv" -> its bytes
  std::map<std::string, std::set<std::string>> folders;  // "" and "g" -> the names in it

  // Writes a store at `folder`, replacing its content.
  static ReferenceStore write(const boost::filesystem::path& folder, std::mt19937_64& random);
};

}  // namespace plainfs
