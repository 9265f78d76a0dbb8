// A file that libhdf5 reads in this process.
#pragma once

#include <memory>

#include "formats/containers/hdf5/library/library_file.h"

namespace plainfs::hdf5 {

class OpenDataset;
class OpenFile;

class InsideFile : public LibraryFile {
 public:
  // Opens the file read-only through Context::files. If the file is marked as being written (SWMR), opens it
  // as a reader. Error messages read well after the path.
  InsideFile(const std::string& location, Context& context);
  ~InsideFile() override;

  const FilePtr& bytes() const override;
  const FileLayout& layout() const override;
  unsigned superblock_version() const override;
  uint64_t root_address() const override;
  StoredObjectFacts object(uint64_t address) const override;
  std::vector<StoredLink> links(uint64_t group) const override;
  std::optional<StoredLink> find_link(uint64_t group, const std::string& name) const override;
  std::vector<StoredAttribute> attributes(uint64_t object) const override;
  std::optional<StoredAttribute> attribute(uint64_t object, const std::string& name) const override;
  void read(uint64_t dataset, uint64_t element_size, const Box& box, const Shape& block_shape,
            const Shape& target, std::byte* out) const override;
  std::optional<StoredChunkBytes> read_chunk(uint64_t dataset, const Shape& origin) const override;

  // Returns an object with its links if it has few of them, and its attributes if they are few and in its
  // header.
  KnownObject known(uint64_t address) const;

 private:
  std::shared_ptr<const OpenDataset> open_dataset(uint64_t address) const;

  std::shared_ptr<const OpenFile> file_;
  uint64_t cache_owner_;  // of datasets that are open in the library, by address
};

}  // namespace plainfs::hdf5
