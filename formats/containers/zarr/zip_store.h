// The central directory of a zip file, and its folders as KeyStores. Every offset and length is checked
// against the file. Zip64, archive comments and data in front of the archive are accepted. The last of
// several entries of one name counts, as in Python's zipfile. If no name in the archive has a "/", "\\"
// separates folders, as .NET wrote it. Source: PKWARE APPNOTE 6.3.10.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/file.h"
#include "formats/core/base/key_store.h"
#include "formats/core/model/context.h"

namespace plainfs::zarr {

enum class ZipMethod : uint16_t { stored = 0, deflated = 8, bzip2 = 12, lzma = 14, zstd = 93 };

struct ZipMember {
  uint64_t name_offset;  // in ZipDirectory's text of all names
  uint32_t name_size;
  uint32_t crc;
  uint64_t header_offset;  // of the local header, in the file
  uint64_t stored_size;
  uint64_t size;
  uint16_t method;
  bool encrypted;
};

class ZipDirectory {
 public:
  // Reads the directory of file. Throws damaged if file is not a zip file or its directory is inconsistent.
  explicit ZipDirectory(const File& file);

  // Returns the member of that name, or null.
  const ZipMember* find(std::string_view name) const;
  // Returns the names of the folders directly below prefix, in byte order. prefix is "" or ends with "/".
  std::vector<std::string> folders(std::string_view prefix) const;
  bool has_folder(std::string_view folder) const;
  // Returns the names of the files directly below prefix, in byte order.
  std::vector<std::string> files(std::string_view prefix) const;
  // Returns the only folder directly below prefix if all other names there are hidden, otherwise "".
  std::string only_folder(std::string_view prefix) const;
  // Returns the first member, in byte order of the names, that satisfies is_wanted(name). Returns null if
  // none does.
  template <class IsWanted>
  const ZipMember* find_if(IsWanted&& is_wanted) const {
    for (const ZipMember& member : members_)
      if (is_wanted(name(member))) return &member;
    return nullptr;
  }
  // Returns the index of a member in byte order of the names.
  size_t index_of(const ZipMember& member) const { return static_cast<size_t>(&member - members_.data()); }
  std::string_view name(const ZipMember& member) const {
    return std::string_view(names_).substr(member.name_offset, member.name_size);
  }

 private:
  template <class Visit>
  void for_each_file(std::string_view prefix, Visit&& visit) const;
  void read_entries(ByteSpan directory, uint64_t base);
  void turn_backslashes();
  void sort_and_drop_repeated();
  std::vector<ZipMember>::const_iterator at_or_after(std::string_view name) const;

  std::string names_;
  std::vector<ZipMember> members_;  // by name
};

// Returns whether first_bytes are the beginning of a zip file.
bool looks_like_zip(ByteSpan first_bytes);

// Opens folder ("" or "NAME/") of the archive as a store. directory: of file. Reads are counted in
// Context::counters.
KeyStorePtr open_zip_store(FilePtr file, std::shared_ptr<const ZipDirectory> directory, std::string folder,
                           Context& context);

}  // namespace plainfs::zarr
