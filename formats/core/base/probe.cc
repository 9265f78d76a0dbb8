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

Probe::Probe(std::string location, FilePtr file, Sources& sources)
    : location_(std::move(location)), sources_(sources), kind_(EntryKind::file), file_(std::move(file)) {
  first_bytes_ = bytes(0, static_cast<size_t>(std::min<uint64_t>(size(), kFirstBytes)));
}

Probe Probe::inside(std::string location, Sources& sources) {
  return {std::move(location), EntryKind::folder, sources};
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
  const bool exists = sources_.kind_of(inside(name)) == EntryKind::file;
  has_file_.emplace(name, exists);
  return exists;
}

std::vector<std::string> Probe::files_in(const std::string& folder) const {
  std::vector<std::string> names;
  try {
    if (!sources_.inside().has(folder) && sources_.kind_of(folder) != EntryKind::folder) return names;
    for (Entry& entry : sources_.open_folder(folder)->list(""))
      if (entry.kind == EntryKind::file) names.push_back(std::move(entry.name));
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    names.clear();  // opening it reports the reason
  }
  return names;
}

const std::vector<std::string>& Probe::files_inside() const {
  if (!files_inside_) files_inside_ = is_folder() ? files_in(location_) : std::vector<std::string>();
  return *files_inside_;
}

const std::vector<std::string>& Probe::files_beside() const {
  if (!files_beside_) {
    const size_t slash = location_.rfind('/');
    files_beside_ = slash == std::string::npos ? std::vector<std::string>()
                                               : files_in(location_.substr(0, std::max<size_t>(slash, 1)));
  }
  return *files_beside_;
}

Bytes Probe::bytes_of(const std::string& name, uint64_t max_bytes) const {
  if (!has_file(name)) return {};
  try {
    const FilePtr file = sources_.look_into(inside(name));
    if (file && file->size() <= max_bytes) return file->read_at(0, file->size());
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    // opening it reports the reason
  }
  return {};
}

}  // namespace plainfs
