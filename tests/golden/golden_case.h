// A case of tests/data, read into memory. The README there documents the files of a case.
#pragma once

#include <boost/filesystem/path.hpp>
#include <map>
#include <string>
#include <vector>

namespace plainfs::golden {

struct ExpectedOutcome {
  std::string path;     // may end in ".*": every listed view of that name, at least one
  std::string outcome;  // "ok", "EIO", "ENOTSUP", "ENOTUNIQ" (of an unlisted file) or "not listed"
};

struct GoldenCase {
  std::string name;
  boost::filesystem::path folder;
  boost::filesystem::path store;               // empty if every store of the case is in `refused`
  std::map<std::string, std::string> refused;  // file or folder name -> words of the message
  std::vector<std::string> expected;           // files, relative to folder / "expected"
  std::map<std::string, std::string> links;    // path -> target
  std::vector<ExpectedOutcome> outcomes;       // from errors.txt, outcome.txt, others.txt and absent.txt
  std::vector<std::string> warnings;           // words of one log line each
  // Folders with a completely known listing -> their names in order.
  std::map<std::string, std::vector<std::string>> listings;
  std::vector<std::string> unlisted;  // paths that are found by name but not listed
  bool is_closed = true;              // unnamed files must be absent; otherwise they must be readable
};

// Returns the sorted names of the subfolders of a folder.
std::vector<std::string> cases_in(const boost::filesystem::path& folder);
// Reads the case in `folder`. Throws std::runtime_error for an unknown line, and if the case expects nothing.
GoldenCase read_case(const boost::filesystem::path& folder);
std::string read_host_file(const boost::filesystem::path& path);

}  // namespace plainfs::golden
