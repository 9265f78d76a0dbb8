// libFuzzer: any bytes as an .rds or .RData file. Lists everything that a schema makes of it, and reads the
// small arrays. An Error is a valid outcome. A crash, a hang or a leak is not. Build with clang++
// -fsanitize=fuzzer,address,undefined.
#include <cstdint>

#include "formats/containers/rds/reader.h"
#include "tests/damage/read_objects.h"
#include "tests/support/bytes_file.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  TestContext context(size_t{1} << 20, 0);
  attempt([&] {
    const Compression compression =
        unpacked::compression_of(as_byte_span(std::string_view(input).substr(0, 6)));
    const auto bytes = std::make_shared<UnpackedBytes>(std::make_shared<BytesFile>(input), compression,
                                                       context, "the values");
    const std::unique_ptr<ByteSource> source = bytes->first_pass();
    SerialStream stream(*source, uint64_t{1} << 24);
    stream.read_header();
    LongVectors vectors;
    rds::ValuePtr value = Reader(stream, bytes, vectors).read();
    stream.finish();
    read_object(std::move(value), context);
  });
  return 0;
}
