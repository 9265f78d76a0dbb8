// The pages of a chunk: where they are, and their content without compression.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/containers/parquet/footer.h"

namespace plainfs::parquet {

// A page as its header describes it.
struct PageHeader {
  PageKind kind = PageKind::data;
  uint64_t header_size = 0;  // in the file
  uint64_t size = 0;         // of the body in the file
  uint64_t plain_size = 0;   // of the body without compression
  std::optional<uint32_t> checksum;
  uint64_t values = 0;   // with missing ones; of a dictionary: its values
  uint64_t rows = 0;     // PageKind::data_v2
  uint64_t missing = 0;  // PageKind::data_v2
  int encoding = 0;
  int definition_encoding = 0;   // PageKind::data
  int repetition_encoding = 0;   // PageKind::data
  uint64_t definition_size = 0;  // PageKind::data_v2: bytes of the levels
  uint64_t repetition_size = 0;  // PageKind::data_v2
  bool is_compressed = true;     // PageKind::data_v2
};

// Reads a header at the beginning of bytes. Returns nullopt if it may continue beyond them. is_all: nothing
// follows them. Throws damaged if it cannot be understood.
std::optional<PageHeader> read_page_header(ByteSpan bytes, bool is_all);

struct PagePlace {
  uint64_t offset = 0;  // of its header in the file
  uint64_t size = 0;    // with its header
  uint64_t first = 0;   // number of values before it in the chunk, with missing ones
};

// The pages of a chunk with data, and its dictionary.
struct PageList {
  std::vector<PagePlace> pages;
  std::optional<PagePlace> dictionary;
  size_t allocated_bytes() const { return pages.capacity() * sizeof(PagePlace); }
};

// Returns the pages of a chunk, from the offset index if the column is flat and the file has one that fits
// the chunk, otherwise from the headers of the pages. rows: of the row group. Throws damaged if the chunk is
// not within the file, or if its pages do not have its number of values.
PageList read_pages(const Value& file, const Footer& footer, const Chunk& chunk, const Column& column,
                    uint64_t rows);

// The body of a page without compression.
struct Page {
  PageHeader header;
  Bytes bytes;
  ByteSpan repetition, definition;  // PageKind::data_v2: the levels
  ByteSpan body;                    // the rest; in PageKind::data with the levels
};

// Reads a page and verifies its checksum. max_bytes: the limit for its size without compression.
Page read_page(const Value& file, const PagePlace& place, int codec, uint64_t max_bytes);

// Decompresses the body of a page to exactly `size` bytes.
Bytes decompress(int codec, ByteSpan packed, uint64_t size);

}  // namespace plainfs::parquet
