// libFuzzer: any bytes as an .rds file. Every array of every BPCells object in it is read; an Error is an
// answer, and a crash, a hang or a leak is none. Build with clang++ -fsanitize=fuzzer,address,undefined.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "formats/containers/rds/objects.h"
#include "formats/containers/rds/reader.h"
#include "formats/containers/rds/serial_stream.h"
#include "formats/core/model/array.h"

namespace {

using namespace plainfs;
using namespace plainfs::rds;

class InputSource final : public ByteSource {
 public:
  explicit InputSource(ByteSpan input) : input_(input) {}
  size_t read(std::span<std::byte> out) override {
    const size_t size = std::min(out.size(), input_.size());
    if (size > 0) std::memcpy(out.data(), input_.data(), size);
    input_ = input_.subspan(size);
    return size;
  }

 private:
  ByteSpan input_;
};

void read_parts(const Parts& parts) {
  for (const Part& part : parts.members) {
    if (part.array) read_all(*part.array);
    if (part.parts) read_parts(*part.parts);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  InputSource source(std::as_bytes(std::span(data, size)));
  try {
    SerialStream stream(source, size);
    std::vector<LeftOut> left_out;
    read_parts(parts_of(Reader(stream).read(), left_out));
  } catch (const Error&) {
  }
  return 0;
}
