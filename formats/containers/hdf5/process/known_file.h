// A file that libhdf5 reads in another process, with and without objects that are read ahead.
#pragma once

#include <atomic>
#include <memory>

#include "cache/lazy.h"
#include "cache/mutex.h"
#include "formats/containers/hdf5/library/library_file.h"
#include "formats/containers/hdf5/process/known_objects.h"
#include "formats/containers/hdf5/process/library_processes.h"

namespace plainfs::hdf5 {

// A file that libhdf5 reads in another process. Each question is put to the process.
class ProcessFile : public LibraryFile {
 public:
  // Opens the file like InsideFile. Requires: processes outlive this.
  ProcessFile(const std::string& location, Context& context, LibraryProcesses& processes);
  ~ProcessFile() override;

  const FilePtr& bytes() const override { return file_.bytes; }
  const FileLayout& layout() const override { return file_.facts->layout; }
  unsigned superblock_version() const override { return file_.facts->superblock_version; }
  uint64_t root_address() const override { return file_.facts->root_address; }
  StoredObjectFacts object(uint64_t address) const override;
  std::vector<FoundObject> objects(const std::vector<uint64_t>& addresses) const override;
  std::vector<StoredLink> links(uint64_t group) const override;
  std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const override;
  std::vector<StoredAttribute> attributes(uint64_t object) const override;
  std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const override;
  void read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
            const Shape& target, std::byte* out) const override;
  std::optional<StoredChunkBytes> read_chunk(uint64_t dataset, const Shape& origin) const override;

  // Returns an object and the nearest of those below it, at most `most`. May return fewer or none. Returns
  // nullopt if the question ended the process.
  std::optional<KnownObjects> tree(uint64_t object, uint64_t most) const;

 private:
  Writer about(std::initializer_list<uint64_t> numbers) const;
  // Requires: addresses is not empty.
  std::vector<FoundObject> objects_together(const std::vector<uint64_t>& addresses) const;

  // Returns the attributes of the first objects, at least one, or of all.
  std::vector<FoundAttributes> attributes_together(const std::vector<uint64_t>& objects) const;
  FoundAttributes fetch_attributes(uint64_t object) const;

  LibraryProcesses& processes_;
  mutable ProcessedFile file_;  // changed only by the processes
};

// A file of libhdf5's process with objects that are read ahead. Recognizing a store takes hundreds of
// questions about a few objects, and each would be a message of its own. The first question therefore reads
// the root group and the objects below it, and listing an unknown group reads some of those below that group.
// Questions about these objects are answered from memory if the file is unchanged. All others are put to the
// process.
class KnownFile : public ProcessFile {
 public:
  using ProcessFile::ProcessFile;

  StoredObjectFacts object(uint64_t address) const override;
  std::vector<FoundObject> objects(const std::vector<uint64_t>& addresses) const override;
  std::vector<StoredLink> links(uint64_t group) const override;
  std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const override;
  std::vector<StoredAttribute> attributes(uint64_t object) const override;
  std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const override;

 private:
  // Returns the result of get() for the objects of the first question, or else for those that were read ahead
  // last. Throws changed if the file is no longer the one they are from.
  template <class Get>
  auto find(Get&& get) const -> decltype(get(KnownObjects()));
  KnownObjects read_ahead(uint64_t object, uint64_t most) const;

  // Whether nothing is read ahead any more, because that ended the process. Relaxed: a late reader asks once
  // more.
  mutable std::atomic<bool> is_hostile_{false};
  Lazy<KnownObjects> first_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const KnownObjects> latest_ GUARDED_BY(mutex_) = std::make_shared<KnownObjects>();
};

}  // namespace plainfs::hdf5
