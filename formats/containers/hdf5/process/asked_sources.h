// Where libhdf5's process has its files from: the daemon, which alone opens them. Of a file of this machine
// comes a descriptor, through which the process reads by itself; the bytes of every other one are asked for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "formats/containers/hdf5/process/protocol.h"
#include "formats/core/base/channel.h"
#include "formats/core/base/local_file.h"
#include "formats/core/base/sources.h"

namespace plainfs::hdf5 {

// Not thread-safe: the process has one thread.
class AskedSources : public Sources {
 public:
  // Puts a question and gives the reply. Throws the Error that it was refused with.
  using Put = std::function<Message(Question question, ByteSpan bytes)>;

  explicit AskedSources(Put put);

  FilePtr open_if_exists(const std::string& location) override;
  const Containment& bounds() const override { return bounds_; }
  void clear() override {}
  // What is read as HDF5 is files.
  KeyStorePtr open_folder(const std::string& location) override;
  EntryKind kind_of(const std::string& location) override;
  FilePtr look_into(const std::string& location) override;

  // By descriptor, since it was last asked for.
  uint64_t take_bytes_read() { return bytes_read_.exchange(0); }

 private:
  class AskedFile;
  int ask_descriptor(const std::string& location);
  bool look_at(const std::string& location, struct stat& status);
  bool is_as_opened(const std::string& location);
  void keep_few_descriptors();

  Put put_;
  Containment bounds_;  // the daemon's hold
  std::atomic<uint64_t> bytes_read_{0};
  const std::shared_ptr<LocalFile::Owner> owner_ = std::make_shared<LocalFile::Owner>();
  std::vector<std::weak_ptr<const LocalFile>> local_;
};

}  // namespace plainfs::hdf5
