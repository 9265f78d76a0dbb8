// A case of tests/data (its README says what the files of a case mean), read into memory.
#pragma once

#include <boost/filesystem/path.hpp>
#include <map>
#include <string>
#include <vector>

namespace plainfs::golden {

struct ExpectedOutcome {
  std::string
      path;  // may end in ".*": every view of that name that is listed, of which there is one at least
  std::string outcome;  // "ok", "EIO", "ENOTSUP", "ENOTUNIQ" (of no listed file) or "not listed"
};

struct GoldenCase {
  std::string name;
  boost::filesystem::path folder;
  boost::filesystem::path store;               // empty where every store of the case is one of `refused`
  std::map<std::string, std::string> refused;  // file or folder name -> words of the message
  std::vector<std::string> expected;           // files, relative to folder / "expected"
  std::map<std::string, std::string> links;    // path -> target
  std::vector<ExpectedOutcome> outcomes;       // of errors.txt, outcome.txt, others.txt and absent.txt
  std::vector<std::string> warnings;           // words of a line of the log each
  // Folders whose whole listing is known -> their names in order.
  std::map<std::string, std::vector<std::string>> listings;
  std::vector<std::string> unlisted;  // paths that are found by their names and that no listing has
  bool is_closed = true;              // what it does not name must not be there, else it must be readable
};

// The names of the folders in a folder, sorted.
std::vector<std::string> cases_in(const boost::filesystem::path& folder);
// Throws std::runtime_error for a line that it does not understand, and where there is nothing to hold a
// store against.
GoldenCase read_case(const boost::filesystem::path& folder);
std::string read_host_file(const boost::filesystem::path& path);

}  // namespace plainfs::golden
