#include "tests/golden/golden_case.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace plainfs::golden {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// `path<TAB>EIO|ENOTSUP`; `x.*` stands for x.csv and x.npy.
ExpectedError parse_error(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\t');
  const std::string& path = fields.at(0);
  ExpectedError error{{path}, split(fields.at(1), '|')};
  if (path.ends_with(".*")) {
    const std::string stem = path.substr(0, path.size() - 2);
    error.paths = {stem + ".csv", stem + ".npy"};
  }
  return error;
}

// Of outcome.txt what is no prose: `path EIO`, `path ENOTSUP`, `path ok`, `mount fails`, `mount fails or ok`.
void read_outcome(const fs::path& file, GoldenCase& golden) {
  for (const std::string& line : lines_of(file)) {
    const size_t blank = line.find(' ');
    const std::string path = line.substr(0, blank), outcome = line.substr(blank + 1);
    if (line == "mount fails") golden.mount_fails = true;
    if (line == "mount fails or ok") golden.mount_may_fail = true;
    if (outcome == "EIO" || outcome == "ENOTSUP") golden.errors.push_back({{path}, {outcome}});
    if (outcome == "ok" && path != "link") golden.readable.push_back(path);
  }
}

void find_stores(GoldenCase& golden) {
  for (const fs::directory_entry& entry : fs::directory_iterator(golden.folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "store" || name.starts_with("store.")) golden.stores = {entry.path()};
  }
  if (!golden.stores.empty()) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(golden.folder))
    if (entry.path().extension() == ".h5") golden.stores.push_back(entry.path());
  golden.mount_fails = true;
}

}  // namespace

std::vector<std::string> cases_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

GoldenCase read_case(const fs::path& folder) {
  GoldenCase golden;
  golden.name = folder.filename().string();
  golden.folder = folder;
  find_stores(golden);
  const fs::path expected = folder / "expected";
  if (fs::exists(expected))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(expected))
      if (entry.is_regular_file())
        golden.expected.push_back(entry.path().lexically_relative(expected).string());
  std::sort(golden.expected.begin(), golden.expected.end());
  for (const std::string& line : lines_of(folder / "links.txt")) {
    const size_t arrow = line.find(" -> ");
    golden.links[line.substr(0, arrow)] = line.substr(arrow + 4);
  }
  for (const std::string& line : lines_of(folder / "errors.txt")) golden.errors.push_back(parse_error(line));
  read_outcome(folder / "outcome.txt", golden);
  return golden;
}

std::string read_host_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plainfs::golden
