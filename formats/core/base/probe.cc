#include "formats/core/base/probe.h"

#include <algorithm>

#include "formats/core/base/error.h"

namespace plainfs {
namespace {

constexpr size_t kFirstBytes = 512;

}  // namespace

Probe::Probe(std::string location, Sources& sources)
    : location_(std::move(location)), sources_(sources), kind_(sources.kind_of(location_)) {
  if (!is_file()) return;
  file_ = sources.look_into(location_);
  first_bytes_ = bytes(0, static_cast<size_t>(std::min<uint64_t>(size(), kFirstBytes)));
}

Bytes Probe::bytes(uint64_t offset, size_t size) const {
  try {
    if (file_) return file_->read_at(offset, size);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    // opening it reports the reason
  }
  return {};
}

bool Probe::has_file(const std::string& name) const {
  if (!is_folder()) return false;
  if (const auto asked = has_file_.find(name); asked != has_file_.end()) return asked->second;
  const bool is_there = sources_.kind_of(inside(name)) == EntryKind::file;
  has_file_.emplace(name, is_there);
  return is_there;
}

Bytes Probe::bytes_of(const std::string& name, uint64_t most_bytes) const {
  if (!has_file(name)) return {};
  try {
    const FilePtr file = sources_.look_into(inside(name));
    if (file && file->size() <= most_bytes) return file->read_at(0, file->size());
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    // opening it reports the reason
  }
  return {};
}

}  // namespace plainfs
