#include "fs/layout/h5_packed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cache/in_order.h"
#include "formats/containers/hdf5/library/written_file.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/compress.h"
#include "fs/layout/chunk_cuts.h"
#include "fs/layout/text_segments.h"

namespace plainfs {
namespace {

using hdf5::SkeletonDataset;
using hdf5::SkeletonKind;

constexpr uint64_t kBytesAtOnce = 1 << 20;   // compressed by one thread
constexpr uint64_t kTextsAtOnce = 8 * 1024;  // written at a time
constexpr uint64_t kReferenceBytes = 16;     // per text of any length, in the dataset

// Returns the bytes of a dataset's elements that are compressed.
uint64_t data_bytes(const SkeletonDataset& dataset) {
  if (dataset.kind == SkeletonKind::empty) return 0;
  if (dataset.records) return dataset.records->bytes.size();
  if (dataset.texts) return 0;
  const bool is_text = dataset.kind == SkeletonKind::variable_text;
  return checked_multiply(element_count(dataset.shape), is_text ? kReferenceBytes : dataset.size);
}

// Applies HDF5's shuffle filter: the first bytes of all elements, then the second bytes, and so on.
void shuffle(ByteSpan elements, uint32_t size, std::span<std::byte> out) {
  const size_t count = elements.size() / size;
  for (uint32_t byte = 0; byte < size; ++byte)
    for (size_t i = 0; i < count; ++i) out[byte * count + i] = elements[i * size + byte];
}

// A dataset of numbers, cut into bands with as many rows as a chunk. A band is a run of elements.
class ChunkedData {
 public:
  struct Chunk {
    std::vector<uint64_t> origin;
    Bytes stored;
  };
  using Chunks = std::vector<Chunk>;

  ChunkedData(const SkeletonDataset& dataset, const Segment& segment, bool leaves_out_zeros, Context& context)
      : dataset_(dataset),
        segment_(segment),
        chunk_(dataset.chunks->shape),
        leaves_out_zeros_(leaves_out_zeros),
        context_(context) {
    row_bytes_ = elements_of_row(dataset.shape) * dataset.size;
    const uint64_t wanted = std::max(kBytesAtOnce, segment.least_block());
    bands_at_once_ = std::max<uint64_t>(1, wanted / std::max<uint64_t>(1, chunk_[0] * row_bytes_));
  }

  // Returns the number of pieces, which consist of some bands each.
  size_t pieces() const {
    return segment_.size() == 0 ? 0 : divide_up(divide_up(dataset_.shape[0], chunk_[0]), bands_at_once_);
  }
  Chunks make(size_t piece) const {
    const uint64_t first = piece * rows_of_piece();
    const uint64_t end = std::min(dataset_.shape[0], first + rows_of_piece());
    const auto room = context_.unit_budget.take((end - first) * row_bytes_);
    Bytes rows((end - first) * row_bytes_);
    segment_.read({first * row_bytes_, rows});
    Chunks generated;
    for (uint64_t row = first; row < end; row += chunk_[0]) {
      const ByteSpan band =
          ByteSpan(rows).subspan((row - first) * row_bytes_, std::min(chunk_[0], end - row) * row_bytes_);
      cut_band(dataset_.shape, chunk_, dataset_.size, band,
               [&](const Shape& origin, const Bytes& whole) { add_chunk(row, origin, whole, generated); });
    }
    return generated;
  }
  // Returns the bytes up to the end of a piece.
  uint64_t end_of(size_t piece) const {
    return std::min(dataset_.shape[0], (piece + 1) * rows_of_piece()) * row_bytes_;
  }

 private:
  uint64_t rows_of_piece() const { return bands_at_once_ * chunk_[0]; }

  void add_chunk(uint64_t row, Shape origin, ByteSpan whole, Chunks& generated) const {
    if (leaves_out_zeros_ && are_zeros(whole)) return;
    origin[0] = row;
    Bytes shuffled;
    if (dataset_.chunks->is_shuffled && dataset_.size > 1) {
      shuffled.resize(whole.size());
      shuffle(whole, dataset_.size, shuffled);
      whole = shuffled;
    }
    generated.push_back({std::move(origin), zlib_deflated(whole, dataset_.chunks->level)});
  }

  static bool are_zeros(ByteSpan bytes) {
    return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
  }

  const SkeletonDataset& dataset_;
  const Segment& segment_;
  const std::vector<uint64_t>& chunk_;
  const bool leaves_out_zeros_;
  Context& context_;
  uint64_t row_bytes_ = 0;
  uint64_t bands_at_once_ = 1;
};

class SinkOfFile : public hdf5::FileSink {
 public:
  explicit SinkOfFile(PackedSink& out) : out_(out) {}
  void write_at(uint64_t offset, std::span<const char> bytes) override {
    out_.write_at(offset, std::as_bytes(bytes));
  }
  void read_at(uint64_t offset, std::span<char> bytes) override {
    out_.read_at(offset, std::as_writable_bytes(bytes));
  }
  void set_size(uint64_t size) override { size_ = size; }
  uint64_t size() const { return size_; }

 private:
  PackedSink& out_;
  uint64_t size_ = 0;
};

class H5Packed : public PackedForm {
 public:
  H5Packed(std::vector<H5Part> parts, const H5Packing& packing, Context& context)
      : parts_(std::move(parts)), packing_(packing), context_(context) {}

  int usual_level() const override { return packing_.usual_level; }
  uint64_t bytes() const override {
    uint64_t sum = 0;
    for (const H5Part& part : parts_)
      if (part.object.dataset) sum += data_bytes(*part.object.dataset);
    return sum;
  }
  uint64_t write(int level, PackedSink& out,
                 const std::function<void(uint64_t bytes)>& has_generated) const override {
    SinkOfFile sink(out);
    hdf5::WrittenFile file(sink, packing_.user_block);
    for (const H5Part& part : parts_) {
      hdf5::SkeletonObject object = part.object;
      const bool has_data = part.texts || part.segment;
      if (object.dataset && has_data) object.dataset->chunks = chunks_of(part, level);
      file.add(object);
      if (object.dataset && object.dataset->records) has_generated(data_bytes(*object.dataset));
      if (part.texts)
        write_texts(*part.texts, *object.dataset, file, has_generated);
      else if (part.segment)
        write_data(*object.dataset, *part.segment, file, has_generated);
    }
    file.finish();
    return sink.size();
  }

 private:
  // Returns nullopt for a single value.
  std::optional<hdf5::SkeletonChunks> chunks_of(const H5Part& part, int level) const {
    const SkeletonDataset& dataset = *part.object.dataset;
    if (dataset.shape.empty()) return std::nullopt;
    hdf5::SkeletonChunks chunks;
    // h5py counts a text of any length as a pointer.
    const uint32_t size = dataset.kind == SkeletonKind::variable_text ? sizeof(void*) : dataset.size;
    if (!part.chunk.empty())
      chunks.shape = part.chunk;
    else if (packing_.chunk_elements > 0 && dataset.shape.size() == 1)
      chunks.shape = {packing_.chunk_elements};
    else
      chunks.shape = h5py_chunk(dataset.shape, size);
    chunks.level = level;
    chunks.is_shuffled = packing_.is_shuffled;
    chunks.may_grow = packing_.may_all_grow || part.may_grow;
    chunks.growing_axis = part.growing_axis;
    return chunks;
  }

  void write_data(const SkeletonDataset& dataset, const Segment& segment, hdf5::WrittenFile& file,
                  const std::function<void(uint64_t bytes)>& has_generated) const;
  void write_texts(const Array& texts, const SkeletonDataset& dataset, hdf5::WrittenFile& file,
                   const std::function<void(uint64_t bytes)>& has_generated) const;

  const std::vector<H5Part> parts_;
  const H5Packing packing_;
  Context& context_;
};

void H5Packed::write_data(const SkeletonDataset& dataset, const Segment& segment, hdf5::WrittenFile& file,
                          const std::function<void(uint64_t bytes)>& has_generated) const {
  if (!dataset.chunks) {
    Bytes bytes(segment.size());
    segment.read({0, bytes});
    file.write_all(bytes);
    return has_generated(bytes.size());
  }
  const ChunkedData data(dataset, segment, packing_.leaves_out_zeros, context_);
  uint64_t before = 0;
  InOrder<ChunkedData::Chunks>::run(
      context_.workers, data.pieces(), [&](size_t piece) { return data.make(piece); },
      [&](size_t piece, ChunkedData::Chunks chunks) {
        for (const ChunkedData::Chunk& chunk : chunks) file.write_chunk(chunk.origin, chunk.stored);
        const uint64_t end = data.end_of(piece);
        segment.release(before, end);
        has_generated(end - before);
        before = end;
      });
}

void H5Packed::write_texts(const Array& texts, const SkeletonDataset& dataset, hdf5::WrittenFile& file,
                           const std::function<void(uint64_t bytes)>& has_generated) const {
  const uint64_t count = element_count(dataset.shape);
  if (count == 0) return;
  const uint64_t line = dataset.shape.size() == 1 ? 1 : elements_of_row(dataset.shape);
  const uint64_t at_once = std::max<uint64_t>(1, kTextsAtOnce / line) * line;
  for (uint64_t first = 0; first < count; first += at_once) {
    std::vector<std::string> run;
    for_each_text(
        texts, first, std::min(at_once, count - first),
        [&](std::string_view text, bool is_missing) { run.emplace_back(is_missing ? "NA" : text); });
    file.write_texts(first, run);
    has_generated(run.size() * kReferenceBytes);
  }
}

}  // namespace

std::vector<uint64_t> h5py_chunk(const std::vector<uint64_t>& shape, uint32_t element_size,
                                 uint64_t band_bytes) {
  constexpr double kBase = 16 * 1024, kLeast = 8 * 1024, kMax = 1024 * 1024;
  constexpr uint64_t kOfNone = 1024;  // for an axis without elements
  std::vector<double> chunk;
  for (const uint64_t length : shape) chunk.push_back(static_cast<double>(length == 0 ? kOfNone : length));
  const auto chunk_bytes = [&] {
    return std::accumulate(chunk.begin(), chunk.end(), 1.0, std::multiplies<>()) * element_size;
  };
  const double wanted = std::clamp(kBase * std::pow(2, std::log10(chunk_bytes() / kMax)), kLeast, kMax);
  for (size_t axis = 0;; axis = (axis + 1) % chunk.size()) {
    const double now = chunk_bytes();
    if ((now < wanted || std::abs(now - wanted) / wanted < 0.5) && now < kMax) break;
    if (now == element_size) break;
    chunk[axis] = std::ceil(chunk[axis] / 2);
  }
  std::vector<uint64_t> whole(chunk.begin(), chunk.end());
  const uint64_t row = std::max<uint64_t>(1, elements_of_row(shape) * element_size);
  const uint64_t rows = std::max<uint64_t>(1, band_bytes / row);
  if (whole.size() > 1 && rows < whole[0]) {
    const uint64_t times = whole[0] / rows;  // makes lines longer instead
    whole[0] = rows;
    whole.back() = std::min(std::max<uint64_t>(1, shape.back()), whole.back() * times);
  }
  return whole;
}

std::unique_ptr<const PackedForm> h5_packed(std::vector<H5Part> parts, const H5Packing& packing,
                                            Context& context) {
  return std::make_unique<H5Packed>(std::move(parts), packing, context);
}

}  // namespace plainfs
