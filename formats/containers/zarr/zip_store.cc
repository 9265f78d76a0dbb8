#include "formats/containers/zarr/zip_store.h"

#include <libdeflate.h>

#include <algorithm>

#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/codecs.h"

namespace plainfs::zarr {
namespace {

constexpr uint64_t kLocalHeaderSize = 30;
// A deflate stream grows at most 1032 times. Members of the other methods are rarely large.
constexpr uint64_t kMaxMemberGrowth = 65536;

struct DecodedMember {
  Bytes bytes;
  size_t allocated_bytes() const { return bytes.capacity(); }
};

struct ZipFile {
  FilePtr file;
  std::shared_ptr<const ZipDirectory> directory;
  Context& context;
  uint64_t cache_owner;     // of decompressed members
  uint64_t verified_owner;  // of stored members with a correct checksum
};

struct Verified {
  size_t allocated_bytes() const { return 0; }
};

// Returns the offset of the member's bytes. They follow its local header. Its extra field may differ from the
// one in the directory.
uint64_t data_offset(const ZipFile& zip, const ZipMember& member) {
  const uint64_t file_size = zip.file->size();
  if (checked_add(member.header_offset, kLocalHeaderSize) > file_size) {
    throw damaged("local header at {} is beyond the end at {}", member.header_offset, file_size);
  }
  const Bytes header = zip.file->read_at(member.header_offset, kLocalHeaderSize);
  Cursor cursor(header);
  if (cursor.text(4) != "PK\3\4") throw damaged("no local header at {}", member.header_offset);
  cursor.seek(26);
  const uint64_t name_size = cursor.little<uint16_t>();
  const uint64_t extra_size = cursor.little<uint16_t>();
  const uint64_t offset = member.header_offset + kLocalHeaderSize + name_size + extra_size;
  if (checked_add(offset, member.stored_size) > file_size) {
    throw damaged("{} bytes at {} are beyond the end at {}", member.stored_size, offset, file_size);
  }
  return offset;
}

Bytes inflated(ByteSpan deflated, uint64_t size) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  Bytes bytes(size);
  size_t written = 0;
  const auto result = libdeflate_deflate_decompress(decompressor.get(), deflated.data(), deflated.size(),
                                                    bytes.data(), bytes.size(), &written);
  if (result != LIBDEFLATE_SUCCESS || written != size)
    throw damaged("a deflated member does not have {} bytes", size);
  return bytes;
}

// Converts a member's LZMA data to an .lzma file. The data are a version, the size of the properties, the
// properties and the stream (APPNOTE 5.8.8). An .lzma file has the properties, the decoded size and the
// stream.
Bytes as_lzma_file(ByteSpan member, uint64_t size) {
  Cursor cursor(member);
  cursor.skip(2);
  if (const auto properties = cursor.little<uint16_t>(); properties != 5) {
    throw damaged("invalid lzma properties: {} bytes", properties);
  }
  Bytes file;
  const auto append_bytes = [&file](ByteSpan part) { file.insert(file.end(), part.begin(), part.end()); };
  append_bytes(cursor.bytes(5));
  append_little(file, size, sizeof size);
  append_bytes(cursor.bytes(cursor.remaining()));
  return file;
}

Bytes decompressed(const ZipMember& member, Bytes stored) {
  if (member.size > checked_multiply(stored.size(), kMaxMemberGrowth)) {
    throw damaged("{} bytes cannot hold {} decoded bytes", stored.size(), member.size);
  }
  const auto by_codec = [&](const char* id, Bytes encoded, Json configuration = Json::Object{}) {
    return make_zarr_codec(id, configuration, number_type(Kind::unsigned_integer, 1))
        ->decode(std::move(encoded), DecodedSize::exactly(member.size));
  };
  switch (static_cast<ZipMethod>(member.method)) {
    case ZipMethod::stored:
      return stored;
    case ZipMethod::deflated:
      return inflated(stored, member.size);
    case ZipMethod::bzip2:
      return by_codec("bz2", std::move(stored));
    case ZipMethod::lzma:
      return by_codec("lzma", as_lzma_file(stored, member.size),
                      Json::Object{{"format", Json::of(int64_t{2})}});
    case ZipMethod::zstd:
      return by_codec("zstd", std::move(stored));
  }
  throw unsupported("zip method {}", member.method);
}

class ZipValue : public Value {
 public:
  ZipValue(std::shared_ptr<const ZipFile> zip, const ZipMember& member)
      : zip_(std::move(zip)), member_(member), offset_(data_offset(*zip_, member)) {}

  uint64_t size() const override { return member_.size; }

  Bytes read_all() const override {
    Bytes bytes = decompressed(member_, zip_->file->read_at(offset_, member_.stored_size));
    check_crc(libdeflate_crc32(0, bytes.data(), bytes.size()));
    return bytes;
  }

  Bytes read(uint64_t offset, uint64_t size) const override {
    if (checked_add(offset, size) > member_.size) {
      throw damaged("{} bytes at {} are beyond the end at {}", size, offset, member_.size);
    }
    if (member_.method == static_cast<uint16_t>(ZipMethod::stored)) {
      verify_once();
      return zip_->file->read_at(offset_ + offset, size);
    }
    const CacheKey key{zip_->cache_owner, zip_->directory->index_of(member_)};
    const auto whole =
        zip_->context.cache.get<DecodedMember>(key, [this] { return DecodedMember{read_all()}; });
    const auto first = whole->bytes.begin() + static_cast<ptrdiff_t>(offset);
    return Bytes(first, first + static_cast<ptrdiff_t>(size));
  }

 private:
  // Checks the CRC of a stored member before a part of it is returned.
  void verify_once() const {
    const CacheKey key{zip_->verified_owner, zip_->directory->index_of(member_)};
    zip_->context.cache.get<Verified>(key, [this] {
      constexpr uint64_t kPiece = 1 << 20;
      uint32_t crc = 0;
      for (uint64_t at = 0; at < member_.size; at += kPiece) {
        const Bytes piece = zip_->file->read_at(offset_ + at, std::min(kPiece, member_.size - at));
        crc = libdeflate_crc32(crc, piece.data(), piece.size());
      }
      check_crc(crc);
      return Verified{};
    });
  }

  void check_crc(uint32_t crc) const {
    if (crc != member_.crc) throw damaged("the CRC-32 checksum does not match");
  }

  std::shared_ptr<const ZipFile> zip_;
  const ZipMember& member_;  // owned by zip_
  const uint64_t offset_;
};

class ZipStore : public KeyStore {
 public:
  ZipStore(std::shared_ptr<const ZipFile> zip, std::string prefix)
      : KeyStore(zip->file->path()), zip_(std::move(zip)), prefix_(std::move(prefix)) {}

  bool is_one_file() const override { return true; }

  ValuePtr open(const std::string& key) const override {
    const std::string name = prefix_ + key;
    const ZipMember* member = zip_->directory->find(name);
    if (!member) {
      if (zip_->directory->has_folder(name)) throw damaged("{} is a folder", key);
      return nullptr;
    }
    if (member->encrypted) throw unsupported("{} is encrypted", key);
    if (member->method == static_cast<uint16_t>(ZipMethod::stored) && member->stored_size != member->size) {
      throw damaged("{}: a stored member has {} bytes, expected {}", key, member->stored_size, member->size);
    }
    return std::make_shared<ZipValue>(zip_, *member);
  }

  bool has_folder(const std::string& folder) const override {
    return zip_->directory->has_folder(prefix_ + folder);
  }

  std::vector<std::string> folders(const std::string& folder) const override {
    return zip_->directory->folders(prefix_of(folder));
  }

  std::vector<Entry> list(const std::string& folder) const override {
    std::vector<Entry> entries;
    for (std::string& name : folders(folder)) entries.push_back({std::move(name), EntryKind::folder});
    for (std::string& name : zip_->directory->files(prefix_of(folder)))
      entries.push_back({std::move(name), EntryKind::file});
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }

 private:
  std::string prefix_of(const std::string& folder) const {
    return folder.empty() ? prefix_ : prefix_ + folder + "/";
  }

  std::shared_ptr<const ZipFile> zip_;
  std::string prefix_;
};

}  // namespace

KeyStorePtr open_zip_store(FilePtr file, std::shared_ptr<const ZipDirectory> directory, std::string folder,
                           Context& context) {
  auto zip = std::make_shared<const ZipFile>(ZipFile{std::move(file), std::move(directory), context,
                                                     context.cache.new_owner(), context.cache.new_owner()});
  return std::make_shared<const ZipStore>(std::move(zip), std::move(folder));
}

}  // namespace plainfs::zarr
