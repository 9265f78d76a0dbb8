#include "formats/containers/zarr/zip_store.h"

#include <algorithm>
#include <optional>

#include "formats/containers/zarr/keys.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"

namespace plainfs::zarr {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kEntry = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kZip64End = 0x06064b50;
constexpr uint32_t kZip64Locator = 0x07064b50;
constexpr uint64_t kEndSize = 22;
constexpr uint64_t kZip64EndSize = 56;
constexpr uint64_t kZip64LocatorSize = 20;
constexpr uint64_t kMaxDirectoryBytes = uint64_t{4} << 30;
constexpr uint16_t kZip64Extra = 1;

// The position of the central directory.
struct Location {
  uint64_t offset;  // in the file
  uint64_t size;
  uint64_t base;  // number of bytes in front of the archive, which all offsets of members exclude
};

Location located(uint64_t end_position, uint64_t size, uint64_t offset) {
  if (checked_add(size, offset) > end_position) {
    throw damaged("zip directory of {} bytes at {} is beyond its end record at {}", size, offset,
                  end_position);
  }
  if (size > kMaxDirectoryBytes) throw damaged("zip directory of {} bytes", size);
  return {end_position - size, size, end_position - size - offset};
}

// Reads the zip64 end record if there is a locator in front of the end record.
std::optional<Location> zip64_location(const File& file, uint64_t end_position) {
  if (end_position < kZip64LocatorSize + kZip64EndSize) return std::nullopt;
  const uint64_t locator_position = end_position - kZip64LocatorSize;
  const Bytes locator = file.read_at(locator_position, kZip64LocatorSize);
  if (load_little<uint32_t>(locator.data()) != kZip64Locator) return std::nullopt;
  const auto stated = load_little<uint64_t>(locator.data() + 8);
  // With bytes in front of the archive the stated offset is too small. The record then ends at the locator.
  for (const uint64_t position : {stated, locator_position - kZip64EndSize}) {
    if (position > locator_position - kZip64EndSize) continue;
    const Bytes record = file.read_at(position, kZip64EndSize);
    if (load_little<uint32_t>(record.data()) != kZip64End) continue;
    return located(position, load_little<uint64_t>(record.data() + 40),
                   load_little<uint64_t>(record.data() + 48));
  }
  throw damaged("zip64 end record is not at {}", stated);
}

Location locate(const File& file) {
  const uint64_t tail_size = std::min<uint64_t>(file.size(), kEndSize + 0xffff);
  if (tail_size < kEndSize) throw damaged("not a zip file: {} bytes", file.size());
  const uint64_t tail_start = file.size() - tail_size;
  const Bytes tail = file.read_at(tail_start, tail_size);
  for (uint64_t at = tail_size - kEndSize + 1; at-- > 0;) {
    const std::byte* record = tail.data() + at;
    if (load_little<uint32_t>(record) != kEnd) continue;
    if (at + kEndSize + load_little<uint16_t>(record + 20) != tail_size)
      continue;  // the comment reaches the end
    const uint64_t position = tail_start + at;
    if (const auto zip64 = zip64_location(file, position)) return *zip64;
    return located(position, load_little<uint32_t>(record + 12), load_little<uint32_t>(record + 16));
  }
  throw damaged("truncated zip file: no end record; copy or download it again");
}

// Replaces values of 0xffffffff by those of the zip64 extra field, in this order.
void read_zip64_extra(ByteSpan extra, ZipMember& member) {
  Cursor fields(extra);
  while (fields.remaining() >= 4) {
    const auto id = fields.little<uint16_t>();
    Cursor field(fields.bytes(fields.little<uint16_t>()));
    if (id != kZip64Extra) continue;
    for (uint64_t* value : {&member.size, &member.stored_size, &member.header_offset}) {
      if (*value == 0xffffffff) *value = field.little<uint64_t>();
    }
    return;
  }
}

}  // namespace

ZipDirectory::ZipDirectory(const File& file) {
  const Location location = locate(file);
  read_entries(file.read_at(location.offset, location.size), location.base);
  turn_backslashes();
  sort_and_drop_repeated();
}

void ZipDirectory::read_entries(ByteSpan directory, uint64_t base) {
  Cursor cursor(directory);
  while (!cursor.at_end()) {
    if (const auto signature = cursor.little<uint32_t>(); signature != kEntry) {
      throw damaged("zip directory entry {} has the invalid signature {:08x}", members_.size(), signature);
    }
    ZipMember member{};
    cursor.skip(4);  // versions
    member.encrypted = cursor.little<uint16_t>() & 1;
    member.method = cursor.little<uint16_t>();
    cursor.skip(4);  // time and date
    member.crc = cursor.little<uint32_t>();
    member.stored_size = cursor.little<uint32_t>();
    member.size = cursor.little<uint32_t>();
    member.name_size = cursor.little<uint16_t>();
    const auto extra_size = cursor.little<uint16_t>();
    const auto comment_size = cursor.little<uint16_t>();
    cursor.skip(8);  // disk and attributes
    member.header_offset = cursor.little<uint32_t>();
    member.name_offset = names_.size();
    names_ += cursor.text(member.name_size);
    read_zip64_extra(cursor.bytes(extra_size), member);
    cursor.skip(comment_size);
    member.header_offset = checked_add(member.header_offset, base);
    members_.push_back(member);
  }
}

void ZipDirectory::turn_backslashes() {
  if (names_.find('/') == names_.npos) std::replace(names_.begin(), names_.end(), '\\', '/');
}

void ZipDirectory::sort_and_drop_repeated() {
  const auto by_name = [this](const ZipMember& a, const ZipMember& b) { return name(a) < name(b); };
  std::stable_sort(members_.begin(), members_.end(), by_name);
  // keep the last member of each name
  const auto last_of_name =
      std::unique(members_.rbegin(), members_.rend(),
                  [this](const ZipMember& a, const ZipMember& b) { return name(a) == name(b); });
  members_.erase(members_.begin(), last_of_name.base());
}

std::vector<ZipMember>::const_iterator ZipDirectory::at_or_after(std::string_view wanted) const {
  return std::lower_bound(
      members_.begin(), members_.end(), wanted,
      [this](const ZipMember& member, std::string_view key) { return name(member) < key; });
}

const ZipMember* ZipDirectory::find(std::string_view wanted) const {
  const auto at = at_or_after(wanted);
  return at != members_.end() && name(*at) == wanted ? &*at : nullptr;
}

std::vector<std::string> ZipDirectory::folders(std::string_view prefix) const {
  std::vector<std::string> found;
  auto at = at_or_after(prefix);
  while (at != members_.end() && name(*at).starts_with(prefix)) {
    const std::string_view rest = name(*at).substr(prefix.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) {
      ++at;
      continue;
    }
    const std::string_view folder = rest.substr(0, slash);
    if (!folder.empty() && folder != "." && folder != "..") found.emplace_back(folder);
    // '0' follows '/': the first name after everything in the folder
    at = at_or_after(std::string(prefix).append(folder).append("0"));
  }
  std::sort(found.begin(), found.end());  // "a-b/" stands before "a/"
  return found;
}

bool ZipDirectory::has_folder(std::string_view folder) const {
  const std::string prefix = std::string(folder) + "/";
  const auto at = at_or_after(prefix);
  return at != members_.end() && name(*at).starts_with(prefix);
}

// Calls visit with the name of each file directly below prefix, until it returns false.
template <class Visit>
void ZipDirectory::for_each_file(std::string_view prefix, Visit&& visit) const {
  for (auto at = at_or_after(prefix); at != members_.end() && name(*at).starts_with(prefix);) {
    const std::string_view rest = name(*at).substr(prefix.size());
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos && !rest.empty() && !visit(rest)) return;
    at = slash == std::string_view::npos
             ? at + 1
             : at_or_after(std::string(prefix).append(rest.substr(0, slash)).append("0"));
  }
}

std::vector<std::string> ZipDirectory::files(std::string_view prefix) const {
  std::vector<std::string> found;
  for_each_file(prefix, [&](std::string_view file) {
    found.emplace_back(file);
    return true;
  });
  return found;
}

std::string ZipDirectory::only_folder(std::string_view prefix) const {
  std::vector<std::string> found = folders(prefix);
  std::erase_if(found, is_hidden);
  bool has_files = false;
  for_each_file(prefix, [&](std::string_view file) {
    has_files = !is_hidden(file);
    return !has_files;
  });
  return found.size() == 1 && !has_files ? found[0] : "";
}

bool looks_like_zip(ByteSpan first_bytes) {
  if (first_bytes.size() < 4) return false;
  const auto signature = load_little<uint32_t>(first_bytes.data());
  return signature == kLocalHeader || signature == kEnd;
}

}  // namespace plainfs::zarr
