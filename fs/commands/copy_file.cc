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
  const std::string what =
      fmt::format("{}\n{}\n{}\n{}", last_name(copy.path), copy.size, time.tv_sec, time.tv_nsec);
  boost::crc_32_type crc;
  crc.process_bytes(what.data(), what.size());
  return fmt::format(".{:08x}.plainfs-part", crc.checksum());
}

class Output {
 public:
  // whole: the path of the finished file, for messages.
  Output(Descriptor folder, std::string name, std::string whole)
      : folder_(std::move(folder)),
        name_(std::move(name)),
        whole_(std::move(whole)),
        file_(::openat(folder_.number(), name_.c_str(),
                       O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666)) {
    if (file_.number() < 0 && (errno == ELOOP || errno == EISDIR)) throw in_the_way();
    if (file_.number() < 0) throw disk_failure(whole_);
    // One that somebody else has put there may be a file of another name, or be read while it is written.
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throw disk_failure(whole_);
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1 || status.st_uid != ::geteuid()) throw in_the_way();
  }

  uint64_t size() const {
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) throw disk_failure(whole_);
    return static_cast<uint64_t>(status.st_size);
  }
  void write_at(uint64_t offset, const Slices& slices) {
    for (const iovec& part : slices.parts) {
      const char* at = static_cast<const char*>(part.iov_base);
      for (size_t left = part.iov_len; left > 0;) {
        const ssize_t written = ::pwrite(file_.number(), at, left, static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw disk_failure(whole_);
        at += written;
        offset += static_cast<uint64_t>(written);
        left -= static_cast<size_t>(written);
      }
    }
  }
  void finish(uint64_t size, timespec time, const std::string& name) {
    const timespec times[2] = {time, time};
    const bool is_done = ::ftruncate(file_.number(), static_cast<off_t>(size)) == 0 &&
                         ::futimens(file_.number(), times) == 0 &&
                         ::renameat(folder_.number(), name_.c_str(), folder_.number(), name.c_str()) == 0;
    if (is_done) return;
    const bool is_taken = errno == EISDIR;
    const Failure failure = disk_failure(whole_);
    if (!is_taken) throw failure;
    discard();
    throw InTheWay(failure.what());
  }
  void discard() { ::unlinkat(folder_.number(), name_.c_str(), 0); }

 private:
  InTheWay in_the_way() const { return InTheWay(fmt::format("{}: {} is in the way", whole_, name_)); }

  const Descriptor folder_;
  const std::string name_;  // until it is finished
  const std::string whole_;
  const Descriptor file_;
};

}  // namespace

bool is_copied(Filesystem& filesystem, const TargetFolder& folder, const Copy& copy) {
  return folder.has_file(copy.path, copy.size, modified_time(filesystem.status(copy.inode)));
}

void copy_file(Filesystem& filesystem, Workers& workers, const TargetFolder& folder, const Copy& copy,
               const std::function<void(uint64_t)>& wrote) {
  const timespec time = modified_time(filesystem.status(copy.inode));
  const OpenFile file = filesystem.open(copy.inode);
  Output output(folder.folder_of(copy.path), temporary_name(copy, time), folder.whole(copy.path));
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
  output.finish(copy.size, time, last_name(copy.path));
}

}  // namespace plainfs
