#include "formats/core/unpacked/unpacked_file.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/base/inside.h"
#include "formats/core/base/scratch.h"
#include "formats/core/codecs/checksum.h"

namespace plainfs::unpacked {
namespace {

// The name under which the results of a pass are saved, as numbers.
constexpr const char kPassName[] = "compressed file 1";

class UnpackedFile final : public InnerFile {
 public:
  UnpackedFile(std::shared_ptr<const UnpackedBytes> bytes, std::string path)
      : InnerFile(bytes->file(), std::move(path), bytes->pass().size, 1), bytes_(std::move(bytes)) {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override { bytes_->read_at(offset, out); }

  const std::shared_ptr<const UnpackedBytes> bytes_;
};

// The content in a scratch file.
class ScratchedFile final : public InnerFile {
 public:
  ScratchedFile(FilePtr file, std::string path, uint64_t size, std::unique_ptr<ScratchFile> scratch)
      : InnerFile(std::move(file), std::move(path), size, 1), scratch_(std::move(scratch)) {}

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override { scratch_->read(offset, out); }

  const std::unique_ptr<ScratchFile> scratch_;
};

// Returns the results of an earlier session, or nullopt.
std::optional<Pass> known_pass(const File& file, Context& context) {
  const auto known = context.passes ? context.passes->known(file.path(), kPassName, context.files) : nullptr;
  if (!known) return std::nullopt;
  try {
    KeptNumbers numbers(*known);
    Pass pass = read_pass(numbers);
    if (numbers.at_end()) return pass;
  } catch (const Error&) {
    // of another build: the pass is made again
  }
  return std::nullopt;
}

void make_pass(UnpackedBytes& bytes, uint64_t max_bytes) {
  const std::unique_ptr<ByteSource> source = bytes.first_pass();
  if (source->skip(max_bytes) == max_bytes && source->skip(1) != 0)
    throw unsupported("the file has too much data when decompressed");
}

// Returns the content of a file after the pass over it, of this or of an earlier session.
std::shared_ptr<UnpackedBytes> passed_over(const FilePtr& file, Compression compression, uint64_t max_bytes,
                                           const std::string& purpose, Context& context) {
  const auto bytes = std::make_shared<UnpackedBytes>(file, compression, context, purpose);
  std::optional<Pass> pass = known_pass(*file, context);
  if (pass && pass->size <= max_bytes) {
    bytes->adopt(*std::move(pass));
    return bytes;
  }
  const auto start = std::chrono::steady_clock::now();
  make_pass(*bytes, max_bytes);
  if (context.passes) {
    std::vector<uint64_t> numbers;
    append_numbers(bytes->pass(), numbers);
    context.passes->keep(file->path(), kPassName, std::move(numbers),
                         std::chrono::steady_clock::now() - start, context.files);
  }
  return bytes;
}

}  // namespace

uint64_t max_decompressed_bytes(uint64_t file_size) {
  constexpr uint64_t kAlways = uint64_t{1} << 30;
  constexpr uint64_t kMaxRatio = 1100;
  return kAlways + kMaxRatio * std::min<uint64_t>(file_size, uint64_t{1} << 50);
}

namespace {

constexpr uint64_t kMaxBetweenPlaces = uint64_t{32} << 20;  // decompressed bytes

// Returns the largest number of bytes between two places.
uint64_t largest_part(const Pass& pass) {
  uint64_t largest = 0, before = 0;
  for (const SeekPoint& point : pass.points) {
    largest = std::max(largest, point.output - before);
    before = point.output;
  }
  return std::max(largest, pass.size - before);
}

// Decompresses all of a file into a scratch file. Returns null if there is no room.
std::unique_ptr<ScratchFile> in_scratch(const UnpackedBytes& bytes, Compression compression,
                                        Context& context) {
  const std::shared_ptr<ScratchFolder> folder = context.passes ? context.passes->scratch() : nullptr;
  if (!folder || folder->room() < bytes.pass().size) return nullptr;
  std::unique_ptr<ScratchFile> scratch = folder->make();
  const auto source = open_source(bytes.file(), compression);
  Bytes page(kPageBytes);
  for (const uint32_t checksum : bytes.pass().checksums) {
    check_cancelled();
    const size_t size = source->read(page);
    if (crc32(ByteSpan(page).first(size)) != checksum) throw changed(bytes.file()->path());
    if (!scratch || !scratch->append(ByteSpan(page).first(size))) return nullptr;
  }
  return scratch;
}

}  // namespace

Unpacked unpack(const FilePtr& file, Compression compression, const std::string& path,
                const std::string& purpose, Context& context) {
  const auto bytes = passed_over(file, compression, max_decompressed_bytes(file->size()), purpose, context);
  Unpacked unpacked;
  unpacked.places = bytes->pass().points.size();
  if (compression != Compression::gzip && largest_part(bytes->pass()) > kMaxBetweenPlaces) {
    if (std::unique_ptr<ScratchFile> scratch = in_scratch(*bytes, compression, context)) {
      unpacked.is_in_scratch = true;
      unpacked.file = std::make_shared<ScratchedFile>(file, path, bytes->pass().size, std::move(scratch));
      return unpacked;
    }
  }
  unpacked.file = std::make_shared<UnpackedFile>(bytes, path);
  return unpacked;
}

FilePtr unpacked_file(const FilePtr& file, Compression compression, uint64_t max_bytes,
                      const std::string& purpose, Context& context) {
  return std::make_shared<UnpackedFile>(passed_over(file, compression, max_bytes, purpose, context),
                                        file->path());
}

}  // namespace plainfs::unpacked
