// The headers of a zip archive (APPNOTE.TXT 6.3.10, PKWARE). All members have the time 1980-01-01, so that
// the same members yield the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plainfs {

inline constexpr uint64_t kZip64 = 0xffffffff;  // in place of a number of 32 bits that is in the zip64 field

enum class ZipMethod : uint16_t { stored = 0, deflated = 8 };

// The fields of a member's headers.
struct ZipEntry {
  static constexpr uint64_t kLocalBytes = 30, kLocal64Bytes = 20;

  std::string name;  // UTF-8
  ZipMethod method = ZipMethod::stored;
  bool is_64 = false;  // its local header has the zip64 field
  uint32_t crc = 0;
  uint64_t plain = 0;   // bytes
  uint64_t stored = 0;  // bytes in the archive
  uint64_t begin = 0;   // of the local header

  uint64_t header_size() const { return kLocalBytes + name.size() + (is_64 ? kLocal64Bytes : 0); }
};

std::string zip_local_header(const ZipEntry& entry);
// Returns the directory of an archive and the records after it. begin: its place.
std::string zip_directory(const std::vector<ZipEntry>& entries, uint64_t begin);

}  // namespace plainfs
