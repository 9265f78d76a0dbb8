#include "formats/containers/hdf5/process/lent_files.h"

#include <errno.h>

#include <algorithm>
#include <array>
#include <utility>

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/file_pool.h"

namespace plainfs::hdf5 {

// A file with its bytes in the daemon.
class AskedSources::AskedFile : public File {
 public:
  AskedFile(const AskedSources& sources, uint64_t source, std::string path, uint64_t size,
            uint64_t fingerprint)
      : File(std::move(path), size, fingerprint), sources_(sources), source_(source) {}
  ~AskedFile() override {
    try {
      sources_.put_(Question::forget_source, question().bytes());
    } catch (const Error&) {  // the daemon no longer knew it
    }
  }

  void check_unchanged() const override { sources_.put_(Question::check_source, question().bytes()); }

 private:
  Writer question() const {
    Writer out;
    out(source_);
    return out;
  }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    Writer wanted = question();
    wanted(offset, uint64_t{out.size()});
    const Message reply = sources_.put_(Question::read_source, wanted.bytes());
    if (reply.bytes.size() != out.size())
      throw unreadable("{}: {} bytes, expected {}", path(), reply.bytes.size(), out.size());
    std::copy(reply.bytes.begin(), reply.bytes.end(), out.begin());
  }

  const AskedSources& sources_;
  const uint64_t source_;
};

// A local file with a few blocks in memory: the library reads a group's parts, often the same, some bytes at
// a time. Whether the file has changed is checked when a block is read, and before each object is opened.
class AskedSources::BlockedFile : public LocalFile {
 public:
  using LocalFile::LocalFile;

 private:
  static constexpr uint64_t kBytesOfBlock = 4 << 10;
  static constexpr size_t kBlocksKept = 32;
  struct Block {
    uint64_t number = ~uint64_t{0};
    Bytes bytes;
  };

  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (out.size() >= kBytesOfBlock) return LocalFile::read(offset, out);
    while (!out.empty()) {
      const ByteSpan found = ByteSpan(block(offset / kBytesOfBlock)).subspan(offset % kBytesOfBlock);
      const size_t size = std::min(out.size(), found.size());
      std::copy_n(found.begin(), size, out.begin());
      out = out.subspan(size);
      offset += size;
    }
  }

  // Returns the bytes of a block that begins within the file.
  const Bytes& block(uint64_t number) const {
    Block& kept = blocks_[number % kBlocksKept];
    if (kept.number == number) return kept.bytes;
    kept.number = ~uint64_t{0};  // if reading fails
    kept.bytes.resize(std::min(kBytesOfBlock, size() - number * kBytesOfBlock));
    LocalFile::read(number * kBytesOfBlock, kept.bytes);
    kept.number = number;
    return kept.bytes;
  }

  mutable std::array<Block, kBlocksKept> blocks_;  // without a lock: the process has one thread
};

AskedSources::AskedSources(Put put) : put_(std::move(put)) {
  owner_->bytes_read = &bytes_read_;
  owner_->open = [this](const std::string& location) { return ask_descriptor(location); };
  owner_->look = [this](const std::string& location, struct stat& status) {
    return look_at(location, status);
  };
  owner_->is_unwritten = [this](const std::string& location, const struct stat&, uint64_t) {
    return is_as_opened(location);
  };
}

// Also looks at files that the daemon finds under another path.
bool AskedSources::look_at(const std::string& location, struct stat& status) {
  if (::stat(location.c_str(), &status) == 0) return true;
  const int error = errno;
  if (error == ENOENT && is_as_opened(location)) {
    const Descriptor found(ask_descriptor(location));
    if (found.number() >= 0 && ::fstat(found.number(), &status) == 0) return true;
  }
  errno = error;
  return false;
}

// Returns whether the file is unchanged according to the daemon, which watches it.
bool AskedSources::is_as_opened(const std::string& location) {
  Writer question;
  question(location);
  try {
    put_(Question::check_file, question.bytes());
    return true;
  } catch (const Error&) {
    return false;
  }
}

int AskedSources::ask_descriptor(const std::string& location) {
  keep_few_descriptors();
  Writer question;
  question(location);
  Message reply = put_(Question::descriptor, question.bytes());
  Reader in(reply.bytes);
  if (!in.read<bool>()) {
    errno = ENOENT;
    return -1;
  }
  if (reply.descriptor.number() < 0) throw system_error(location, EMFILE);
  return reply.descriptor.release();
}

// Closes the descriptors of files. Reading such a file opens it again.
void AskedSources::keep_few_descriptors() {
  if (owner_->open_descriptors < max_descriptors() / 2) return;
  std::erase_if(local_, [](const auto& file) { return file.expired(); });
  for (const auto& file : local_)
    if (const auto living = file.lock()) living->let_descriptor_go();
}

FilePtr AskedSources::open_if_exists(const std::string& location) {
  keep_few_descriptors();
  if (location == latest_location_)
    if (FilePtr file = latest_.lock()) return file;
  Writer question;
  question(location);
  Message reply = put_(Question::open_source, question.bytes());
  Reader in(reply.bytes);
  if (!in.read<bool>()) return nullptr;
  const auto source = in.little<uint64_t>();
  auto path = in.read<std::string>();
  const auto size = in.little<uint64_t>(), fingerprint = in.little<uint64_t>();
  if (!in.read<bool>())
    return std::make_shared<const AskedFile>(*this, source, std::move(path), size, fingerprint);
  if (reply.descriptor.number() < 0) throw system_error(location, EMFILE);
  auto file = LocalFile::adopt_as<BlockedFile>(reply.descriptor.release(), std::move(path), owner_);
  if (file->fingerprint() != fingerprint) throw changed(file->path());
  local_.push_back(file);
  latest_location_ = location;
  latest_ = file;
  return file;
}

KeyStorePtr AskedSources::open_folder(const std::string& location) {
  throw unsupported("{}: a folder cannot be read as HDF5", location);
}
EntryKind AskedSources::kind_of(const std::string&) {
  return EntryKind::nothing;
}
FilePtr AskedSources::look_into(const std::string&) {
  return nullptr;
}

}  // namespace plainfs::hdf5
