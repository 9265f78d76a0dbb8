#include "formats/containers/parquet/pages.h"

#include <algorithm>

#include "formats/containers/parquet/encodings.h"
#include "formats/containers/parquet/thrift_reader.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/blocks.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/codecs/inflate.h"

namespace plainfs::parquet {
namespace {

// Numbers of a page header as they are stored; -1: absent.
struct StoredPageHeader {
  int64_t kind = -1, plain_size = -1, size = -1, checksum = 0;
  bool has_checksum = false, has_details = false, is_compressed = true;
  int64_t values = -1, missing = 0, rows = 0, encoding = -1, definition = -1, repetition = -1;
};

// Reads the header of a kind of page. Its fields are those of DataPageHeader, DictionaryPageHeader or
// DataPageHeaderV2.
void read_details(ThriftReader& in, PageKind kind, StoredPageHeader& header) {
  header.has_details = true;
  const bool is_v2 = kind == PageKind::data_v2;
  in.record([&](int64_t id, ThriftType type) {
    switch (id) {
      case 1:
        return in.get(type, header.values);
      case 2:
        return in.get(type, is_v2 ? header.missing : header.encoding);
      case 3:
        return in.get(type, is_v2 ? header.rows : header.definition);
      case 4:
        return in.get(type, is_v2 ? header.encoding : header.repetition);
      case 5:
        return is_v2 && in.get(type, header.definition);
      case 6:
        return is_v2 && in.get(type, header.repetition);
      case 7:
        return is_v2 && in.get(type, header.is_compressed);
      default:
        return false;
    }
  });
}

StoredPageHeader read_stored(ThriftReader& in) {
  StoredPageHeader header;
  const auto details = [&](ThriftType type, PageKind kind) {
    if (type != ThriftType::record || header.kind != static_cast<int>(kind)) return false;
    read_details(in, kind, header);
    return true;
  };
  in.record([&](int64_t id, ThriftType type) {
    switch (id) {
      case 1:
        return in.get(type, header.kind);
      case 2:
        return in.get(type, header.plain_size);
      case 3:
        return in.get(type, header.size);
      case 4:
        header.has_checksum = in.get(type, header.checksum);
        return header.has_checksum;
      case 5:
        return details(type, PageKind::data);
      case 7:
        return details(type, PageKind::dictionary);
      case 8:
        return details(type, PageKind::data_v2);
      default:
        return false;
    }
  });
  return header;
}

// Returns the header with numbers that are possible.
PageHeader checked_header(const StoredPageHeader& stored, size_t header_size) {
  constexpr int64_t kMaxBytes = INT32_MAX;
  const auto number = [](int64_t value, std::string_view what) {
    if (value < 0 || value > kMaxBytes) throw damaged("a page with {} {}", value, what);
    return static_cast<uint64_t>(value);
  };
  PageHeader header;
  if (stored.kind < 0 || stored.kind > static_cast<int>(PageKind::data_v2))
    throw damaged("a page of the kind {}", stored.kind);
  header.kind = static_cast<PageKind>(stored.kind);
  header.header_size = header_size;
  header.size = number(stored.size, "bytes");
  header.plain_size = number(stored.plain_size, "bytes without compression");
  if (stored.has_checksum) header.checksum = static_cast<uint32_t>(stored.checksum);
  if (header.kind == PageKind::index) return header;
  if (!stored.has_details) throw damaged("a page without the header of its kind");
  header.values = number(stored.values, "values");
  header.encoding = static_cast<int>(std::clamp<int64_t>(stored.encoding, -1, INT16_MAX));
  if (header.kind == PageKind::data_v2) {
    header.missing = number(stored.missing, "missing values");
    header.rows = number(stored.rows, "rows");
    header.definition_size = number(std::max<int64_t>(stored.definition, 0), "bytes of levels");
    header.repetition_size = number(std::max<int64_t>(stored.repetition, 0), "bytes of levels");
    header.is_compressed = stored.is_compressed;
    if (header.definition_size + header.repetition_size > std::min(header.size, header.plain_size))
      throw damaged("{} bytes of levels in a page of {}", header.definition_size + header.repetition_size,
                    std::min(header.size, header.plain_size));
  } else {
    header.definition_encoding = static_cast<int>(std::clamp<int64_t>(stored.definition, -1, INT16_MAX));
    header.repetition_encoding = static_cast<int>(std::clamp<int64_t>(stored.repetition, -1, INT16_MAX));
  }
  return header;
}

// Reads the header of the page at an offset. end: of the chunk.
PageHeader header_at(const Value& file, uint64_t offset, uint64_t end) {
  constexpr uint64_t kFirst = 512, kMax = uint64_t{16} << 20;  // a header may have statistics
  for (uint64_t size = kFirst;; size *= 8) {
    const uint64_t some = std::min(size, end - offset);
    const Bytes bytes = file.read(offset, some);
    const bool is_all = some == end - offset || size >= kMax;
    if (const std::optional<PageHeader> header = read_page_header(bytes, is_all)) {
      if (header->size > end - offset - header->header_size)
        throw damaged("the page at {} has {} bytes, and its column ends after {}", offset, header->size,
                      end - offset - header->header_size);
      return *header;
    }
  }
}

// Throws if a chunk is not within the data of the file.
void check_range(const Footer& footer, const Chunk& chunk) {
  if (chunk.begin < kMagicBytes || chunk.begin > footer.data_end ||
      chunk.size > footer.data_end - chunk.begin)
    throw damaged("{} bytes at {} are not within the data, which end at {}", chunk.size, chunk.begin,
                  footer.data_end);
}

bool is_data(PageKind kind) {
  return kind == PageKind::data || kind == PageKind::data_v2;
}

// Finds the pages by their headers, one after another.
PageList walked_pages(const Value& file, const Chunk& chunk) {
  PageList list;
  uint64_t offset = chunk.begin, values = 0;
  const uint64_t end = chunk.begin + chunk.size;
  while (values < chunk.values) {
    if (offset >= end) throw damaged("its pages have {} values, expected {}", values, chunk.values);
    const PageHeader header = header_at(file, offset, end);
    const PagePlace place{offset, header.header_size + header.size, values};
    if (header.kind == PageKind::dictionary) {
      if (list.dictionary || !list.pages.empty()) throw damaged("a dictionary that is not its first page");
      list.dictionary = place;
    } else if (is_data(header.kind)) {
      if (header.values > chunk.values - values)
        throw damaged("its pages have more than its {} values", chunk.values);
      if (header.values > 0) list.pages.push_back(place);
      values += header.values;
    }
    offset += place.size;
  }
  return list;
}

// Reads the places of an offset index. Returns no pages if they do not fit the chunk.
std::vector<PagePlace> read_offset_index(const Value& file, const Footer& footer, const Chunk& chunk,
                                         uint64_t rows) {
  constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
  if (chunk.offset_index < chunk.begin + chunk.size || chunk.offset_index > footer.data_end ||
      chunk.offset_index_size > footer.data_end - chunk.offset_index || chunk.offset_index_size > kMaxBytes ||
      chunk.offset_index_size == 0)
    return {};
  const Bytes bytes = file.read(chunk.offset_index, chunk.offset_index_size);
  ThriftReader in(bytes);
  std::vector<PagePlace> pages;
  bool fits = true;
  uint64_t at = chunk.begin;
  const auto read_place = [&] {
    int64_t offset = -1, size = -1, row = -1;
    in.record([&](int64_t id, ThriftType type) {
      return id == 1 ? in.get(type, offset) : id == 2 ? in.get(type, size) : id == 3 && in.get(type, row);
    });
    const uint64_t end = chunk.begin + chunk.size;
    fits = fits && offset >= 0 && size > 0 && row >= 0 && static_cast<uint64_t>(offset) >= at &&
           static_cast<uint64_t>(offset) < end &&
           static_cast<uint64_t>(size) <= end - static_cast<uint64_t>(offset) &&
           (pages.empty() ? row == 0 : static_cast<uint64_t>(row) >= pages.back().first) &&
           static_cast<uint64_t>(row) <= rows;
    if (!fits) return;
    // A page without rows is not listed, so that the first rows rise.
    if (!pages.empty() && pages.back().first == static_cast<uint64_t>(row)) pages.pop_back();
    pages.push_back({static_cast<uint64_t>(offset), static_cast<uint64_t>(size), static_cast<uint64_t>(row)});
    at = pages.back().offset + pages.back().size;
  };
  in.record([&](int64_t id, ThriftType type) {
    return id == 1 && in.list(
                          type, ThriftType::record, [](uint64_t) {}, read_place);
  });
  if (!pages.empty() && pages.back().first == rows) pages.pop_back();
  return fits ? pages : std::vector<PagePlace>();
}

// Returns the pages by the offset index, if there is one and its pages have headers that agree with it.
std::optional<PageList> indexed_pages(const Value& file, const Footer& footer, const Chunk& chunk,
                                      uint64_t rows) {
  if (chunk.offset_index == 0) return std::nullopt;
  try {
    PageList list;
    list.pages = read_offset_index(file, footer, chunk, rows);
    if (list.pages.empty()) return std::nullopt;
    const uint64_t end = chunk.begin + chunk.size;
    if (list.pages.front().offset > chunk.begin) {
      const PageHeader header = header_at(file, chunk.begin, end);
      if (header.kind != PageKind::dictionary) return std::nullopt;
      list.dictionary = PagePlace{chunk.begin, header.header_size + header.size, 0};
    }
    const PageHeader first = header_at(file, list.pages.front().offset, end);
    if (!is_data(first.kind)) return std::nullopt;
    return list;
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return std::nullopt;  // the headers of the pages are right, or report the fault
  }
}

ByteSpan part(const Bytes& bytes, uint64_t first, uint64_t size) {
  return ByteSpan(bytes).subspan(first, size);
}

// Decodes Hadoop's frames: the size without compression, then blocks with their packed size until it is
// reached; numbers are big-endian. Throws damaged if the bytes are anything else.
void decode_hadoop_lz4(ByteSpan packed, std::span<std::byte> out) {
  Cursor in(packed);
  while (!in.at_end()) {
    uint64_t frame = in.big<uint32_t>();
    if (frame > out.size()) throw damaged("lz4: a frame of {} bytes", frame);
    while (frame > 0) {
      const ByteSpan block = in.bytes(in.big<uint32_t>());
      // A block states its size only if it is the frame's only one.
      const size_t written = decode_lz4_block_up_to(block, out.first(frame));
      out = out.subspan(written);
      frame -= written;
    }
  }
  if (!out.empty()) throw damaged("lz4: {} bytes are missing", out.size());
}

void decode_old_lz4(ByteSpan packed, std::span<std::byte> out) {
  constexpr std::string_view kFrameMagic = "\x04\x22\x4d\x18";
  try {
    decode_hadoop_lz4(packed, out);
  } catch (const Error&) {
    if (as_text(packed).starts_with(kFrameMagic)) throw undecodable("an LZ4 frame");
    decode_lz4_block(packed, out);
  }
}

std::string codec_name(int codec) {
  static constexpr const char* kNames[] = {"none", "snappy", "gzip", "LZO", "brotli", "LZ4", "zstd", "LZ4"};
  return codec >= 0 && static_cast<size_t>(codec) < std::size(kNames) ? kNames[codec] : std::to_string(codec);
}

// Throws if a page cannot have the size that its header states, which may be a lie: before memory is taken
// for it.
void check_plain_size(int codec, ByteSpan packed, uint64_t size) {
  constexpr uint64_t kMaxOfGzip = 1033, kMaxOfLz4 = 256;  // bytes of one packed byte
  const auto limit = [&](uint64_t ratio) {
    if (size / ratio > packed.size())
      throw damaged("{} bytes unpack to {} at most, expected {}", packed.size(),
                    saturating_multiply(packed.size(), ratio), size);
  };
  switch (static_cast<Codec>(std::clamp(codec, 0, UINT8_MAX))) {
    case Codec::none:
      return check_decoded_size("not compressed", packed.size(), DecodedSize::exactly(size));
    case Codec::snappy:
      return check_decoded_size("snappy", snappy_size(packed), DecodedSize::exactly(size));
    case Codec::gzip:
      return limit(kMaxOfGzip);
    case Codec::lz4:
    case Codec::lz4_framed:
      return limit(kMaxOfLz4);
    case Codec::lzo:
    case Codec::brotli:
      throw undecodable("compressed by {}, which plainfs cannot decode; write the file with zstd",
                        codec_name(codec));
    case Codec::zstd:
      return;
  }
  throw undecodable("compressed by the codec {}", codec);
}

void check_checksum(const PageHeader& header, ByteSpan stored) {
  if (!header.checksum) return;
  if (const uint32_t sum = crc32(stored); sum != *header.checksum)
    throw damaged("the checksum is {:08x}, expected {:08x}", sum, *header.checksum);
}

}  // namespace

std::optional<PageHeader> read_page_header(ByteSpan bytes, bool is_all) {
  // The header ends with the struct; if the bytes end before it, the reader throws.
  ThriftReader in(bytes);
  StoredPageHeader stored;
  try {
    stored = read_stored(in);
  } catch (const Error& error) {
    if (is_all || error.code() != Errc::damaged) throw error.at("the header of a page");
    return std::nullopt;
  }
  return checked_header(stored, in.position());
}

Bytes decompress(int codec, ByteSpan packed, uint64_t size) {
  check_plain_size(codec, packed, size);
  Bytes out;
  switch (static_cast<Codec>(codec)) {
    case Codec::none:
      out.assign(packed.begin(), packed.end());
      return out;
    case Codec::gzip:
      return inflate_gzip(packed, DecodedSize::exactly(size));
    case Codec::lzo:
    case Codec::brotli:
      break;
    case Codec::snappy:
      out.resize(size);
      decode_snappy_block(packed, out);
      return out;
    case Codec::zstd:
      out.resize(size);
      decode_zstd_block(packed, out);
      return out;
    case Codec::lz4:
      out.resize(size);
      decode_lz4_block(packed, out);
      return out;
    case Codec::lz4_framed:
      out.resize(size);
      decode_old_lz4(packed, out);
      return out;
  }
  throw undecodable("compressed by the codec {}", codec);
}

PageList read_pages(const Value& file, const Footer& footer, const Chunk& chunk, const Column& column,
                    uint64_t rows) {
  switch (chunk.fault) {
    case Chunk::Fault::none:
      break;
    case Chunk::Fault::encrypted:
      throw unsupported("an encrypted column, which a program with its key can read");
    case Chunk::Fault::in_other_file:
      throw unsupported("its values are in another file");
    case Chunk::Fault::without_metadata:
      throw damaged("its metadata are missing");
    case Chunk::Fault::of_other_column:
      throw damaged("its metadata are those of another column");
    case Chunk::Fault::of_other_type:
      throw damaged("its metadata have another type than the column");
    case Chunk::Fault::miscounted:
      throw damaged("the row group has another number of columns than the schema");
  }
  const bool is_flat = column.repetitions == 0;
  if (is_flat && chunk.values != rows) throw damaged("{} values for {} rows", chunk.values, rows);
  if (chunk.values == 0) {
    if (rows > 0) throw damaged("no values for {} rows", rows);
    return {};
  }
  check_range(footer, chunk);
  if (is_flat)
    if (std::optional<PageList> list = indexed_pages(file, footer, chunk, rows)) return *std::move(list);
  return walked_pages(file, chunk);
}

Page read_page(const Value& file, const PagePlace& place, int codec, uint64_t max_bytes) {
  const Bytes stored = file.read(place.offset, place.size);
  Page page;
  page.header = *read_page_header(stored, true);
  const PageHeader& header = page.header;
  if (header.header_size + header.size != stored.size())
    throw damaged("a page of {} bytes, expected {}", header.header_size + header.size, stored.size());
  const ByteSpan body = part(stored, header.header_size, header.size);
  check_checksum(header, body);
  if (header.kind != PageKind::data_v2) {
    check_plain_size(codec, body, header.plain_size);
    check_page_bytes(header.plain_size, max_bytes);
    page.bytes = decompress(codec, body, header.plain_size);
    page.body = page.bytes;
    return page;
  }
  const uint64_t levels = header.definition_size + header.repetition_size;
  const ByteSpan packed = body.subspan(levels);
  const uint64_t plain_size = header.plain_size - levels;
  const bool is_packed =
      header.is_compressed && codec != static_cast<int>(Codec::none) && !(plain_size == 0 && packed.empty());
  if (is_packed) check_plain_size(codec, packed, plain_size);
  check_page_bytes(header.plain_size, max_bytes);
  const Bytes values =
      is_packed ? decompress(codec, packed, plain_size) : Bytes(packed.begin(), packed.end());
  page.bytes.resize(levels + values.size());
  std::copy(body.begin(), body.begin() + static_cast<ptrdiff_t>(levels), page.bytes.begin());
  std::copy(values.begin(), values.end(), page.bytes.begin() + static_cast<ptrdiff_t>(levels));
  page.repetition = part(page.bytes, 0, header.repetition_size);
  page.definition = part(page.bytes, header.repetition_size, header.definition_size);
  page.body = part(page.bytes, levels, values.size());
  return page;
}

}  // namespace plainfs::parquet
