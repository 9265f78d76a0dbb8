// The central directory of a zip file, read without trust: every offset and length is checked against the
// file. Zip64, archive comments and data in front of the archive are accepted; of several entries of one name
// the last counts, as Python's zipfile has it. In an archive without a "/" in any name, "\\" stands between
// folders, as .NET wrote it. Source: PKWARE APPNOTE 6.3.10.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/base/file.h"

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
  // Throws damaged where file is no zip file or its directory does not hold together.
  explicit ZipDirectory(const File& file);

  // Null where there is no member of that name.
  const ZipMember* find(std::string_view name) const;
  // The names of the folders directly below prefix, which is "" or ends with "/"; in byte order.
  std::vector<std::string> folders(std::string_view prefix) const;
  bool has_folder(std::string_view folder) const;
  // The same for members that are no folders.
  std::vector<std::string> files(std::string_view prefix) const;
  // The one folder directly below prefix if nothing else is there but hidden names; else "".
  std::string only_folder(std::string_view prefix) const;
  // The first member, in byte order of the names, whose name satisfies is_wanted; null if there is none.
  template <class IsWanted>
  const ZipMember* find_if(IsWanted&& is_wanted) const {
    for (const ZipMember& member : members_)
      if (is_wanted(name(member))) return &member;
    return nullptr;
  }
  // The place of a member in byte order of the names.
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

// Whether a file with these first bytes begins as a zip file does.
bool looks_like_zip(ByteSpan first_bytes);

}  // namespace plainfs::zarr
