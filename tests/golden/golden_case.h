// A case of tests/data (its README says what the files of a case mean), read into memory.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace plainfs::golden {

struct ExpectedError {
  std::vector<std::string> paths;  // at least one of them must fail
  std::vector<std::string> codes;  // "EIO", "ENOTSUP"
};

struct GoldenCase {
  std::string name;
  std::filesystem::path folder;
  std::vector<std::filesystem::path> stores;  // one; several where the case is files that cannot be opened
  std::vector<std::string> expected;          // files, relative to folder / "expected"
  std::map<std::string, std::string> links;   // path -> target
  std::vector<ExpectedError> errors;
  std::vector<std::string> readable;  // outcome.txt: `path ok`
  bool mount_fails = false;
  bool mount_may_fail = false;
};

// The names of the folders in a folder, sorted.
std::vector<std::string> cases_in(const std::filesystem::path& folder);
GoldenCase read_case(const std::filesystem::path& folder);
std::string read_host_file(const std::filesystem::path& path);

}  // namespace plainfs::golden
