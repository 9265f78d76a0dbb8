#include "tests/golden/golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace plainfs::golden {
namespace disk = boost::filesystem;
namespace {

std::vector<std::string> lines_of(const disk::path& file) {
  std::vector<std::string> lines;
  disk::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

[[noreturn]] void not_understood(const disk::path& file, const std::string& line) {
  throw std::runtime_error(fmt::format("{}: '{}' is no statement that can be checked (tests/data/README.md)",
                                       file.filename().string(), line));
}

void read_links(const disk::path& file, GoldenCase& golden) {
  for (const std::string& line : lines_of(file)) {
    const size_t arrow = line.find(" -> ");
    if (arrow == std::string::npos) not_understood(file, line);
    golden.links[line.substr(0, arrow)] = line.substr(arrow + 4);
  }
}

void read_errors(const disk::path& file, GoldenCase& golden) {
  static const std::regex error("([^\t]+)\t(EIO|ENOTSUP|ENOTUNIQ)");
  for (const std::string& line : lines_of(file)) {
    std::smatch match;
    if (!std::regex_match(line, match, error)) not_understood(file, line);
    golden.outcomes.push_back({match[1], match[2]});
  }
}

void read_outcomes(const disk::path& file, GoldenCase& golden) {
  static const std::regex outcome(R"((.+?) (ok|EIO|ENOTSUP|not listed)( \(.*\))?)");
  static const std::regex refused("mount(?: of (\\S+))? fails: (.+)");
  static const std::regex warning("log: (.+)");
  for (const std::string& line : lines_of(file)) {
    std::smatch match;
    if (std::regex_match(line, match, refused)) {
      golden.refused[match[1].matched ? match[1].str() : golden.store.filename().string()] = match[2];
    } else if (std::regex_match(line, match, warning)) {
      golden.warnings.push_back(match[1]);
    } else if (std::regex_match(line, match, outcome)) {
      golden.outcomes.push_back({match[1], match[2]});
    } else {
      not_understood(file, line);
    }
  }
}

void read_expected(const disk::path& expected, GoldenCase& golden) {
  if (!disk::exists(expected)) return;
  for (const disk::directory_entry& entry : disk::recursive_directory_iterator(expected)) {
    if (disk::is_regular_file(entry.path()))
      golden.expected.push_back(entry.path().lexically_relative(expected).string());
  }
  std::sort(golden.expected.begin(), golden.expected.end());
}

// A case of parts that are found by name shows only them, regardless of the rest of the store.
void read_listings(const disk::path& folder, GoldenCase& golden) {
  if (!disk::exists(folder)) return;
  golden.is_closed = false;
  for (const disk::directory_entry& entry : disk::recursive_directory_iterator(folder)) {
    if (!disk::is_regular_file(entry.path())) continue;
    const std::string name = entry.path().lexically_relative(folder).string();
    golden.listings[name.substr(0, name.size() - std::string(".txt").size())] = lines_of(entry.path());
  }
}

disk::path store_in(const disk::path& folder) {
  for (const disk::directory_entry& entry : disk::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "store" || name.starts_with("store.")) return entry.path();
  }
  return {};
}

}  // namespace

std::vector<std::string> cases_in(const disk::path& folder) {
  std::vector<std::string> names;
  for (const disk::directory_entry& entry : disk::directory_iterator(folder))
    if (disk::is_directory(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

GoldenCase read_case(const disk::path& folder) {
  GoldenCase golden;
  golden.name = folder.filename().string();
  golden.folder = folder;
  golden.store = store_in(folder);
  read_expected(folder / "expected", golden);
  read_links(folder / "links.txt", golden);
  read_errors(folder / "errors.txt", golden);
  read_outcomes(folder / "outcome.txt", golden);
  for (const std::string& path : lines_of(folder / "others.txt")) golden.outcomes.push_back({path, "ok"});
  for (const std::string& path : lines_of(folder / "absent.txt"))
    golden.outcomes.push_back({path, "not listed"});
  golden.is_closed = !disk::exists(folder / "outcome.txt");
  read_listings(folder / "listings", golden);
  golden.unlisted = lines_of(folder / "absent-from-listing.txt");
  if (golden.refused.contains(golden.store.filename().string())) golden.store.clear();
  const bool has_expectation = !golden.expected.empty() || !golden.links.empty() || !golden.outcomes.empty();
  if (golden.store.empty() ? golden.refused.empty() : !has_expectation)
    throw std::runtime_error(fmt::format("{}: nothing to hold the store against", folder.string()));
  return golden;
}

std::string read_host_file(const disk::path& path) {
  disk::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace plainfs::golden
