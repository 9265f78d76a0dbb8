#include "formats/core/base/scratch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "formats/core/base/error.h"
#include "formats/core/base/host_path.h"

namespace plainfs {

ScratchFile::~ScratchFile() {
  folder_->give_back(end_.load(std::memory_order_relaxed));
}

std::optional<uint64_t> ScratchFile::append(ByteSpan bytes) {
  if (!folder_->take(bytes.size())) return std::nullopt;
  // Bytes that cannot be written leave a hole that is never read.
  const uint64_t offset = end_.fetch_add(bytes.size(), std::memory_order_relaxed);
  if (!write_all_at(file_.number(), offset, as_text(bytes))) return std::nullopt;
  return offset;
}

void ScratchFile::read(uint64_t offset, std::span<std::byte> out) const {
  const auto got = read_all_at(file_.number(), offset, reinterpret_cast<char*>(out.data()), out.size());
  if (!got || *got != out.size())
    throw unreadable("a temporary file cannot be read: {} of {} bytes at {}", got.value_or(0), out.size(),
                     offset);
}

std::unique_ptr<ScratchFile> ScratchFolder::make() {
  static std::atomic<unsigned> number{0};
  if (!make_own_folder(path_)) return nullptr;
  // If the process ends between the next two calls, the index removes the file (fs/index/index_folder.cc).
  const std::string path = fmt::format("{}/scratch.{}-{}.part", path_, ::getpid(), ++number);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number() < 0) return nullptr;
  if (::unlink(path.c_str()) != 0) return nullptr;
  return std::unique_ptr<ScratchFile>(new ScratchFile(shared_from_this(), std::move(file)));
}

// Returns the most bytes that all files may take now.
uint64_t ScratchFolder::max_bytes() const {
  if (part_of_free_ == 0) return max_bytes_;
  struct statvfs status {};
  std::filesystem::path place(path_);  // the folder, or what it will be created in
  while (::statvfs(place.c_str(), &status) != 0) {
    if (!place.has_relative_path()) return max_bytes_;
    place = place.parent_path();
  }
  const uint64_t free_bytes = uint64_t{status.f_bavail} * status.f_frsize;
  return std::max(max_bytes_, (free_bytes + held_bytes_.load(std::memory_order_relaxed)) / part_of_free_);
}

uint64_t ScratchFolder::room() const {
  const uint64_t held = held_bytes_.load(std::memory_order_relaxed), most = max_bytes();
  return held < most ? most - held : 0;
}

bool ScratchFolder::take(uint64_t bytes) {
  const uint64_t most = max_bytes();
  uint64_t held = held_bytes_.load(std::memory_order_relaxed);
  do {
    if (bytes > most || held > most - bytes) return false;
  } while (!held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  return true;
}

}  // namespace plainfs
