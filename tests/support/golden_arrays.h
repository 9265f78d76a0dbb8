// Compares arrays with the expected files of a golden case, without the views: .npy byte for byte, and lists
// of names as CSV.
#pragma once

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/core/model/arrays/array.h"
#include "formats/core/model/node.h"

namespace plainfs {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Compares an array with an NPY 1.0 file of one of BPCells' types.
inline void compare_npy(const std::string& path, const Array& array) {
  const std::string npy = read_file(path);
  BOOST_REQUIRE_GT(npy.size(), 10u);
  const size_t header = 10 + static_cast<uint8_t>(npy[8]) + 256 * static_cast<uint8_t>(npy[9]);
  const char kind = array.dtype().kind == Kind::real ? 'f' : 'u';
  const std::string descr = fmt::format("'descr': '<{}{}'", kind, array.dtype().size);
  BOOST_TEST(npy.find(descr) < header, npy.substr(10, header - 10) << " is not " << descr);
  BOOST_TEST(npy.find(fmt::format("'shape': ({},)", array.count())) < header);
  Bytes packed(array.count() * array.dtype().packed_size());
  pack(array.dtype(), read_all(array), 0, array.count(), packed.data());
  BOOST_TEST((as_text(packed) == std::string_view(npy).substr(header)));
}

// Compares an array with a CSV of names, quoted if necessary.
inline void compare_names(const std::string& path, const Array& array) {
  const Elements names = read_all(array);
  std::string csv;
  for (uint64_t i = 0; i < names.count; ++i) {
    std::string name(names.text(i));
    if (name.empty() || name == "NA" || name.find_first_of(",\"\r\n") != std::string::npos) {
      for (size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
      name = '"' + name + '"';
    }
    csv += name + "\n";
  }
  BOOST_TEST(csv == read_file(path));
}

// Compares every member of `parts`, except the one named `except`, with folder/NAME.npy or folder/NAME.csv.
// Returns the number of members.
inline size_t compare_members(const std::string& folder, const Group& parts, const std::string& except = "") {
  const std::vector<Member> members = parts.members();
  for (const Member& member : members) {
    if (member.name == except) continue;
    const ArrayPtr array = array_of(member.node);
    const std::string expected = folder + "/" + member.name;
    BOOST_TEST_CONTEXT(expected) {
      array->check();
      if (array->dtype().kind == Kind::text)
        compare_names(expected + ".csv", *array);
      else
        compare_npy(expected + ".npy", *array);
    }
  }
  return members.size();
}

}  // namespace plainfs
