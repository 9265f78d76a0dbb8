// libFuzzer: files of R's packages qs and qs2. The first byte selects the form of the others: 0: a whole
// file, in blocks; 1: decoded .qdata; otherwise decoded .qs, with its shuffled types in the upper bits. An
// Error is a valid outcome. A crash, a hang or a leak is not. Build with clang++
// -fsanitize=fuzzer,address,undefined.
#include <cstdint>

#include "formats/containers/rds/qs_reader.h"
#include "formats/core/unpacked/byte_source.h"
#include "tests/damage/read_objects.h"
#include "tests/support/bytes_file.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

// Decodes a whole file, and again from each place.
void decode(const std::string& input) {
  const unpacked::Compression compression =
      unpacked::compression_of(as_byte_span(std::string_view(input).substr(0, 8)));
  if (compression != unpacked::Compression::qs && compression != unpacked::Compression::qs2) return;
  const auto file = std::make_shared<BytesFile>(input);
  std::vector<unpacked::SeekPoint> points;
  constexpr uint64_t kMaxDecoded = uint64_t{1} << 24;
  unpacked::open_source(file, compression, &points)->skip(kMaxDecoded);
  for (const unpacked::SeekPoint& point : points) {
    Bytes some(100);
    unpacked::resume_source(file, compression, point)->read(some);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string input(reinterpret_cast<const char*>(data + 1), size - 1);
  TestContext context(size_t{1} << 20, 0);
  attempt([&] {
    if (data[0] == 0) return decode(input);
    const auto content = std::make_shared<BytesFile>(input);
    read_object(data[0] == 1 ? rds::read_qdata(content, context).value
                             : rds::read_qs(content, data[0] >> 4, context).value,
                context);
  });
  return 0;
}
