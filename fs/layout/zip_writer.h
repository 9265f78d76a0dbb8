// A writer of zip archives with members of unknown size. Members are stored, so that a reader can take any
// part of a member from its place.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fs/layout/zip_records.h"
#include "fs/text/packed_form.h"

namespace plainfs {

class ZipWriter {
 public:
  // out: the archive.
  explicit ZipWriter(PackedSink& out) : out_(out) {}

  // Adds a member. write: writes every byte once, and in order, and returns the size. is_large: the member
  // may have 4 GiB or more. Throws unsupported if another one has, or the name is longer than 65,535 bytes.
  // Requires: names are distinct, relative and UTF-8.
  void add(const std::string& name, bool is_large, const std::function<uint64_t(PackedSink& member)>& write);
  // Writes the directory of the archive and returns the size of all. Nothing can be added then.
  uint64_t finish();

 private:
  PackedSink& out_;
  uint64_t size_ = 0;
  std::vector<ZipEntry> entries_;
};

}  // namespace plainfs
