#include "tests/golden/case_check.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <set>

#include "tests/golden/content.h"
#include "tests/golden/golden_case.h"
#include "tests/golden/mounted_case.h"

namespace plainfs::golden {
namespace {

using Problems = std::vector<std::string>;
using Listed = std::map<std::string, MountedCase::Kind>;

std::string_view section_of(const std::string& path) {
  const std::string name = file_name(path);
  if (name == ".attrs.json") return "section 1";
  if (name == "matrix.mtx" || name == "genes.tsv" || name == "barcodes.tsv") return "section 5";
  if (name == "fragments.tsv") return "section 6";
  return name.ends_with(".csv") ? "sections 2 to 4 and 7" : "sections 3 and 7";
}

// Returns the problem of the file at `path`, or an empty string. Random reads come first, because they must
// not depend on a sequential pass.
std::string file_problem(MountedCase& mounted, const std::string& path, const std::string& want) {
  try {
    const uint64_t size = mounted.size(path);
    const auto samples = mounted.samples(path, size);
    const std::string got = mounted.read(path);
    if (got.size() != size) return fmt::format("stat gives {} bytes, reading gives {}", size, got.size());
    for (const auto& sample : samples)
      if (sample.bytes != got.substr(sample.offset, sample.length))
        return fmt::format("{} bytes at {} differ from a read in order", sample.length, sample.offset);
    return difference(file_name(path), want, got);
  } catch (const Error& error) {
    return error.what();
  }
}

void check_files(MountedCase& mounted, const GoldenCase& golden, Problems& problems) {
  for (const std::string& path : golden.expected) {
    const std::string problem =
        file_problem(mounted, path, read_host_file(golden.folder / "expected" / path));
    if (!problem.empty()) problems.push_back(fmt::format("{} ({}): {}", path, section_of(path), problem));
  }
}

void check_links(MountedCase& mounted, const GoldenCase& golden, Problems& problems) {
  for (const auto& [path, target] : golden.links) {
    std::string got;
    try {
      got = mounted.link_target(path);
    } catch (const Error& error) {
      got = error.what();
    }
    if (got != target) problems.push_back(fmt::format("{} (section 1.1): '{}', not '{}'", path, got, target));
  }
}

// Returns the listed files that a path of a case selects.
std::vector<std::string> files_of(const std::string& path, const Listed& listed) {
  if (!path.ends_with(".*")) return {path};
  const std::string stem = path.substr(0, path.size() - 1);
  std::vector<std::string> files;
  for (const auto& [name, kind] : listed)
    if (name.starts_with(stem) && name.find_first_of("./", stem.size()) == std::string::npos)
      files.push_back(name);
  if (files.empty()) files = {stem + "csv"};
  return files;
}

void check_outcomes(MountedCase& mounted, const GoldenCase& golden, const Listed& listed,
                    Problems& problems) {
  for (const ExpectedOutcome& expected : golden.outcomes) {
    for (const std::string& path : files_of(expected.path, listed)) {
      std::string outcome = mounted.lists(path) ? mounted.outcome(path) : "not listed";
      if (expected.outcome == "ENOTUNIQ" && outcome == "not listed") outcome = mounted.outcome(path);
      const bool is_found = outcome == "not listed" && !golden.listings.empty();
      if (is_found && mounted.outcome(path) != "ENOENT") outcome = "found by its name";
      if (outcome != expected.outcome)
        problems.push_back(fmt::format("{} (section 9): {}, not {}", path, outcome, expected.outcome));
    }
  }
}

void check_listings(MountedCase& mounted, const GoldenCase& golden, Problems& problems) {
  for (const auto& [folder, names] : golden.listings) {
    const std::vector<std::string> listed = mounted.names_in(folder);
    if (listed != names)
      problems.push_back(fmt::format("{} (section 12): lists {}, not {}", folder, fmt::join(listed, " "),
                                     fmt::join(names, " ")));
  }
  for (const std::string& path : golden.unlisted) {
    if (mounted.outcome(path) != "ok")
      problems.push_back(
          fmt::format("{} (section 12): {}, not found by its name", path, mounted.outcome(path)));
    const std::vector<std::string> beside = mounted.names_in(folder_of(path));
    if (std::find(beside.begin(), beside.end(), file_name(path)) != beside.end())
      problems.push_back(fmt::format("{} (section 12): is listed", path));
  }
}

// Returns everything that the case expects, including parent folders.
std::set<std::string> wanted(const GoldenCase& golden, const Listed& listed) {
  std::set<std::string> all(golden.expected.begin(), golden.expected.end());
  for (const auto& [path, target] : golden.links) all.insert(path);
  for (const ExpectedOutcome& outcome : golden.outcomes)
    for (const std::string& path : files_of(outcome.path, listed)) all.insert(path);
  std::set<std::string> folders;
  for (const std::string& path : all)
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
      folders.insert(path.substr(0, slash));
  all.merge(folders);
  return all;
}

// Returns whether the file belongs to the store and passes through unchanged.
bool is_passed_through(MountedCase& mounted, const GoldenCase& golden, const std::string& path) {
  const boost::filesystem::path own = golden.store / path;
  return boost::filesystem::is_regular_file(own) && mounted.read(path) == read_host_file(own);
}

// The fixtures omit attributes that consist of dimension_names alone.
bool is_dimension_names(MountedCase& mounted, const std::string& path) {
  return file_name(path) == ".attrs.json" && difference(".attrs.json", "{}", mounted.read(path)).empty();
}

// Checks that a good store has no unexpected files or links, and that everything else in a damaged one is
// readable.
void check_everything_else(MountedCase& mounted, const GoldenCase& golden, const Listed& listed,
                           Problems& problems) {
  const std::set<std::string> all = wanted(golden, listed);
  const bool lists_attributes = std::any_of(
      all.begin(), all.end(), [](const std::string& path) { return file_name(path) == ".attrs.json"; });
  for (const auto& [path, kind] : listed) {
    if (all.contains(path)) continue;
    const std::string outcome = kind == MountedCase::Kind::link ? "ok" : mounted.outcome(path);
    if (outcome != "ok") {
      problems.push_back(fmt::format("{} (section 9): {}, not ok", path, outcome));
    } else if (golden.is_closed && kind != MountedCase::Kind::folder) {
      const bool left_out =
          file_name(path) == ".attrs.json" && (!lists_attributes || is_dimension_names(mounted, path));
      if (!left_out && !is_passed_through(mounted, golden, path))
        problems.push_back(fmt::format("{}: listed, and not expected", path));
    }
  }
}

void check_refused(const GoldenCase& golden, Problems& problems) {
  for (const auto& [store, words] : golden.refused) {
    try {
      MountedCase(golden.folder / store, 1 << 20);
      problems.push_back(fmt::format("{} (section 9): opens, where '{}' is expected", store, words));
    } catch (const Error& error) {
      if (std::string_view(error.what()).find(words) == std::string_view::npos)
        problems.push_back(
            fmt::format("{} (section 9): '{}' does not contain '{}'", store, error.what(), words));
    }
  }
}

void check_mounted(const GoldenCase& golden, size_t cache_bytes, Problems& problems) {
  MountedCase mounted(golden.store, cache_bytes);
  check_files(mounted, golden, problems);
  check_links(mounted, golden, problems);
  const Listed listed = mounted.walk(problems);
  check_listings(mounted, golden, problems);
  check_outcomes(mounted, golden, listed, problems);
  check_everything_else(mounted, golden, listed, problems);
  for (const std::string& words : golden.warnings)
    if (!mounted.warned(words)) problems.push_back(fmt::format("no line of the log has '{}'", words));
}

}  // namespace

std::vector<std::string> problems_of(const boost::filesystem::path& folder) {
  Problems problems;
  try {
    const GoldenCase golden = read_case(folder);
    check_refused(golden, problems);
    if (golden.store.empty()) return problems;
    // The second cache is smaller than most values, so that nothing depends on cached data.
    for (const size_t cache_bytes : {size_t{64} << 20, size_t{16} << 10})
      check_mounted(golden, cache_bytes, problems);
  } catch (const std::exception& error) {
    problems.emplace_back(error.what());
  }
  return problems;
}

}  // namespace plainfs::golden
