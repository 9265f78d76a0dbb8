#include "fs/commands/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "formats/core/base/modified_time.h"
#include "formats/core/text/path_names.h"

namespace plainfs {
namespace {

// The header of ustar. Numbers are octal digits that end in a NUL.
struct Ustar {
  char name[100];
  char mode[8], uid[8], gid[8];
  char size[12], mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6], version[2];
  char user[32], group[32];
  char device_major[8], device_minor[8];
  char prefix[155];
  char unused[12];
};
static_assert(sizeof(Ustar) == kTarBlock);

template <size_t N>
constexpr uint64_t kMax = (uint64_t{1} << 3 * (N - 1)) - 1;  // the largest number of N - 1 octal digits

template <size_t N>
void put_number(char (&field)[N], uint64_t value) {
  for (size_t i = N - 1; i-- > 0; value >>= 3) field[i] = static_cast<char>('0' + (value & 7));
}

template <size_t N>
void put_text(char (&field)[N], const std::string& text) {
  std::memcpy(field, text.data(), std::min(N, text.size()));
}

// Returns "30 mtime=1350244992.023960108\n". The length includes itself.
std::string record(const std::string& name, const std::string& value) {
  const size_t rest = name.size() + value.size() + 3;  // the blank, "=" and the newline
  size_t length = rest + 1;
  while (fmt::formatted_size("{}", length) + rest > length) ++length;
  return fmt::format("{} {}={}\n", length, name, value);
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) > 0; });
}

std::string block_of(Ustar header) {
  std::memset(header.checksum, ' ', sizeof header.checksum);
  uint64_t sum = 0;
  std::string block(reinterpret_cast<const char*>(&header), sizeof header);
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char digits[7] = {};
  put_number(digits, sum);
  std::memcpy(header.checksum, digits, sizeof digits);
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

Ustar start(char type, const std::string& name) {
  Ustar header{};
  header.type = type;
  put_text(header.name, name);
  std::memcpy(header.magic, "ustar", 6);
  std::memcpy(header.version, "00", 2);
  return header;
}

}  // namespace

std::string tar_header(const std::string& path, const struct stat& status, const std::string& link) {
  const bool is_folder = S_ISDIR(status.st_mode), is_link = S_ISLNK(status.st_mode);
  const std::string name = is_folder ? path + "/" : path;
  const uint64_t size = is_folder || is_link ? 0 : static_cast<uint64_t>(status.st_size);
  const timespec time = modified_time(status);
  Ustar header = start(is_folder ? '5' : is_link ? '2' : '0', name);
  std::string records;
  if (name.size() > sizeof header.name || !is_ascii(name)) records += record("path", name);
  if (link.size() > sizeof header.link || !is_ascii(link)) records += record("linkpath", link);
  if (size > kMax<12>) records += record("size", fmt::format("{}", size));
  if (status.st_uid > kMax<8>) records += record("uid", fmt::format("{}", status.st_uid));
  if (status.st_gid > kMax<8>) records += record("gid", fmt::format("{}", status.st_gid));
  if (time.tv_nsec != 0 || time.tv_sec < 0 || static_cast<uint64_t>(time.tv_sec) > kMax<12>)
    records += record("mtime", fmt::format("{}.{:09}", time.tv_sec, time.tv_nsec));
  put_number(header.mode, status.st_mode & 07777);
  put_number(header.uid, std::min<uint64_t>(status.st_uid, kMax<8>));
  put_number(header.gid, std::min<uint64_t>(status.st_gid, kMax<8>));
  put_number(header.size, std::min(size, kMax<12>));
  put_number(header.mtime, std::clamp<int64_t>(time.tv_sec, 0, static_cast<int64_t>(kMax<12>)));
  put_text(header.link, link);
  if (records.empty()) return block_of(header);
  Ustar extended = start('x', "PaxHeaders/" + std::string(last_name(path)));
  put_number(extended.mode, 0644);
  put_number(extended.uid, 0);
  put_number(extended.gid, 0);
  put_number(extended.size, records.size());
  put_number(extended.mtime, 0);
  records.append(tar_padding(records.size()), '\0');
  return block_of(extended) + records + block_of(header);
}

std::string tar_end() {
  return std::string(2 * kTarBlock, '\0');
}

}  // namespace plainfs
