// libFuzzer: any bytes as a Parquet file, or else as one page. Reads the footer and some rows of every
// column; of a page its header and its values in one encoding. An Error is a valid outcome. A crash, a hang
// or a leak is not.
#include <algorithm>
#include <cstdint>

#include "formats/containers/parquet/encodings.h"
#include "formats/containers/parquet/pages.h"
#include "formats/core/codecs/blocks.h"
#include "formats/schemas/parquet/table.h"
#include "formats/schemas/parquet/wkt.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

constexpr uint64_t kMaxRows = 1 << 12;

void read_file(ByteSpan bytes) {
  TestContext context(size_t{16} << 20, 0);
  const auto value = std::make_shared<MemoryValue>(Bytes(bytes.begin(), bytes.end()));
  const parquet::TableFiles files = parquet::TableFiles::open({{"file", value}}, "file", context);
  files.table();
  for (const Column& column : files.columns()) {
    try {
      column.values->check();
      const uint64_t rows = column.values->count(), some = std::min(rows, kMaxRows);
      column.values->chunk_shape();
      column.values->read(range(0, some));
      column.values->read(range(rows - some, some));
      column.values->release(range(0, some));
    } catch (const Error&) {
    }
  }
}

template <class Use>
void attempt(Use&& use) {
  try {
    use();
  } catch (const Error&) {
  }
}

// Reads a page: a byte for the encoding, one for the type of its values, two for their number, and its bytes.
void read_page_of(ByteSpan bytes) {
  constexpr size_t kHead = 4;
  constexpr uint64_t kLimit = 1 << 20;
  constexpr uint32_t kLength = 5;
  if (bytes.size() < kHead) return;
  const auto encoding = static_cast<int>(bytes[0]);
  const auto physical = static_cast<parquet::Physical>(static_cast<int>(bytes[1]) & 7);
  const uint64_t count = static_cast<uint64_t>(bytes[2]) | static_cast<uint64_t>(bytes[3]) << 8;
  const ByteSpan body = bytes.subspan(kHead);
  attempt(
      [&] { parquet::decode_values(body, encoding, parquet::value_type(physical, kLength), count, kLimit); });
  attempt([&] { parquet::decode_indices(body, count, 1 << 16); });
  attempt([&] {
    std::vector<uint8_t> levels(count);
    parquet::decode_packed_levels(body, 3, levels);
  });
  attempt([&] { parquet::read_page_header(body, true); });
  attempt([&] { parquet::decompress(encoding & 7, body, count); });
  attempt([&] {
    std::string text;
    parquet::append_wkt(as_text(body), text);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  if (parquet::begins_as_parquet(bytes))
    attempt([&] { read_file(bytes); });
  else
    read_page_of(bytes);
  return 0;
}
