// A file that R could have written.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/temporary_directory.h"
#include "tests/unit/rds/r_stream.h"

namespace plainfs::rds {

class RdsFile {
 public:
  explicit RdsFile(const std::string& content, const std::string& name = "store.rds")
      : path(directory_.path(name)) {
    std::ofstream(path, std::ios::binary) << content;
  }

 private:
  TemporaryDirectory directory_;

 public:
  const std::string path;
};

// Begins a stream with its header.
inline RStream start(bool big_endian = true) {
  RStream out(big_endian);
  out.header();
  return out;
}

}  // namespace plainfs::rds
