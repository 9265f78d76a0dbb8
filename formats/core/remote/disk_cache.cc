#include "formats/core/remote/disk_cache.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <system_error>

#include "formats/core/base/cursor.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/encode.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/host_path.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/remote/block_pool.h"
#include "formats/core/remote/sha256.h"

namespace plainfs::remote {
namespace {

namespace files = boost::filesystem;

constexpr std::string_view kMagic = "plainfs blocks 1", kExtension = ".blocks", kUnfinished = ".part";
constexpr uint64_t kPage = 4096;
constexpr size_t kEntry = 2 * sizeof(uint32_t);
// Larger objects (over 1 TiB) are not kept: the index of an object is read when it is opened.
constexpr uint64_t kMaxBlocks = uint64_t{1} << 24;
constexpr size_t kEntriesAtOnce = 64 << 10;

uint64_t block_count(const Version& version) {
  return version.size / kBlockBytes + (version.size % kBlockBytes != 0);
}

uint64_t entry_of(uint64_t block) {
  return kPage + block * kEntry;
}

uint64_t place_of(const Version& version, uint64_t block) {
  return (entry_of(block_count(version)) + kPage - 1) / kPage * kPage + block * kBlockBytes;
}

uint32_t checksum_of(ByteSpan bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

using BlockEntry = std::array<std::byte, kEntry>;

BlockEntry entry_for(ByteSpan bytes) {
  BlockEntry entry;
  put_little(entry.data(), checksum_of(bytes), sizeof(uint32_t));
  put_little(entry.data() + sizeof(uint32_t), 1, sizeof(uint32_t));
  return entry;
}

// Returns the number of bytes read, up to out.size(); 0 if the system refuses.
size_t read_at(int file, uint64_t offset, std::span<std::byte> out) {
  return read_all_at(file, offset, reinterpret_cast<char*>(out.data()), out.size()).value_or(0);
}

bool write_at(int file, uint64_t offset, ByteSpan bytes) {
  return write_all_at(file, offset, as_text(bytes));
}

bool can_be_kept(const Version& version) {
  const bool is_strong = version.etag.starts_with('"');
  return is_strong && version.size > 0 && block_count(version) <= kMaxBlocks;
}

Bytes head_of(const Version& version) {
  const std::string text = fmt::format("{}\n{}\n{}", version.size, version.etag, version.last_modified);
  Bytes head(kMagic.size() + kEntry);
  std::memcpy(head.data(), kMagic.data(), kMagic.size());
  put_little(&head[kMagic.size()], text.size(), sizeof(uint32_t));
  put_little(&head[kMagic.size() + sizeof(uint32_t)], checksum_of(as_byte_span(text)), sizeof(uint32_t));
  const ByteSpan bytes = as_byte_span(text);
  head.insert(head.end(), bytes.begin(), bytes.end());
  return head;
}

std::optional<Version> version_in(std::string_view text) {
  const size_t first = text.find('\n'), second = text.find('\n', first == text.npos ? first : first + 1);
  if (second == text.npos) return std::nullopt;
  Version version{0, std::string(text.substr(first + 1, second - first - 1)),
                  std::string(text.substr(second + 1))};
  const auto [end, error] = std::from_chars(text.data(), text.data() + first, version.size);
  if (error != std::errc() || end != text.data() + first) return std::nullopt;
  return version;
}

// Returns nullopt if the file was not written by this user's plainfs.
std::optional<Version> read_head(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return std::nullopt;
  Bytes page(kPage);
  page.resize(read_at(file, 0, page));
  try {
    Cursor cursor(page);
    if (cursor.text(kMagic.size()) != kMagic) return std::nullopt;
    const auto size = cursor.little<uint32_t>();
    const auto checksum = cursor.little<uint32_t>();
    const std::string_view text = cursor.text(size);
    if (checksum_of(as_byte_span(text)) != checksum) return std::nullopt;
    return version_in(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_same(const Version& one, const Version& other) {
  return one.size == other.size && one.etag == other.etag;
}

}  // namespace

DiskBlocks::DiskBlocks(std::shared_ptr<DiskCache> cache, Descriptor file, Version version)
    : cache_(std::move(cache)),
      file_(std::move(file)),
      version_(std::move(version)),
      exists_(block_count(version_)) {
  read_entries();
  cache_->opened();
}

DiskBlocks::~DiskBlocks() {
  cache_->closed();
}

// Treats a block beyond the end of the file as absent even if its entry names it: the pool would not write it
// again when it is fetched together with its neighbours.
void DiskBlocks::read_entries() {
  const MutexLock lock(mutex_);
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) return;
  const auto file_size = static_cast<uint64_t>(status.st_size);
  const uint64_t blocks = block_count(version_);
  Bytes entries;
  for (uint64_t first = 0; first < blocks; first += kEntriesAtOnce) {
    entries.resize(std::min<uint64_t>(blocks - first, kEntriesAtOnce) * kEntry);
    const size_t got = read_at(file_.number(), entry_of(first), entries) / kEntry;
    for (size_t i = 0; i < got; ++i) {
      const uint64_t end = place_of(version_, 0) + std::min(version_.size, (first + i + 1) * kBlockBytes);
      exists_[first + i] = entries[i * kEntry + sizeof(uint32_t)] == std::byte{1} && end <= file_size;
    }
    if (got * kEntry < entries.size()) return;
  }
}

bool DiskBlocks::has(uint64_t block) const {
  const MutexLock lock(mutex_);
  return block < exists_.size() && exists_[block];
}

bool DiskBlocks::read(uint64_t block, std::span<std::byte> out) {
  if (!has(block)) return false;
  BlockEntry entry;
  if (read_at(file_.number(), entry_of(block), entry) == entry.size() &&
      read_at(file_.number(), place_of(version_, block), out) == out.size() && entry == entry_for(out))
    return true;
  const MutexLock lock(mutex_);
  exists_[block] = false;
  return false;
}

void DiskBlocks::write(uint64_t block, ByteSpan bytes) {
  {
    const MutexLock lock(mutex_);
    if (is_full_ || block >= exists_.size() || exists_[block]) return;
  }
  if (!cache_->make_room(bytes.size())) return;
  const bool is_written = write_at(file_.number(), place_of(version_, block), bytes) &&
                          write_at(file_.number(), entry_of(block), entry_for(bytes));
  const MutexLock lock(mutex_);
  if (is_written)
    exists_[block] = true;
  else
    is_full_ = true;
}

DiskCache::DiskCache(std::string folder, uint64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {
  const bool is_generated = make_own_folder(folder_);
  // Only creating and locking a file shows whether that is possible.
  const std::string probe = fmt::format("{}/{}{}", folder_, ::getpid(), kUnfinished);
  const Descriptor file(
      is_generated ? ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1);
  const bool is_usable = file.number() >= 0 && ::flock(file.number(), LOCK_SH | LOCK_NB) == 0;
  const int reason = errno;
  if (file.number() >= 0) ::unlink(probe.c_str());
  if (!is_usable) throw unreadable("remote_cache={}: {}", folder_, std::generic_category().message(reason));
}

size_t DiskCache::max_open() {
  return std::clamp<size_t>(max_descriptors() / 4, 1, 1024);
}

std::string DiskCache::path_of(const std::string& address) const {
  return fmt::format("{}/{}{}", folder_, sha256_hex(address), kExtension);
}

// An open file that is protected from removal, and the version of its blocks.
struct DiskCache::CachedObject {
  Descriptor file;
  Version version;
};

DiskBlocksPtr DiskCache::hold(CachedObject kept) {
  if (open_.load(std::memory_order_relaxed) >= max_open()) return nullptr;
  return std::make_shared<DiskBlocks>(shared_from_this(), std::move(kept.file), std::move(kept.version));
}

std::optional<DiskCache::CachedObject> DiskCache::kept_at(const std::string& address) {
  Descriptor file(::open(path_of(address).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.number() < 0) return std::nullopt;
  std::optional<Version> version = read_head(file.number());
  if (!version || !can_be_kept(*version)) return std::nullopt;
  // A process that makes room holds it exclusively and removes it.
  if (::flock(file.number(), LOCK_SH | LOCK_NB) != 0) return std::nullopt;
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || status.st_nlink == 0) return std::nullopt;
  return CachedObject{std::move(file), std::move(*version)};
}

std::optional<Version> DiskCache::version_of(const std::string& address) {
  std::optional<CachedObject> kept = kept_at(address);
  return kept ? std::optional(std::move(kept->version)) : std::nullopt;
}

DiskBlocksPtr DiskCache::open(const std::string& address, const Version& version) {
  static std::atomic<unsigned> number{0};
  if (!can_be_kept(version)) return nullptr;
  if (std::optional<CachedObject> kept = kept_at(address); kept && is_same(kept->version, version)) {
    ::futimens(kept->file.number(), nullptr);
    return hold(std::move(*kept));
  }
  const Bytes head = head_of(version);
  if (head.size() > kPage || !make_room(kPage)) return nullptr;
  const std::string path = path_of(address);
  const std::string unfinished = fmt::format("{}.{}-{}{}", path, ::getpid(), ++number, kUnfinished);
  Descriptor file(::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.number() < 0) return nullptr;
  if (write_at(file.number(), 0, head) && ::flock(file.number(), LOCK_SH | LOCK_NB) == 0 &&
      ::rename(unfinished.c_str(), path.c_str()) == 0)
    return hold({std::move(file), version});
  ::unlink(unfinished.c_str());
  return nullptr;
}

bool DiskCache::make_room(uint64_t bytes) {
  const MutexLock lock(mutex_);
  written_ += bytes;
  if (!was_looked_at_ || written_ > max_bytes_ / 16) look();
  return !is_full_;
}

// Measures the files on the disk, because other programs write too. Bytes written until the next measurement
// stay within the limit.
void DiskCache::look() {
  struct Object {
    timespec used;
    uint64_t bytes;
    std::string path;
  };
  was_looked_at_ = true;
  written_ = 0;
  std::vector<Object> kept;
  uint64_t sum = 0;
  boost::system::error_code error;
  for (files::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string path = at->path().string();
    struct stat status {};
    if (!path.ends_with(kExtension) && !path.ends_with(kUnfinished)) continue;
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    kept.push_back({modified_time(status), static_cast<uint64_t>(status.st_blocks) * 512, path});
    sum += kept.back().bytes;
  }
  const uint64_t most = max_bytes_ - max_bytes_ / 8;
  if (sum > most) {
    std::sort(kept.begin(), kept.end(), [](const Object& a, const Object& b) {
      return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (auto oldest = kept.begin(); sum > most - max_bytes_ / 8 && oldest != kept.end(); ++oldest) {
      const Descriptor file(::open(oldest->path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
      if (file.number() < 0 || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) continue;  // it is in use
      if (::unlink(oldest->path.c_str()) == 0) sum -= oldest->bytes;
    }
  }
  is_full_ = sum > most;
}

}  // namespace plainfs::remote
