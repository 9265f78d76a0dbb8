#include "formats/containers/rds/unpacked_file.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace plainfs::rds {
namespace {

constexpr const char kOuterPass[] = "R serialisation, compressed twice 1";

class UnpackedFile final : public File {
 public:
  explicit UnpackedFile(std::shared_ptr<const UnpackedBytes> bytes)
      : File(bytes->file()->path(), bytes->pass().size, mixed(bytes->file()->fingerprint(), 1)),
        bytes_(std::move(bytes)) {}

  bool is_remote() const override { return bytes_->file()->is_remote(); }
  void check_unchanged() const override { bytes_->file()->check_unchanged(); }
  void check_unmodified_since(timespec then) const override { bytes_->file()->check_unmodified_since(then); }

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override { bytes_->read_at(offset, out); }

  const std::shared_ptr<const UnpackedBytes> bytes_;
};

void make_pass(UnpackedBytes& bytes, uint64_t most_bytes) {
  const std::unique_ptr<ByteSource> source = bytes.first_pass();
  if (source->skip(most_bytes) == most_bytes && source->skip(1) != 0)
    throw unsupported("the file has too much data when decompressed");
}

}  // namespace

FilePtr unpacked_file(FilePtr file, Compression compression, uint64_t most_bytes, Context& context) {
  const auto bytes = std::make_shared<UnpackedBytes>(file, compression, context);
  Passes* const passes = context.passes;
  const auto known = passes ? passes->known(file->path(), kOuterPass, context.files) : nullptr;
  std::optional<Pass> pass = known ? pass_of(*known) : std::nullopt;
  if (pass && pass->size <= most_bytes) {
    bytes->adopt(*std::move(pass));
    return std::make_shared<UnpackedFile>(bytes);
  }
  const auto start = std::chrono::steady_clock::now();
  make_pass(*bytes, most_bytes);
  if (passes)
    passes->keep(file->path(), kOuterPass, numbers_of(bytes->pass()),
                 std::chrono::steady_clock::now() - start, context.files);
  return std::make_shared<UnpackedFile>(bytes);
}

}  // namespace plainfs::rds
