#include "fs/serve/http/entity_tag.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/base/open_folder.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/trimmed.h"
#include "fs/serve/http/field_text.h"

namespace plainfs::serve {
namespace {

constexpr int kDeepestFolder = 64;

// Appends a line for a file. Omits the device number, which a restart may change.
void append_line(const std::string& name, const struct stat& status, std::string& text) {
  const timespec modified = modified_time(status), changed = changed_time(status);
  text += fmt::format("{}:{} {} {} {} {}.{} {}.{}\n", name.size(), name, status.st_ino, status.st_mode,
                      status.st_size, modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec);
}

// Appends the files below a folder. Returns false if that is impossible or too expensive.
bool append_folder(const std::string& folder, int depth, size_t& left, std::string& text) {
  if (depth > kDeepestFolder) return false;
  const OpenFolder open(::opendir(folder.c_str()));
  if (!open) return false;
  std::vector<std::string> names;
  while (const dirent* const entry = next_entry(open)) {
    if (left-- == 0) return false;
    names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) return false;
    append_line(name, status, text);
    if (!S_ISDIR(status.st_mode)) continue;
    text += "(\n";
    if (!append_folder(path, depth + 1, left, text)) return false;
    text += ")\n";
  }
  return true;
}

}  // namespace

std::string EntityTags::of(size_t store, uint64_t opening, std::string_view path) const {
  if (opening == 0 && store < identities_.size() && !identities_[store].empty())
    return fmt::format("\"{}\"",
                       remote::sha256_hex(fmt::format("{}\n{}", identities_[store], path)).substr(0, 32));
  return fmt::format("\"{}-{:x}-{:x}-{}\"", run_, store, opening,
                     remote::sha256_hex(std::string(path)).substr(0, 16));
}

// plainfs's tags contain no comma. The list may contain a weak form of one of them (from a proxy that
// compresses).
bool lists_tag(std::string_view field, std::string_view tag) {
  if (trimmed(field) == "*") return true;
  for (std::string_view item : list_items(field)) {
    if (item.starts_with("W/")) item.remove_prefix(2);
    if (item == tag) return true;
  }
  return false;
}

bool allows_parts(std::string_view if_range, std::string_view tag) {
  return if_range.empty() || trimmed(if_range) == tag;
}

std::optional<std::string> store_identity(const std::string& location) {
  if (is_url(location)) return std::nullopt;
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(location.c_str(), nullptr), std::free);
  struct stat status {};
  if (!real || ::stat(real.get(), &status) != 0) return std::nullopt;
  std::string text = std::string(real.get()) + "\n", folder = real.get();
  append_line("", status, text);
  if (!S_ISDIR(status.st_mode)) folder = folder_of_path(folder);
  size_t left = kMaxIdentityFiles;
  if (!append_folder(folder, 0, left, text)) return std::nullopt;
  return remote::sha256_hex(text);
}

}  // namespace plainfs::serve
