// The files of libhdf5's process, which only the daemon opens. For a local file the daemon sends a
// descriptor, and the process reads through it. The process requests the bytes of all other files from the
// daemon.
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/sources.h"

namespace plainfs::hdf5 {

// The files as Sources of libhdf5's process. Not thread-safe: the process has one thread.
class AskedSources : public Sources {
 public:
  // Sends a question and returns the reply. Throws the Error with which it was refused.
  using Put = std::function<Message(Question question, ByteSpan bytes)>;

  explicit AskedSources(Put put);

  FilePtr open_if_exists(const std::string& location) override;
  const Containment& bounds() const override { return bounds_; }
  // Forgets which file was opened last. Call it before each answer: the next one may be about a store with
  // other bounds.
  void clear() override { latest_.reset(); }
  // Not needed: HDF5 data are always files.
  KeyStorePtr open_folder(const std::string& location) override;
  EntryKind kind_of(const std::string& location) override;
  FilePtr look_into(const std::string& location) override;

  // Returns the number of bytes read through descriptors since the last call.
  uint64_t take_bytes_read() { return bytes_read_.exchange(0); }

 private:
  class AskedFile;
  class BlockedFile;
  int ask_descriptor(const std::string& location);
  bool look_at(const std::string& location, struct stat& status);
  bool is_as_opened(const std::string& location);
  void keep_few_descriptors();

  Put put_;
  Containment bounds_;  // the daemon's bounds apply
  std::atomic<uint64_t> bytes_read_{0};
  const std::shared_ptr<LocalFile::Owner> owner_ = std::make_shared<LocalFile::Owner>();
  std::vector<std::weak_ptr<const LocalFile>> local_;
  // The library opens each file by itself, just after we did.
  std::string latest_location_;
  std::weak_ptr<const LocalFile> latest_;
};

// The daemon's answers to questions of libhdf5's process about files. The daemon opens them through the
// store's own Sources, within the store's bounds, and lends descriptors or reads for the process. Not
// thread-safe.
class SourceServer {
 public:
  // Answers a question. Returns false if it is invalid or the process is gone. Exceptions other than Error
  // (cancellation, lack of memory) are kept for take_failure().
  bool answer(const Message& question, Channel& channel, Sources& sources);
  std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 private:
  bool reply(const Message& question, Channel& channel, Sources& sources);
  bool open(const std::string& location, Channel& channel, Sources& sources);
  const File& file(uint64_t source) const;

  uint64_t next_source_ = 1;
  std::map<uint64_t, FilePtr> files_;  // files that have no descriptor to lend
  std::exception_ptr failure_;
};

}  // namespace plainfs::hdf5
