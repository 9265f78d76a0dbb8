// Probes a local path, for tests of recognisers.
#pragma once

#include <string>

#include "formats/core/base/file_pool.h"
#include "formats/core/base/probe.h"

namespace plainfs {

inline Probe look_at(const std::string& path) {
  static FilePool files;
  return Probe(path, files);
}

}  // namespace plainfs
