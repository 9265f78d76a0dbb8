#include "fs/index/index_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "formats/core/base/cursor.h"
#include "formats/core/base/descriptor.h"
#include "formats/core/base/encode.h"
#include "formats/core/base/error.h"
#include "formats/core/codecs/checksum.h"

namespace plainfs {
namespace {

constexpr std::string_view kMagic = "plainfs index 3\n";
constexpr size_t kFixed = kMagic.size() + sizeof(uint64_t) + sizeof(uint32_t);

// Larger indexes would defeat their purpose.
constexpr uint64_t kMaxDirectory = uint64_t{64} << 20;
constexpr uint64_t kMaxFile = uint64_t{256} << 20;
constexpr uint64_t kMaxPaths = uint64_t{64} << 20;

class Writer {
 public:
  void bytes(ByteSpan part) { out_.insert(out_.end(), part.begin(), part.end()); }
  template <class T>
  void little(T value) {
    append_little(out_, value, sizeof value);
  }
  void number(uint64_t value) { append_leb128(out_, value); }
  void text(std::string_view value) {
    number(value.size());
    bytes(as_byte_span(value));
  }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

// Joins the lower seven bits of each byte.
uint64_t without_eighth_bits(uint64_t bytes) {
  bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
  bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
  return (bytes & 0x000000000fffffff) | (bytes & 0x0fffffff00000000) >> 4;
}

constexpr size_t kLongestNumber = 10;

// Requires: at least kLongestNumber bytes.
uint64_t number_in(Cursor& cursor, const std::byte* bytes) {
  const auto first = load_little<uint64_t>(bytes);
  if (const uint64_t ends = ~first & 0x8080808080808080; ends != 0) {
    const int last_bit = std::countr_zero(ends);
    cursor.skip(static_cast<size_t>(last_bit) / 8 + 1);
    return without_eighth_bits(first & ~uint64_t{0} >> (63 - last_bit));
  }
  const auto ninth = static_cast<uint64_t>(bytes[8]), tenth = static_cast<uint64_t>(bytes[9]);
  const bool is_longest = ninth >= 0x80;
  if (is_longest && tenth > 1) throw damaged("a number of more than 64 bits");
  cursor.skip(is_longest ? 10 : 9);
  return without_eighth_bits(first) | (ninth & 0x7f) << 56 | (is_longest ? tenth << 63 : 0);
}

uint64_t number(Cursor& cursor) {
  const ByteSpan rest = cursor.rest();
  if (rest.size() >= kLongestNumber) return number_in(cursor, rest.data());
  std::array<std::byte, kLongestNumber> last{};  // zeros end a number
  std::copy(rest.begin(), rest.end(), last.begin());
  return number_in(cursor, last.data());
}

// Returns the number of items that follow, of at least least_bytes each.
uint64_t count(Cursor& cursor, uint64_t least_bytes = 1) {
  const uint64_t many = number(cursor);
  if (many > cursor.remaining() / least_bytes)
    throw damaged("{} items in {} bytes", many, cursor.remaining());
  return many;
}

std::string_view text(Cursor& cursor) {
  return cursor.text(number(cursor));
}

uint64_t zigzag(uint64_t difference) {
  return difference << 1 ^ (difference >> 63 ? ~uint64_t{0} : 0);
}
uint64_t unzigzag(uint64_t value) {
  return value >> 1 ^ (value & 1 ? ~uint64_t{0} : 0);
}

Error system_error() {
  return unreadable("{}", std::generic_category().message(errno));
}

}  // namespace

Bytes encode_measured(const Measured& measured) {
  Writer out;
  out.text(measured.version);
  out.number(measured.numbers.size());
  uint64_t before = 0;
  for (const uint64_t value : measured.numbers) {
    out.number(zigzag(value - before));
    before = value;
  }
  return out.take();
}

MeasuredPtr decode_measured(ByteSpan bytes) {
  Cursor cursor(bytes);
  Measured measured{std::string(text(cursor)), {}};
  measured.numbers.resize(count(cursor));
  uint64_t before = 0;
  for (uint64_t& value : measured.numbers) before = value = before + unzigzag(number(cursor));
  if (!cursor.at_end()) throw damaged("{} trailing bytes", cursor.remaining());
  return std::make_shared<const Measured>(std::move(measured));
}

Bytes encode_index(std::string_view key, const std::vector<SourceStamp>& sources,
                   const std::vector<IndexEntry>& entries) {
  Writer directory;
  directory.text(key);
  directory.number(sources.size());
  for (const SourceStamp& source : sources) {
    directory.text(source.name);
    directory.text(source.stamp);
  }
  directory.number(entries.size());
  std::string_view before;
  uint64_t offset = 0, paths = 0;
  for (const IndexEntry& entry : entries) {
    const auto same = std::mismatch(entry.path.begin(), entry.path.end(), before.begin(), before.end());
    const auto common = static_cast<size_t>(same.first - entry.path.begin());
    directory.number(common);
    directory.text(std::string_view(entry.path).substr(common));
    directory.number(offset);
    directory.number(entry.measured.size());
    directory.little(crc32c(entry.measured));
    offset += entry.measured.size();
    paths += entry.path.size();
    before = entry.path;
  }
  const Bytes generated = directory.take();
  if (generated.size() > kMaxDirectory || paths > kMaxPaths || generated.size() + offset > kMaxFile)
    throw unsupported("an index of {} bytes", generated.size() + offset);
  Writer file;
  file.bytes(as_byte_span(kMagic));
  file.little(uint64_t{generated.size()});
  file.little(crc32c(generated));
  file.bytes(generated);
  for (const IndexEntry& entry : entries) file.bytes(entry.measured);
  return file.take();
}

std::unique_ptr<const IndexFile> IndexFile::open(const std::string& path, std::string_view key) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0 && errno == ENOENT) return nullptr;
  if (descriptor < 0) throw system_error();
  std::unique_ptr<IndexFile> file(new IndexFile(descriptor, nullptr));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw system_error();
  if (!S_ISREG(status.st_mode)) throw unreadable("not a regular file");
  if (status.st_uid != ::geteuid()) throw unreadable("owned by user {}", status.st_uid);
  file->file_size_ = static_cast<uint64_t>(status.st_size);
  if (!file->read_directory(key)) throw damaged("an index of another store");
  return file;
}

std::unique_ptr<const IndexFile> IndexFile::beside(FilePtr file, std::string_view key,
                                                   const std::string& folder) {
  std::unique_ptr<IndexFile> index(new IndexFile(-1, std::move(file)));
  index->file_size_ = index->file_->size();
  if (!index->read_directory(key)) return nullptr;
  for (SourceStamp& source : index->sources_) source.name.insert(0, folder);
  return index;
}

IndexFile::~IndexFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool IndexFile::read_directory(std::string_view key) {
  if (file_size_ > kFixed + kMaxFile) throw damaged("a file of {} bytes", file_size_);
  const Bytes fixed = read(0, kFixed);
  Cursor start(fixed);
  if (start.text(kMagic.size()) != kMagic) throw damaged("not an index of this version");
  const auto size = start.little<uint64_t>();
  const auto checksum = start.little<uint32_t>();
  if (size > kMaxDirectory) throw damaged("a directory of {} bytes", size);
  const Bytes directory = read(kFixed, size);
  if (crc32c(directory) != checksum) throw damaged("wrong checksum");
  Cursor cursor(directory);
  if (text(cursor) != key) return false;
  sources_.resize(count(cursor, 2));
  for (SourceStamp& source : sources_) source = {std::string(text(cursor)), std::string(text(cursor))};
  read_places(cursor, kFixed + size);
  if (!cursor.at_end()) throw damaged("{} trailing bytes", cursor.remaining());
  return true;
}

// begin: offset of the measurements in the file.
void IndexFile::read_places(Cursor& cursor, uint64_t begin) {
  const uint64_t files = count(cursor, 8), room = file_size_ - begin;
  std::string path, before;
  std::vector<size_t> begins{0};
  for (uint64_t i = 0; i < files; ++i) {
    const uint64_t common = number(cursor);
    if (common > path.size()) throw damaged("{} shared bytes with a path of {}", common, path.size());
    before = path;
    path.resize(common);
    path += text(cursor);
    if (i > 0 && path <= before) throw damaged("paths are not sorted");
    Place place{{}, number(cursor), number(cursor), cursor.little<uint32_t>()};
    if (place.offset > room || place.length > room - place.offset)
      throw damaged("lengths at {} are beyond {} bytes", place.offset, room);
    place.offset += begin;
    places_.push_back(place);
    paths_ += path;
    if (paths_.size() > kMaxPaths) throw damaged("more than {} bytes of paths", kMaxPaths);
    begins.push_back(paths_.size());
  }
  for (size_t i = 0; i < places_.size(); ++i)
    places_[i].path = std::string_view(paths_).substr(begins[i], begins[i + 1] - begins[i]);
}

const IndexFile::Place* IndexFile::find(std::string_view path) const {
  const auto found = std::lower_bound(places_.begin(), places_.end(), path,
                                      [](const Place& place, std::string_view p) { return place.path < p; });
  return found == places_.end() || found->path != path ? nullptr : &*found;
}

Bytes IndexFile::measured(const Place& place) const {
  Bytes bytes = read(place.offset, place.length);
  if (crc32c(bytes) != place.checksum) throw damaged("wrong checksum of {}", place.path);
  return bytes;
}

Bytes IndexFile::read(uint64_t offset, uint64_t size) const {
  if (offset > file_size_ || size > file_size_ - offset)
    throw damaged("bytes {} to {} are beyond the end at {}", offset, offset + size, file_size_);
  if (file_) return file_->read_at(offset, size);
  Bytes bytes(size);
  const auto got = read_all_at(descriptor_, offset, reinterpret_cast<char*>(bytes.data()), size);
  if (!got) throw system_error();
  if (*got < size) throw damaged("ends at byte {}", offset + *got);
  return bytes;
}

}  // namespace plainfs
