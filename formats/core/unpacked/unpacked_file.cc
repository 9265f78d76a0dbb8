#include "formats/core/unpacked/unpacked_file.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::unpacked {
namespace {

// The name under which the results of a pass are saved, as numbers.
constexpr const char kPassName[] = "compressed file 1";

class UnpackedFile final : public File {
 public:
  explicit UnpackedFile(std::shared_ptr<const UnpackedBytes> bytes)
      : File(bytes->file()->path(), bytes->pass().size, mixed(bytes->file()->fingerprint(), 1)),
        bytes_(std::move(bytes)) {}

  bool is_remote() const override { return bytes_->file()->is_remote(); }
  void check_unchanged() const override { bytes_->file()->check_unchanged(); }
  void check_unchanged_lately() const override { bytes_->file()->check_unchanged_lately(); }
  void check_unmodified_since(timespec then) const override { bytes_->file()->check_unmodified_since(then); }

 private:
  void read(uint64_t offset, std::span<std::byte> out) const override { bytes_->read_at(offset, out); }

  const std::shared_ptr<const UnpackedBytes> bytes_;
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

}  // namespace

uint64_t max_decompressed_bytes(uint64_t file_size) {
  constexpr uint64_t kAlways = uint64_t{1} << 30;
  constexpr uint64_t kMaxRatio = 1100;
  return kAlways + kMaxRatio * std::min<uint64_t>(file_size, uint64_t{1} << 50);
}

FilePtr unpacked_file(const FilePtr& file, Compression compression, uint64_t max_bytes,
                      const std::string& purpose, Context& context) {
  const auto bytes = std::make_shared<UnpackedBytes>(file, compression, context, purpose);
  std::optional<Pass> pass = known_pass(*file, context);
  if (pass && pass->size <= max_bytes) {
    bytes->adopt(*std::move(pass));
    return std::make_shared<UnpackedFile>(bytes);
  }
  const auto start = std::chrono::steady_clock::now();
  make_pass(*bytes, max_bytes);
  if (context.passes) {
    std::vector<uint64_t> numbers;
    append_numbers(bytes->pass(), numbers);
    context.passes->keep(file->path(), kPassName, std::move(numbers),
                         std::chrono::steady_clock::now() - start, context.files);
  }
  return std::make_shared<UnpackedFile>(bytes);
}

}  // namespace plainfs::unpacked
