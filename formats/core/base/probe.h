// A location that is looked at to find out what kind of store is there. Each question is asked of the disk
// (or of the server) once, however often it is put, and what a recogniser had to parse is there for open().
#pragma once

#include <any>
#include <map>
#include <string>
#include <typeindex>

#include "formats/core/base/sources.h"

namespace plainfs {

// For one thread.
class Probe {
 public:
  Probe(std::string location, Sources& sources);

  const std::string& location() const { return location_; }
  EntryKind kind() const { return kind_; }
  bool is_file() const { return kind_ == EntryKind::file; }
  bool is_folder() const { return kind_ == EntryKind::folder; }
  // Of a file; 0 where it cannot be opened.
  uint64_t size() const { return file_ ? file_->size() : 0; }
  // Null where it is none, or cannot be opened.
  const FilePtr& file() const { return file_; }
  // The first 512 bytes of a file, or as many as can be had.
  ByteSpan first_bytes() const { return first_bytes_; }
  // Bytes [offset, offset + size) of a file; none where that fails.
  Bytes bytes(uint64_t offset, size_t size) const;
  // Whether a folder has a file of that name.
  bool has_file(const std::string& name) const;
  // The file of that name in a folder; none where there is none, it has more than most_bytes, or cannot be
  // read.
  Bytes bytes_of(const std::string& name, uint64_t most_bytes) const;

  // What make() gives, made once for each T.
  template <class T, class Make>
  const T& once(Make&& make) const {
    std::any& made = made_[typeid(T)];
    if (!made.has_value()) made = T(make());
    return *std::any_cast<T>(&made);
  }

 private:
  std::string inside(const std::string& name) const { return location_ + "/" + name; }

  const std::string location_;
  Sources& sources_;
  EntryKind kind_;
  FilePtr file_;
  Bytes first_bytes_;
  mutable std::map<std::string, bool> has_file_;  // by name, where it was asked
  mutable std::map<std::type_index, std::any> made_;
};

}  // namespace plainfs
