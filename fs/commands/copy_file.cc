#include "fs/commands/copy_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <vector>

#include "formats/base/checked.h"
#include "formats/base/modified_time.h"
#include "fs/exit_code.h"

namespace plainfs {
namespace {

constexpr uint64_t kPiece = 4 << 20;  // bytes made by one thread at a time

Failure disk_failure(const std::string& path) {
  return Failure(kNotWritten, fmt::format("{}: {}", path, std::strerror(errno)));
}

// Beside the target, of a name that no member has, different for a store that has changed since.
std::string temporary_name(const Copy& copy, timespec time) {
  const size_t slash = copy.target.rfind('/');
  const std::string what =
      fmt::format("{}\n{}\n{}\n{}", copy.target.substr(slash + 1), copy.size, time.tv_sec, time.tv_nsec);
  boost::crc_32_type crc;
  crc.process_bytes(what.data(), what.size());
  return fmt::format("{}.{:08x}.plainfs-part", copy.target.substr(0, slash + 1), crc.checksum());
}

class Output {
 public:
  explicit Output(std::string path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) throw disk_failure(path_);
  }
  ~Output() { ::close(descriptor_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  uint64_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw disk_failure(path_);
    return static_cast<uint64_t>(status.st_size);
  }
  void write_at(uint64_t offset, const Slices& slices) {
    for (const iovec& part : slices.parts) {
      const char* at = static_cast<const char*>(part.iov_base);
      for (size_t left = part.iov_len; left > 0;) {
        const ssize_t written = ::pwrite(descriptor_, at, left, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw disk_failure(path_);
        at += written;
        offset += static_cast<uint64_t>(written);
        left -= static_cast<size_t>(written);
      }
    }
  }
  void finish(uint64_t size, timespec time, const std::string& target) {
    const timespec times[2] = {time, time};
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0 || ::futimens(descriptor_, times) != 0 ||
        ::rename(path_.c_str(), target.c_str()) != 0) {
      throw disk_failure(target);
    }
  }
  void discard() { ::unlink(path_.c_str()); }

 private:
  const std::string path_;
  int descriptor_ = -1;
};

}  // namespace

bool is_copied(Filesystem& filesystem, const Copy& copy) {
  struct stat there {};
  if (::lstat(copy.target.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return false;
  const timespec time = modified_time(filesystem.status(copy.inode));
  const timespec found = modified_time(there);
  return static_cast<uint64_t>(there.st_size) == copy.size && found.tv_sec == time.tv_sec &&
         found.tv_nsec == time.tv_nsec;
}

void copy_file(Filesystem& filesystem, Workers& workers, const Copy& copy,
               const std::function<void(uint64_t)>& wrote) {
  const timespec time = modified_time(filesystem.status(copy.inode));
  const OpenFile file = filesystem.open(copy.inode);
  Output output(temporary_name(copy, time));
  // The last piece of an interrupted run may be incomplete.
  const uint64_t found = std::min(output.size(), copy.size);
  uint64_t at = found < 2 * kPiece ? 0 : (found / kPiece - 1) * kPiece;
  wrote(at);
  std::vector<Slices> pieces(workers.threads() + 1);
  while (at < copy.size) {
    const uint64_t left = divide_up(copy.size - at, kPiece);
    const size_t count = std::min<uint64_t>(pieces.size(), left);
    try {
      workers.parallel_for(count, [&](size_t i) {
        const uint64_t start = at + i * kPiece;
        const uint64_t wanted = std::min(kPiece, copy.size - start);
        pieces[i] = filesystem.read(file, start, wanted);
        if (pieces[i].size() != wanted)
          throw damaged("{} bytes at {}, {} expected", pieces[i].size(), start, wanted);
      });
    } catch (const Error&) {
      output.discard();
      throw;
    }
    for (size_t i = 0; i < count; ++i) {
      output.write_at(at, pieces[i]);
      at += pieces[i].size();
      wrote(pieces[i].size());
      pieces[i] = {};
    }
  }
  output.finish(copy.size, time, copy.target);
}

}  // namespace plainfs
