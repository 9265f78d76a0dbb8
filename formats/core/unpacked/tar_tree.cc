#include "formats/core/unpacked/tar_tree.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/text/split.h"

namespace plainfs::unpacked {
namespace {

constexpr size_t kTarBlock = 512;
constexpr size_t kMaxMembers = 1'000'000;
constexpr uint64_t kMaxExtensionBytes = 1 << 20;
constexpr size_t kMaxKeyBytes = 4096;
constexpr size_t kMaxNotices = 20;
constexpr size_t kNumbersOfMember = 8;  // at least
constexpr uint64_t kMaxKeptText = 1 << 20;

// The fields of a header, by offset and length.
struct Field {
  size_t offset, size;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kLink{157, 100}, kMagic{257, 6},
    kPrefix{345, 155};
constexpr size_t kType = 156;
constexpr char kGnuSparse = 'S';

std::string_view raw(std::string_view block, Field field) {
  return block.substr(field.offset, field.size);
}
std::string_view text(std::string_view block, Field field) {
  const std::string_view all = raw(block, field);
  return all.substr(0, all.find('\0'));
}

// Returns a number in octal digits, or in base 256 if the highest bit is set. Throws damaged.
uint64_t number(std::string_view field) {
  uint64_t value = 0;
  if (static_cast<unsigned char>(field[0]) & 0x80) {
    if (static_cast<unsigned char>(field[0]) != 0x80) throw damaged("a number is negative or too large");
    for (const char c : field.substr(1)) {
      if (value >> 56) throw damaged("a number is too large");
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  field = field.substr(0, field.find_first_of(std::string_view(" \0", 2)));
  if (field.empty()) return 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (error != std::errc() || end != field.data() + field.size())
    throw damaged("a number is not in octal digits");
  return value;
}

// Returns whether the header has the checksum of its bytes, added as unsigned or, by old programs, as signed.
bool has_checksum(std::string_view block) {
  uint64_t stored = 0;
  try {
    stored = number(raw(block, kChecksum));
  } catch (const Error&) {
    return false;
  }
  uint64_t sum = 0;
  int64_t as_signed = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool is_sum = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    const char c = is_sum ? ' ' : block[i];
    sum += static_cast<unsigned char>(c);
    as_signed += static_cast<signed char>(c);
  }
  return stored == sum || (as_signed >= 0 && stored == static_cast<uint64_t>(as_signed));
}

bool is_empty_block(std::string_view block) {
  return block.find_first_not_of('\0') == std::string_view::npos;
}

uint64_t padded(uint64_t size) {
  return checked_add(size, kTarBlock - 1) / kTarBlock * kTarBlock;
}

// Returns the key of a member: its name without "./" and repeated slashes. Empty for the root. Throws
// unsupported if it leads out of the archive.
std::string key_of(std::string_view name) {
  if (name.starts_with('/')) throw unsupported("an absolute name");
  if (name.size() > kMaxKeyBytes) throw unsupported("a name of {} bytes", name.size());
  std::string key;
  while (!name.empty()) {
    const std::string_view part = take_part(name, '/');
    if (part.empty() || part == ".") continue;
    if (part == "..") throw unsupported("its name leads out of the archive");
    if (part.find('\0') != std::string_view::npos) throw damaged("its name has a NUL");
    if (!key.empty()) key += '/';
    key += part;
  }
  return key;
}

bool is_range_in(uint64_t offset, uint64_t size, uint64_t end) {
  return offset <= end && size <= end - offset;
}

class MemberFile final : public InnerFile {
 public:
  MemberFile(FilePtr archive, std::string path, uint64_t offset, uint64_t size)
      : InnerFile(std::move(archive), std::move(path), size, offset), offset_(offset) {}

  void will_read(std::span<const ByteRange> ranges) const override {
    std::vector<ByteRange> moved(ranges.begin(), ranges.end());
    for (ByteRange& range : moved) range.offset += offset_;
    outer().will_read(moved);
  }

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override {
    outer().read_at(offset_ + offset, out);
  }

  const uint64_t offset_;
};

}  // namespace

// The statements of headers about the next member.
struct TarTree::Stated {
  std::string name, link;
  std::optional<uint64_t> size{};
  bool is_sparse = false;
};

bool looks_like_tar(ByteSpan first_bytes) {
  if (first_bytes.size() < kTarBlock) return false;
  const std::string_view block = as_text(first_bytes).substr(0, kTarBlock);
  return !is_empty_block(block) && block[0] != '\0' && has_checksum(block);
}

TarTree::TarTree(FilePtr file, std::string location)
    : file_(std::move(file)), location_(std::move(location)) {
  read_members();
  if (left_out_ > 0) notices_.push_back(fmt::format("{} more members have faults", left_out_));
}

TarTree::TarTree(FilePtr file, std::string location, KeptNumbers& numbers)
    : file_(std::move(file)), location_(std::move(location)) {
  const auto text = [&] { return std::string(as_text(numbers.bytes(kMaxKeptText))); };
  for (uint64_t left = numbers.count(1); left > 0; --left) notices_.push_back(text());
  const Member* last = nullptr;  // in the file
  for (uint64_t left = numbers.count(kNumbersOfMember); left > 0; --left) {
    const std::string key = text();
    Member member;
    member.kind = numbers.next() == 0 ? EntryKind::folder : EntryKind::file;
    member.offset = numbers.next();
    member.size = numbers.next();
    member.header = numbers.next();
    member.checksum = static_cast<uint32_t>(numbers.next());
    const uint64_t refused = numbers.next();
    const std::string why = text();
    if (refused > 0) member.refused = Error(refused == 1 ? Errc::unsupported : Errc::damaged, why);
    const bool is_readable = member.kind == EntryKind::file && refused == 0;
    if (is_readable && !(is_range_in(member.offset, member.size, file_->size()) &&
                         is_range_in(member.header, kTarBlock, file_->size())))
      throw damaged("a member is beyond the end");
    files_ += member.kind == EntryKind::file;
    const auto added = members_.emplace_hint(members_.end(), key, std::move(member));
    if (is_readable && (!last || added->second.header > last->header)) last = &added->second;
  }
  if (last && !has_header_of(*last)) throw damaged("the members are those of another file");
}

void TarTree::append_numbers(std::vector<uint64_t>& numbers) const {
  const auto append = [&](std::string_view text) { append_bytes(as_byte_span(text), numbers); };
  numbers.push_back(notices_.size());
  for (const std::string& line : notices_) append(line);
  numbers.push_back(members_.size());
  for (const auto& [key, member] : members_) {
    append(key);
    const uint64_t refused = !member.refused ? 0 : is_unsupported(*member.refused) ? 1 : 2;
    numbers.insert(numbers.end(), {uint64_t{member.kind == EntryKind::file}, member.offset, member.size,
                                   member.header, member.checksum, refused});
    append(member.refused ? member.refused->what() : "");
  }
}

void TarTree::notice(const std::string& line) {
  if (notices_.size() < kMaxNotices)
    notices_.push_back(line);
  else
    ++left_out_;
}

void TarTree::read_members() {
  Stated stated;
  uint64_t at = 0;
  while (at < file_->size()) {
    check_cancelled();
    try {
      const uint64_t next = read_member(at, stated);
      if (next == at) return;
      at = next;
    } catch (const Error& error) {
      if (is_transient(error) || is_unsupported(error) || at == 0) throw;
      notice(
          fmt::format("the archive is damaged at byte {}: {}; what follows is left out", at, error.what()));
      return;
    }
  }
}

// Reads the header at `at`. stated: what the headers before it state about the member. Returns the place of
// the next header, or `at` at the end of the archive.
uint64_t TarTree::read_member(uint64_t at, Stated& stated) {
  if (file_->size() - at < kTarBlock) throw damaged("a header is truncated");
  const Bytes bytes = file_->read_at(at, kTarBlock);
  const std::string_view block = as_text(bytes);
  if (is_empty_block(block)) return at;
  if (!has_checksum(block)) throw damaged("a header has a wrong checksum");
  const char type = block[kType];
  uint64_t size = number(raw(block, kSize)), data = at + kTarBlock;
  if (std::string_view("xgLK").find(type) != std::string_view::npos) {
    if (size > kMaxExtensionBytes)
      throw damaged("a header has {} bytes, expected at most {}", size, kMaxExtensionBytes);
    if (size > file_->size() - data) throw damaged("a header is truncated");
    read_extension(type, file_->read_at(data, static_cast<size_t>(size)), stated);
    return data + padded(size);
  }
  constexpr std::string_view kWithoutData = "123456";
  size = kWithoutData.find(type) != std::string_view::npos ? 0 : stated.size.value_or(size);
  if (stated.name.empty()) {
    stated.name = text(block, kName);
    const std::string_view prefix = text(block, kPrefix);
    if (raw(block, kMagic) == std::string_view("ustar\0", kMagic.size) && !prefix.empty())
      stated.name = fmt::format("{}/{}", prefix, stated.name);
  }
  if (stated.link.empty()) stated.link = text(block, kLink);
  if (type == kGnuSparse) data = end_of_sparse_map(block, data);
  add(type, std::exchange(stated, {}),
      {type == '5' ? EntryKind::folder : EntryKind::file, data, size, at, crc32(bytes)});
  return checked_add(data, padded(size));
}

// Reads a header that has no member of its own.
void TarTree::read_extension(char type, ByteSpan body, Stated& stated) const {
  std::string_view rest = as_text(body);
  if (type == 'L') stated.name = rest.substr(0, rest.find('\0'));
  if (type == 'K') stated.link = rest.substr(0, rest.find('\0'));
  while (type == 'x' && !rest.empty()) {
    size_t length = 0;
    const auto [digits, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto before = static_cast<size_t>(digits - rest.data());
    if (error != std::errc() || length > rest.size() || length < before + 3 || *digits != ' ' ||
        rest[length - 1] != '\n')
      throw damaged("a record of a pax header is invalid");
    const std::string_view record = rest.substr(before + 1, length - before - 2);
    rest.remove_prefix(length);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) throw damaged("a record of a pax header is invalid");
    const std::string_view name = record.substr(0, equals), value = record.substr(equals + 1);
    if (name == "path") stated.name = value;
    if (name == "linkpath") stated.link = value;
    if (name.starts_with("GNU.sparse.")) stated.is_sparse = true;
    if (name != "size") continue;
    uint64_t size = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
    if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size())
      throw damaged("a size is not a number");
    stated.size = size;
  }
}

// Returns where the data of a sparse file of old GNU tar begin: after the blocks that continue its map.
uint64_t TarTree::end_of_sparse_map(std::string_view block, uint64_t data) const {
  constexpr size_t kContinues = 482, kContinuesAgain = 504;
  bool continues = block[kContinues] != 0;
  while (continues) {
    if (data > file_->size() || file_->size() - data < kTarBlock) throw damaged("a header is truncated");
    continues = file_->read_at(data, kTarBlock)[kContinuesAgain] != std::byte{0};
    data += kTarBlock;
  }
  return data;
}

// Adds the member, or the reason why it cannot be read.
void TarTree::add(char type, const Stated& stated, Member member) try {
  const std::string key = key_of(stated.name);
  if (key.empty()) return;
  if (std::string_view("346").find(type) != std::string_view::npos) return;  // devices and pipes
  if (type == 'V') return;                                                   // the label of a volume
  const auto refuse = [&](std::string why) {
    member.refused = unsupported("{}/{}: {}", location_, key, why);
    notice(fmt::format("{}: {}", key, why));
  };
  if (type == '1' || type == '2') {
    refuse(fmt::format("a link to {} in an archive; unpack the archive to follow it", stated.link));
  } else if (type == kGnuSparse || stated.is_sparse) {
    refuse("a sparse file in an archive; unpack the archive to read it");
  } else if (type != '0' && type != '\0' && type != '7' && type != '5') {
    refuse(fmt::format("a member of type '{}', which plainfs does not know", type));
  } else if (member.size > 0 && !is_range_in(member.offset, member.size, file_->size())) {
    member.refused =
        damaged("{}/{}: the archive ends within this member; copy or download it again", location_, key);
    notice(fmt::format("{}: the archive ends within this member", key));
  }
  add_folders(key);
  put(key, std::move(member));
} catch (const Error& error) {
  if (is_transient(error) || members_.size() >= kMaxMembers) throw;
  notice(fmt::format("{}: left out: {}", stated.name.substr(0, kMaxKeyBytes), error.what()));
}

// Adds the folders of a key that no header mentions. Throws damaged if one of them is a file.
void TarTree::add_folders(const std::string& key) {
  for (size_t slash = key.find('/'); slash != std::string::npos; slash = key.find('/', slash + 1)) {
    const auto [folder, is_new] = members_.try_emplace(key.substr(0, slash));
    if (folder->second.kind != EntryKind::folder) throw damaged("{} is a file", folder->first);
  }
}

// Adds or replaces a member: as in tar, the last of a name counts.
void TarTree::put(const std::string& key, Member member) {
  if (members_.size() >= kMaxMembers)
    throw unsupported("an archive of over {} members; unpack it first", kMaxMembers);
  const auto [found, is_new] = members_.try_emplace(key, member);
  if (!is_new) {
    if (found->second.kind != member.kind) throw damaged("a file and a folder have this name");
    if (member.kind == EntryKind::file)
      notice(fmt::format("{}: occurs several times; the last one is used", key));
    found->second = std::move(member);
  } else if (member.kind == EntryKind::file) {
    ++files_;
  }
}

bool TarTree::has_header_of(const Member& member) const {
  return crc32(file_->read_at(member.header, kTarBlock)) == member.checksum;
}

FilePtr TarTree::open(const std::string& key) const {
  const auto found = members_.find(key);
  if (found == members_.end() || found->second.kind != EntryKind::file) return nullptr;
  const Member& member = found->second;
  if (member.refused) throw *member.refused;
  if (!has_header_of(member)) throw changed(file_->path());
  return std::make_shared<MemberFile>(file_, location_ + "/" + key, member.offset, member.size);
}

EntryKind TarTree::kind_of(const std::string& key) const {
  if (key.empty()) return EntryKind::folder;
  const auto found = members_.find(key);
  return found == members_.end() ? EntryKind::nothing : found->second.kind;
}

std::vector<Entry> TarTree::list(const std::string& folder) const {
  std::vector<Entry> entries;
  const std::string start = folder.empty() ? "" : folder + "/";
  for (auto at = members_.lower_bound(start); at != members_.end() && at->first.starts_with(start);) {
    const size_t slash = at->first.find('/', start.size());
    const std::string name = at->first.substr(start.size(), slash - start.size());
    if (slash != std::string::npos) {  // below a folder, which has its own entry
      at = members_.lower_bound(start + name + static_cast<char>('/' + 1));
      continue;
    }
    entries.push_back({name, at->second.kind});
    ++at;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

}  // namespace plainfs::unpacked
