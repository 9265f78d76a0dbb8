#include "formats/core/codecs/png.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/codecs/inflate.h"
#include "formats/core/model/arrays/chunked_array.h"

namespace plainfs {

namespace {

constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
constexpr uint64_t kMaxPngBytes = uint64_t{1} << 28;  // of the file, of its rows, and of the pixels
constexpr uint64_t kPngFrame = 12;                    // length, name and checksum of a chunk
constexpr uint64_t kMaxPngChunks = 4096;              // before the pixels
constexpr uint64_t kMaxPixelChunks = kMaxPngBytes / 1024;
constexpr uint32_t kMaxColors = 256;

enum class PngKind : uint8_t { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgba = 6 };

// The pixels of one pass over an interlaced picture: those from (x, y) on, at the distances of step_x and
// step_y.
struct PngPass {
  uint32_t x, y, step_x, step_y;

  uint64_t columns(uint32_t width) const { return width > x ? divide_up(width - x, step_x) : 0; }
  uint64_t rows(uint32_t height) const { return height > y ? divide_up(height - y, step_y) : 0; }
};

constexpr std::array<PngPass, 1> kOnePass = {{{0, 0, 1, 1}}};
// Adam7 (PNG specification, 8.2).
constexpr std::array<PngPass, 7> kAdam7 = {
    {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};

// The description of the pixels: the chunks before them.
struct PngHead {
  uint32_t width = 0, height = 0;
  unsigned depth = 0;
  bool is_interlaced = false;
  PngKind kind = PngKind::grey;
  Bytes palette;                      // three bytes per colour
  std::optional<Bytes> transparency;  // tRNS

  unsigned samples() const {
    constexpr unsigned kSamples[] = {1, 0, 3, 1, 2, 0, 4};
    return kSamples[static_cast<size_t>(kind)];
  }
  std::span<const PngPass> passes() const {
    return is_interlaced ? std::span<const PngPass>(kAdam7) : std::span<const PngPass>(kOnePass);
  }
  // Bytes of a row without its filter type.
  uint64_t row_bytes(uint64_t columns) const { return divide_up(columns * samples() * depth, 8); }
  uint64_t stored_bytes() const {
    uint64_t bytes = 0;
    for (const PngPass& pass : passes())
      if (const uint64_t columns = pass.columns(width))
        bytes += checked_multiply(pass.rows(height), row_bytes(columns) + 1);
    return bytes;
  }
  // The distance in bytes to the pixel before, as filters count it.
  size_t step() const { return std::max(1U, samples() * depth / 8); }
  bool has_alpha() const { return transparency || kind == PngKind::grey_alpha || kind == PngKind::rgba; }
  uint64_t channels() const { return has_alpha() ? 4 : 3; }
};

void take_header(ByteSpan data, PngHead& head) {
  Cursor cursor(data);
  head.width = cursor.big<uint32_t>();
  head.height = cursor.big<uint32_t>();
  head.depth = cursor.byte();
  const uint8_t kind = cursor.byte();
  const uint8_t compression = cursor.byte(), filter = cursor.byte(), interlace = cursor.byte();
  if (!cursor.at_end()) throw damaged("IHDR has {} bytes, expected 13", data.size());
  if (head.width == 0 || head.height == 0 || head.width > INT32_MAX || head.height > INT32_MAX)
    throw damaged("IHDR: invalid size of {} by {} pixels", head.width, head.height);
  constexpr std::array<std::string_view, 7> kDepths = {"\1\2\4\10\20", "", "\10\20", "\1\2\4\10",
                                                       "\10\20",       "", "\10\20"};
  const bool is_known =
      kind < kDepths.size() && kDepths[kind].find(static_cast<char>(head.depth)) != std::string_view::npos;
  if (!is_known || head.depth == 0)
    throw damaged("IHDR: invalid colour type {} with {} bits", kind, head.depth);
  if (compression != 0 || filter != 0 || interlace > 1)
    throw damaged("IHDR: methods {}, {} and {}, expected 0, 0 and 0 or 1", compression, filter, interlace);
  head.is_interlaced = interlace == 1;
  head.kind = static_cast<PngKind>(kind);
  const uint64_t pixels = checked_multiply(head.width, head.height);
  if (std::max(head.stored_bytes(), checked_multiply(pixels, 4)) > kMaxPngBytes)
    throw unsupported("a PNG of {} by {} pixels, at most {} bytes are decoded", head.width, head.height,
                      kMaxPngBytes);
}

void take_transparency(ByteSpan data, PngHead& head) {
  const bool is_palette = head.kind == PngKind::palette;
  const uint64_t expected = is_palette ? head.palette.size() / 3 : 2 * head.samples();
  const bool fits = is_palette ? data.size() <= expected : data.size() == expected;
  if (!fits || head.has_alpha()) throw damaged("tRNS has {} bytes for this type of colours", data.size());
  head.transparency = Bytes(data.begin(), data.end());
}

void take_palette(ByteSpan data, PngHead& head) {
  if (data.empty() || data.size() % 3 != 0 || data.size() / 3 > kMaxColors || !head.palette.empty())
    throw damaged("PLTE has {} bytes", data.size());
  head.palette.assign(data.begin(), data.end());
}

bool is_critical(std::string_view name) {
  return (static_cast<unsigned char>(name[0]) & 0x20) == 0;
}

// A frame of a chunk: the name, and where its data lie.
struct PngChunk {
  std::string name;
  uint64_t at, size;
};

PngChunk chunk_at(const File& file, uint64_t at) {
  if (at > file.size() || file.size() - at < kPngFrame)
    throw damaged("the file ends before IEND at byte {}", file.size());
  const Bytes frame = file.read_at(at, 8);
  Cursor cursor(frame);
  const uint32_t size = cursor.big<uint32_t>();
  PngChunk chunk{std::string(cursor.text(4)), at + 8, size};
  if (size > file.size() - at - kPngFrame)
    throw damaged("chunk '{}' of {} bytes at byte {} of {}", chunk.name, size, at, file.size());
  return chunk;
}

// Reads the data of a chunk and verifies its checksum. The data are followed by it.
Bytes read_chunk(const File& file, const PngChunk& chunk) {
  Bytes named = file.read_at(chunk.at - 4, 4 + chunk.size + 4);
  const uint32_t stored = load_big<uint32_t>(named.data() + named.size() - 4);
  named.resize(named.size() - 4);
  if (crc32(named) != stored)
    throw damaged("chunk '{}': the checksum {:#010x} does not match", chunk.name, stored);
  named.erase(named.begin(), named.begin() + 4);
  return named;
}

// Takes a chunk that precedes the pixels. Reads no other than PLTE and tRNS.
void take_chunk(const File& file, const PngChunk& chunk, PngHead& head) {
  const bool is_palette = chunk.name == "PLTE";
  if (is_palette || chunk.name == "tRNS") {
    if (chunk.size > 3 * kMaxColors)
      throw damaged("{} has {} bytes, expected at most {}", chunk.name, chunk.size, 3 * kMaxColors);
    const Bytes data = read_chunk(file, chunk);
    return is_palette ? take_palette(data, head) : take_transparency(data, head);
  }
  if (chunk.name == "IHDR") throw damaged("two chunks IHDR");
  if (chunk.name == "IEND") throw damaged("no pixels before IEND");
  if (is_critical(chunk.name)) throw unsupported("a PNG with the chunk '{}'", chunk.name);
}

// Returns whether the bytes begin a PNG file.
bool is_png(ByteSpan beginning) {
  return as_text(beginning).starts_with(kPngSignature);
}

// Reads the chunks up to the first IDAT, which is at `pixels`.
PngHead read_head(const File& file, uint64_t& pixels) {
  if (file.size() < kPngSignature.size() || !is_png(file.read_at(0, kPngSignature.size())))
    throw damaged("the file does not begin as a PNG");
  PngHead head;
  PngChunk chunk = chunk_at(file, kPngSignature.size());
  if (chunk.name != "IHDR" || chunk.size != 13)
    throw damaged("the first chunk is '{}', expected IHDR", chunk.name);
  take_header(read_chunk(file, chunk), head);
  for (uint64_t count = 0;; ++count) {
    if (count == kMaxPngChunks) throw damaged("over {} chunks before the pixels", kMaxPngChunks);
    pixels = chunk.at + chunk.size + 4;
    chunk = chunk_at(file, pixels);
    if (chunk.name == "IDAT") break;
    take_chunk(file, chunk, head);
  }
  if (head.kind == PngKind::palette && head.palette.empty()) throw damaged("no palette");
  return head;
}

// Returns the joined data of the IDAT chunks, the first at `at`.
Bytes read_pixels(const File& file, uint64_t at) {
  Bytes data;
  uint64_t count = 0;
  for (PngChunk chunk = chunk_at(file, at); chunk.name == "IDAT"; chunk = chunk_at(file, at)) {
    check_cancelled();
    if (++count > kMaxPixelChunks) throw unsupported("a PNG with over {} chunks IDAT", kMaxPixelChunks);
    const Bytes part = read_chunk(file, chunk);
    data.insert(data.end(), part.begin(), part.end());
    at = chunk.at + chunk.size + 4;
  }
  return data;
}

unsigned at_of(const std::byte* row, size_t at) {
  return static_cast<unsigned>(row[at]);
}

unsigned paeth(unsigned left, unsigned above, unsigned corner) {
  const int a = static_cast<int>(left), b = static_cast<int>(above), c = static_cast<int>(corner);
  const int to_left = std::abs(b - c), to_above = std::abs(a - c), to_corner = std::abs(a + b - 2 * c);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

// Reverses the filter of a row in place. above: the row before, or null.
void unfilter(unsigned filter, std::byte* row, const std::byte* above, size_t size, size_t step) {
  for (size_t i = 0; i < size; ++i) {
    const unsigned left = i >= step ? at_of(row, i - step) : 0, up = above ? at_of(above, i) : 0;
    const unsigned corner = above && i >= step ? at_of(above, i - step) : 0;
    unsigned guess = 0;
    switch (filter) {
      case 0:
        return;
      case 1:
        guess = left;
        break;
      case 2:
        guess = up;
        break;
      case 3:
        guess = (left + up) / 2;
        break;
      case 4:
        guess = paeth(left, up, corner);
        break;
      default:
        throw damaged("a row has the filter {}, expected 0 to 4", filter);
    }
    row[i] = static_cast<std::byte>(at_of(row, i) + guess);
  }
}

// The samples of a row.
class RowSamples {
 public:
  RowSamples(const std::byte* row, unsigned depth) : row_(row), depth_(depth) {}
  unsigned operator[](size_t i) const {
    if (depth_ == 16) return at_of(row_, 2 * i) << 8 | at_of(row_, 2 * i + 1);
    if (depth_ == 8) return at_of(row_, i);
    const size_t bit = i * depth_;
    return at_of(row_, bit / 8) >> (8 - depth_ - bit % 8) & ((1U << depth_) - 1);
  }

 private:
  const std::byte* row_;
  unsigned depth_;
};

// Writes the pixels of rows as red, green and blue, with opacity if there is one.
class PngColors {
 public:
  explicit PngColors(const PngHead& head) : head_(head) {
    if (!head.transparency || head.kind == PngKind::palette) return;
    for (size_t i = 0; i < head.samples(); ++i)
      key_[i] = at_of(head.transparency->data(), 2 * i) << 8 | at_of(head.transparency->data(), 2 * i + 1);
  }

  // Writes `columns` pixels of a row. distance: of pixels in `out`, in pixels.
  void put_row(const std::byte* row, uint64_t columns, std::byte* out, uint64_t distance) const {
    const RowSamples samples(row, head_.depth);
    const unsigned per_pixel = head_.samples();
    for (size_t pixel = 0; pixel < columns; ++pixel, out += distance * head_.channels()) {
      std::array<unsigned, 4> parts{};
      for (unsigned i = 0; i < per_pixel; ++i) parts[i] = samples[pixel * per_pixel + i];
      if (head_.kind == PngKind::palette)
        put_of_palette(parts[0], out);
      else
        put_pixel(parts, out);
    }
  }

 private:
  std::byte scaled(unsigned sample) const {
    const unsigned full = (1U << head_.depth) - 1;
    return static_cast<std::byte>((sample * 255 + full / 2) / full);
  }
  void put_of_palette(unsigned number, std::byte* out) const {
    if (number >= head_.palette.size() / 3)
      throw damaged("colour {} of {} in the palette", number, head_.palette.size() / 3);
    std::copy_n(head_.palette.begin() + 3 * number, 3, out);
    if (!head_.transparency) return;
    out[3] = number < head_.transparency->size() ? (*head_.transparency)[number] : std::byte{255};
  }
  void put_pixel(const std::array<unsigned, 4>& parts, std::byte* out) const {
    const bool is_grey = head_.samples() < 3;
    for (size_t i = 0; i < 3; ++i) out[i] = scaled(parts[is_grey ? 0 : i]);
    if (!head_.has_alpha()) return;
    const auto is_key = [&] {
      return std::equal(key_.begin(), key_.begin() + head_.samples(), parts.begin());
    };
    if (head_.transparency)
      out[3] = is_key() ? std::byte{0} : std::byte{255};
    else
      out[3] = scaled(parts[head_.samples() - 1]);
  }

  const PngHead& head_;
  std::array<unsigned, 4> key_{};  // the transparent colour
};

// A PNG as one chunk.
class PngPixels : public ChunkedArray {
 public:
  PngPixels(FilePtr file, PngHead head, uint64_t pixels, Context& context)
      : ChunkedArray(context, number_type(Kind::unsigned_integer, 1),
                     ChunkGrid({head.height, head.width, head.channels()},
                               {head.height, head.width, head.channels()})),
        file_(std::move(file)),
        head_(std::move(head)),
        pixels_(pixels) {}

 protected:
  Elements load_chunk(std::span<const uint64_t>) const override {
    try {
      return decode();
    } catch (const Error& error) {
      throw error.at(file_->path());
    }
  }

 private:
  Elements decode() const {
    constexpr uint64_t kMaxRatio = 1040;  // deflate's is 1032
    const uint64_t count = uint64_t{head_.height} * head_.width * head_.channels();
    const auto room = context().decode_budget.take(file_->size() + head_.stored_bytes() + count);
    const Bytes data = read_pixels(*file_, pixels_);
    if (head_.stored_bytes() / kMaxRatio > data.size())
      throw damaged("{} bytes of data are too few for {} by {} pixels", data.size(), head_.width,
                    head_.height);
    Bytes rows = inflate_zlib(data, DecodedSize::exactly(head_.stored_bytes()));
    Elements pixels;
    pixels.count = count;
    pixels.bytes.resize(pixels.count);
    std::byte* stored = rows.data();
    for (const PngPass& pass : head_.passes()) stored = put_pass(pass, stored, pixels.bytes.data());
    return pixels;
  }

  // Writes the pixels of a pass. Returns the end of its stored rows.
  std::byte* put_pass(const PngPass& pass, std::byte* stored, std::byte* pixels) const {
    const uint64_t columns = pass.columns(head_.width), row_bytes = head_.row_bytes(columns);
    if (columns == 0) return stored;
    const PngColors colors(head_);
    const std::byte* above = nullptr;
    for (uint64_t y = pass.y; y < head_.height; y += pass.step_y) {
      check_cancelled();
      std::byte* const row = stored + 1;
      unfilter(at_of(stored, 0), row, above, row_bytes, head_.step());
      colors.put_row(row, columns, pixels + (y * head_.width + pass.x) * head_.channels(), pass.step_x);
      above = row;
      stored = row + row_bytes;
    }
    return stored;
  }

  const FilePtr file_;
  const PngHead head_;
  const uint64_t pixels_;  // where the first IDAT begins
};

}  // namespace

ArrayPtr png_pixels(FilePtr file, Context& context) {
  const std::string place = file->path();
  try {
    if (file->size() > kMaxPngBytes)
      throw unsupported("a PNG of {} bytes, at most {} are decoded", file->size(), kMaxPngBytes);
    uint64_t pixels = 0;
    PngHead head = read_head(*file, pixels);
    return std::make_shared<PngPixels>(std::move(file), std::move(head), pixels, context);
  } catch (const Error& error) {
    throw error.at(place);
  }
}

std::optional<Node> png_node(const std::string& location, Context& context) try {
  FilePtr file = context.files.open(location);
  if (file->size() < kPngSignature.size() || !is_png(file->read_at(0, kPngSignature.size())))
    return std::nullopt;
  return Node{LabelledArray{png_pixels(std::move(file), context), nullptr, nullptr}};
} catch (const Error& error) {
  return Node{error};
}

}  // namespace plainfs
