#include "tests/golden/mounted_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "formats/open_store.h"

namespace plainfs::golden {
namespace {

// Files for other tools have separate tests.
constexpr std::string_view kViews = "csv,npy,mtx,tsv,json,vcf,nc,plink,bgen,parts";

}  // namespace

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

MountedCase::MountedCase(const boost::filesystem::path& store, size_t cache_bytes) : context_(cache_bytes) {
  opened_ = std::make_shared<const Store>(open_store(store.string(), context_));
  Appearance appearance;
  appearance.views = views_named(kViews);
  appearance.views.are_named = false;  // files found by name are not listed
  filesystem_.emplace(opened_, std::move(appearance), context_);
  filesystem_->set_error_log([this](const std::string& line) { log_.push_back(line); });
}

std::string MountedCase::read(const std::string& path) {
  const OpenFile file = filesystem_->open(filesystem_->find(path));
  std::string all;
  for (;;) {
    const std::string part = slice(file, all.size(), 1 << 17);
    all += part;
    if (part.size() < 1 << 17) return all;
  }
}

uint64_t MountedCase::end_of(const std::string& path, uint64_t size) {
  constexpr uint64_t kReadWhole = 4 << 20;
  constexpr size_t kAtEnds = 256 << 10;
  if (size <= kReadWhole) return read(path).size();
  const OpenFile file = filesystem_->open(filesystem_->find(path));
  slice(file, 0, kAtEnds);
  return size - kAtEnds + slice(file, size - kAtEnds, 2 * kAtEnds).size();
}

uint64_t MountedCase::size(const std::string& path) {
  return static_cast<uint64_t>(filesystem_->status(filesystem_->find(path)).st_size);
}

std::vector<MountedCase::Sample> MountedCase::samples(const std::string& path, uint64_t size) {
  constexpr size_t kLengths[] = {1, 7, 100, 4096, 70000};
  const OpenFile file = filesystem_->open(filesystem_->find(path));
  std::mt19937_64 random(size);
  std::vector<Sample> all;
  for (int i = 0; i < 16 && size != 0; ++i) {
    const uint64_t offset = random() % size;
    const size_t length = kLengths[random() % std::size(kLengths)];
    all.push_back({offset, length, slice(file, offset, length)});
  }
  return all;
}

std::string MountedCase::outcome(const std::string& path) {
  Inode inode = kRootInode;
  try {
    inode = filesystem_->find(path);
    if (S_ISDIR(filesystem_->status(inode).st_mode)) filesystem_->list(inode);
    const struct stat status = filesystem_->status(inode);
    if (S_ISREG(status.st_mode)) end_of(path, static_cast<uint64_t>(status.st_size));
    return "ok";
  } catch (const Error& error) {
    const int code = filesystem_->report(inode, error);
    return code == EIO        ? "EIO"
           : code == ENOTSUP  ? "ENOTSUP"
           : code == ENOENT   ? "ENOENT"
           : code == ENOTUNIQ ? "ENOTUNIQ"
                              : fmt::format("errno {}", code);
  }
}

std::vector<std::string> MountedCase::names_in(const std::string& folder) {
  std::vector<std::string> names;
  const ListingPtr listing = filesystem_->list(filesystem_->find(folder));
  for (const Listing::Entry& entry : listing->entries()) names.push_back(entry.name);
  return names;
}

bool MountedCase::lists(const std::string& path) {
  try {
    const std::vector<std::string> names = names_in(folder_of(path));
    return std::find(names.begin(), names.end(), file_name(path)) != names.end();
  } catch (const Error&) {
    return false;
  }
}

std::string MountedCase::link_target(const std::string& path) {
  return filesystem_->read_link(filesystem_->find(path));
}

bool MountedCase::warned(const std::string& text) const {
  const auto holds = [&](const std::string& line) { return line.find(text) != std::string::npos; };
  return context_.warned(text) || std::any_of(log_.begin(), log_.end(), holds);
}

std::map<std::string, MountedCase::Kind> MountedCase::walk(std::vector<std::string>& wrong) {
  std::map<std::string, Kind> all;
  walk("", all, wrong);
  return all;
}

void MountedCase::walk(const std::string& folder, std::map<std::string, Kind>& all,
                       std::vector<std::string>& wrong) {
  ListingPtr listing;
  try {
    listing = filesystem_->list(filesystem_->find("/" + folder));
  } catch (const Error&) {
    return;
  }
  for (const Listing::Entry& entry : listing->entries()) {
    const std::string path = folder + entry.name;
    Kind& kind = all[path] = Kind::unknown;
    try {
      const struct stat status = filesystem_->status(entry.inode);
      kind = S_ISDIR(status.st_mode) ? Kind::folder : S_ISLNK(status.st_mode) ? Kind::link : Kind::file;
      if (kind == Kind::folder) walk(path + "/", all, wrong);
      const auto size = static_cast<uint64_t>(status.st_size);
      if (kind == Kind::file && end_of(path, size) != size) wrong.push_back(path);
    } catch (const Error&) {
      continue;
    }
  }
}

std::string MountedCase::slice(const OpenFile& file, uint64_t offset, size_t size) {
  const Slices slices = filesystem_->read(file, offset, size);
  std::string bytes(slices.size(), '\0');
  slices.copy_to(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace plainfs::golden
