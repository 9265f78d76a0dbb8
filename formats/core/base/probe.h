// A probe of a location, to determine which kind of store it is. Each question goes to the disk (or the
// server) once, however often it is asked. What a recogniser had to parse is available to open().
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/base/by_type.h"
#include "formats/core/base/sources.h"

namespace plainfs {

// For one thread.
class Probe {
 public:
  Probe(std::string location, Sources& sources);
  // Examines the root folder inside the file at `location`, one of sources.inside().
  static Probe inside(std::string location, Sources& sources);
  // Examines `file` as if it were at `location`.
  Probe(std::string location, FilePtr file, Sources& sources);

  const std::string& location() const { return location_; }
  EntryKind kind() const { return kind_; }
  bool is_file() const { return kind_ == EntryKind::file; }
  bool is_folder() const { return kind_ == EntryKind::folder; }
  // Returns the sources in which the location is examined.
  Sources& sources() const { return sources_; }
  // Returns the size of a file; 0 if it cannot be opened.
  uint64_t size() const { return file_ ? file_->size() : 0; }
  // Returns the file; null if the location is not a file or cannot be opened.
  const FilePtr& file() const { return file_; }
  // Returns the first 512 bytes of a file, or as many as can be read.
  ByteSpan first_bytes() const { return first_bytes_; }
  // Returns bytes [offset, offset + size) of a file; empty if that fails.
  Bytes bytes(uint64_t offset, size_t size) const;
  // Returns whether a folder has a file `name`.
  bool has_file(const std::string& name) const;
  // Returns the bytes of the file `name` in a folder; empty if it is absent, larger than max_bytes or cannot
  // be read.
  Bytes bytes_of(const std::string& name, uint64_t max_bytes) const;

  // Returns the folder at the location. Requires: is_folder().
  KeyStorePtr folder() const { return sources_.open_folder(location_); }
  // Return the names of the files in a folder, and in the folder that contains the location, sorted. Links to
  // files count. Empty if the folder cannot be listed.
  const std::vector<std::string>& files_inside() const;
  const std::vector<std::string>& files_beside() const;

  // Returns the result of make(), which is called once for each T.
  template <class T, class Make>
  const T& once(Make&& make) const {
    return once_.once<T>(std::forward<Make>(make));
  }

 private:
  Probe(std::string location, EntryKind kind, Sources& sources)
      : location_(std::move(location)), sources_(sources), kind_(kind) {}
  std::vector<std::string> files_in(const std::string& folder) const;
  std::string inside(const std::string& name) const { return location_ + "/" + name; }

  const std::string location_;
  Sources& sources_;
  EntryKind kind_;
  FilePtr file_;
  Bytes first_bytes_;
  mutable std::map<std::string, bool> has_file_;  // by name, filled by has_file()
  mutable std::optional<std::vector<std::string>> files_inside_, files_beside_;
  mutable ByType once_;
};

}  // namespace plainfs
