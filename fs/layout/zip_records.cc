#include "fs/layout/zip_records.h"

#include <algorithm>

#include "formats/core/base/encode.h"

namespace plainfs {

namespace {

// The numbers of PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.5.3.
constexpr uint32_t kLocalSignature = 0x04034b50, kEntrySignature = 0x02014b50, kEndSignature = 0x06054b50,
                   kEnd64Signature = 0x06064b50, kLocator64Signature = 0x07064b50;
constexpr uint64_t kZipVersion = 20, kZipVersion64 = 45, kZip64Field = 1;
constexpr uint64_t kFirstDate = 1 << 5 | 1;  // 1980-01-01
constexpr uint64_t kEnd64Bytes = 56;
constexpr uint64_t kUtf8Name = 1 << 11;  // in the flags
constexpr uint64_t kMaxCount = 0xffff;   // of entries; in place of more

bool has_plain_name(const ZipEntry& entry) {
  return std::all_of(entry.name.begin(), entry.name.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Appends the fields that both headers of a member have.
void append_zip_common(const ZipEntry& entry, bool is_64, std::string& out) {
  append_little(out, is_64 ? kZipVersion64 : kZipVersion, 2);
  append_little(out, has_plain_name(entry) ? 0 : kUtf8Name, 2);
  append_little(out, static_cast<uint64_t>(entry.method), 2);
  append_little(out, 0, 2);  // midnight
  append_little(out, kFirstDate, 2);
  append_little(out, entry.crc, 4);
}

std::string zip_directory_entry(const ZipEntry& entry) {
  std::string large;  // the zip64 field: numbers that do not fit
  for (const uint64_t number : {entry.plain, entry.stored, entry.begin})
    if (number >= kZip64) append_little(large, number, 8);
  const auto small = [](uint64_t number) { return std::min(number, kZip64); };
  std::string out;
  append_little(out, kEntrySignature, 4);
  append_little(out, kZipVersion64, 2);  // of the writer, for MS-DOS
  append_zip_common(entry, entry.is_64 || !large.empty(), out);
  append_little(out, small(entry.stored), 4);
  append_little(out, small(entry.plain), 4);
  append_little(out, entry.name.size(), 2);
  append_little(out, large.empty() ? 0 : large.size() + 4, 2);
  out.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
  append_little(out, small(entry.begin), 4);
  out += entry.name;
  if (large.empty()) return out;
  append_little(out, kZip64Field, 2);
  append_little(out, large.size(), 2);
  return out + large;
}

}  // namespace

std::string zip_local_header(const ZipEntry& entry) {
  std::string out;
  append_little(out, kLocalSignature, 4);
  append_zip_common(entry, entry.is_64, out);
  append_little(out, entry.is_64 ? kZip64 : entry.stored, 4);
  append_little(out, entry.is_64 ? kZip64 : entry.plain, 4);
  append_little(out, entry.name.size(), 2);
  append_little(out, entry.is_64 ? ZipEntry::kLocal64Bytes : 0, 2);
  out += entry.name;
  if (!entry.is_64) return out;
  append_little(out, kZip64Field, 2);
  append_little(out, ZipEntry::kLocal64Bytes - 4, 2);
  append_little(out, entry.plain, 8);
  append_little(out, entry.stored, 8);
  return out;
}

std::string zip_directory(const std::vector<ZipEntry>& entries, uint64_t begin) {
  std::string out;
  for (const ZipEntry& entry : entries) out += zip_directory_entry(entry);
  const uint64_t size = out.size(), count = entries.size();
  if (begin >= kZip64 || size >= kZip64 || count >= kMaxCount) {
    append_little(out, kEnd64Signature, 4);
    append_little(out, kEnd64Bytes - 12, 8);
    append_little(out, kZipVersion64, 2);
    append_little(out, kZipVersion64, 2);
    append_little(out, 0, 8);  // disks
    append_little(out, count, 8);
    append_little(out, count, 8);
    append_little(out, size, 8);
    append_little(out, begin, 8);
    append_little(out, kLocator64Signature, 4);
    append_little(out, 0, 4);
    append_little(out, begin + size, 8);
    append_little(out, 1, 4);
  }
  append_little(out, kEndSignature, 4);
  append_little(out, 0, 4);  // disks
  append_little(out, std::min(count, kMaxCount), 2);
  append_little(out, std::min(count, kMaxCount), 2);
  append_little(out, std::min(size, kZip64), 4);
  append_little(out, std::min(begin, kZip64), 4);
  append_little(out, 0, 2);  // comment
  return out;
}

}  // namespace plainfs
