#include "fs/layout/zarr_packed.h"

#include <algorithm>
#include <variant>

#include "cache/in_order.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/codecs/compress.h"
#include "fs/layout/array_segment.h"
#include "fs/layout/chunk_cuts.h"
#include "fs/layout/text_segments.h"
#include "fs/layout/zarr_documents.h"
#include "fs/layout/zarr_grid.h"

namespace plainfs {

namespace {

constexpr uint64_t kZarrBytesAtOnce = 1 << 20;  // compressed by one thread
constexpr uint64_t kTextBytes = 16;             // as which a text is counted
constexpr uint64_t kTextsInChunk = 65536;       // with several axes
constexpr int kZstdLevel = 3, kBloscLevel = 5;

Bytes whole_file(ViewFile& file) {
  Bytes bytes(file.size());
  const Slices slices = file.read(0, bytes.size());
  if (slices.size() != bytes.size()) throw damaged("{} bytes, expected {}", slices.size(), bytes.size());
  slices.copy_to(bytes);
  return bytes;
}

Json blosc_document(int level) {
  return Json::Object{{"id", "blosc"},
                      {"cname", "lz4"},
                      {"clevel", Json::of(int64_t{level})},
                      {"shuffle", Json::of(int64_t{1})},
                      {"blocksize", Json::of(int64_t{0})}};
}

// An array that is cut into chunks. Its bands are as many rows as a chunk has, side by side.
class CutArray {
 public:
  // chunk: for texts whole rows.
  CutArray(const ZarrArray& array, Shape chunk, Context& context)
      : array_(array), chunk_(std::move(chunk)), context_(context) {
    if (!has_axes()) return;
    row_elements_ = elements_of_row(array.shape);
    if (array.form) segment_ = array_segment(array.values, *array.form, context);
  }

  const ZarrArray& array() const { return array_; }
  const Shape& chunk() const { return chunk_; }
  // Returns whether the array can be cut: it has axes, and its elements are known.
  bool has_axes() const { return array_.values && !array_.shape.empty(); }
  bool is_empty() const { return element_count(array_.shape) == 0; }
  uint32_t element_bytes() const { return array_.form ? array_.form->size : 1; }
  uint64_t bands() const { return has_axes() ? zarr_chunks(array_.shape, chunk_, 0) : 1; }
  uint64_t chunks_in_band() const {
    uint64_t count = 1;
    for (size_t axis = 1; has_axes() && axis < chunk_.size(); ++axis)
      count = checked_multiply(count, zarr_chunks(array_.shape, chunk_, axis));
    return count;
  }
  // Returns the number of bands to read at once, so that their data are decoded once.
  uint64_t bands_at_once() const {
    if (!segment_) return 1;
    const uint64_t wanted = std::max(kZarrBytesAtOnce, segment_->least_block());
    return std::max<uint64_t>(1, wanted / std::max<uint64_t>(1, chunk_[0] * row_bytes()));
  }
  // Returns the bytes of the bands, as far as they lie in the array. That of texts is an estimate.
  uint64_t bytes_of(uint64_t first, uint64_t count) const {
    if (!array_.values) return array_.open_chunk(Shape(chunk_.size()))->size();
    if (!has_axes()) return array_.form ? array_.form->size : kTextBytes;
    return (row_end(first + count) - row_end(first)) * row_bytes();
  }
  // Reports that nothing of the bands is needed any more. Requires: those before were released.
  void release(uint64_t first, uint64_t count) const {
    if (segment_) segment_->release(row_end(first) * row_bytes(), row_end(first + count) * row_bytes());
  }

  // Returns the chunks of bands, one band after the other.
  std::vector<Bytes> read_bands(uint64_t first, uint64_t count) const;
  // Returns one chunk.
  Bytes read_chunk(const Shape& origin) const;

 private:
  uint64_t row_bytes() const { return row_elements_ * (segment_ ? array_.form->size : kTextBytes); }
  uint64_t row_end(uint64_t band) const { return std::min(array_.shape[0], band * chunk_[0]); }
  Bytes read_texts(uint64_t row) const;

  const ZarrArray& array_;
  const Shape chunk_;
  Context& context_;
  uint64_t row_elements_ = 1;
  SegmentPtr segment_;  // of numbers
};

std::vector<Bytes> CutArray::read_bands(uint64_t first, uint64_t count) const {
  std::vector<Bytes> chunks;
  if (!segment_) {
    for (uint64_t band = first; band < first + count; ++band) {
      Shape origin(chunk_.size());
      if (!origin.empty()) origin[0] = band * chunk_[0];
      chunks.push_back(read_chunk(origin));
    }
    return chunks;
  }
  const uint64_t begin = row_end(first) * row_bytes(), size = row_end(first + count) * row_bytes() - begin;
  const auto room = context_.unit_budget.take(size);
  const Bytes rows = segment_->bytes(begin, size, true);
  const uint64_t band_bytes = chunk_[0] * row_bytes();
  for (uint64_t at = 0; at < size; at += band_bytes)
    cut_band(array_.shape, chunk_, array_.form->size,
             ByteSpan(rows).subspan(at, std::min(band_bytes, size - at)),
             [&](const Shape&, Bytes bytes) { chunks.push_back(std::move(bytes)); });
  return chunks;
}

Bytes CutArray::read_chunk(const Shape& origin) const {
  if (!has_axes() && array_.is_text()) return read_texts(0);
  if (!has_axes()) return whole_file(*array_.open_chunk(origin));
  if (!array_.form) return read_texts(origin[0]);
  const SegmentPtr box = padded_box(array_.values, *array_.form, origin, chunk_);
  return box->bytes(0, box->size(), true);
}

// Returns texts of whole rows: their count and each with its length, with empty ones beyond the last row.
Bytes CutArray::read_texts(uint64_t row) const {
  const uint64_t in_chunk = element_count(chunk_);
  const uint64_t first = row * row_elements_;
  const uint64_t count = std::min(in_chunk, element_count(array_.shape) - first);
  if (in_chunk > UINT32_MAX) throw unsupported("{} texts in a row", in_chunk);
  std::string bytes;
  append_little(bytes, in_chunk, 4);
  for_each_text(*array_.values, first, count, [&](std::string_view text, bool is_missing) {
    with_length().append(is_missing ? "NA" : text, bytes);
  });
  bytes.append((in_chunk - count) * 4, '\0');
  const ByteSpan all = as_byte_span(bytes);
  return {all.begin(), all.end()};
}

class ZarrPacked : public PackedFolder {
 public:
  ZarrPacked(ZarrNodePtr root, const FolderPacking& packing, Context& context)
      : packing_(packing), is_version_3_(packing.version != 2), context_(context), root_(std::move(root)) {
    if (packing.version != 0 && packing.version != 2 && packing.version != 3)
      throw unsupported("Zarr of version {}", packing.version);
    add(*root_, "");
    add_documents();
    for (const auto& array : arrays_) add_chunks(array);
  }

  const std::vector<PackedFile>& files() const override { return files_; }
  uint64_t write(size_t file, PackedSink& out,
                 const std::function<void(uint64_t bytes)>& has_generated) const override {
    return std::visit([&](const auto& content) { return write_content(content, out, has_generated); },
                      contents_.at(file));
  }

 private:
  struct StoredArray {
    std::string path;  // in the folder, "X/data"
    CutArray cut;
    std::optional<Shape> shard{};
  };
  struct Chunk {
    const StoredArray* array;
    Shape origin;
  };
  // Whole bands of an array.
  struct Shard {
    const StoredArray* array;
    uint64_t first;
    uint64_t count;
    uint64_t slots;  // of chunks, beyond the array's end too
  };
  using Content = std::variant<std::string, Chunk, Shard>;
  using HasGenerated = std::function<void(uint64_t bytes)>;

  int level() const { return packing_.level.value_or(is_version_3_ ? kZstdLevel : kBloscLevel); }
  void add(ZarrNode& node, const std::string& path);
  void add_documents();
  const StoredArray& add_array(const ZarrArray& array, const std::string& path);
  Shape chunk_of(const ZarrArray& array) const;
  void add_chunks(const std::unique_ptr<StoredArray>& array);
  void add_file(std::string path, uint64_t bytes, bool is_of_any_size, Content content) {
    files_.push_back({std::move(path), bytes, is_of_any_size});
    contents_.push_back(std::move(content));
  }
  Bytes encoded(const CutArray& array, Bytes chunk) const;

  static uint64_t write_content(const std::string& text, PackedSink& out, const HasGenerated& has_generated) {
    out.write_at(0, as_byte_span(text));
    has_generated(text.size());
    return text.size();
  }
  uint64_t write_content(const Chunk& chunk, PackedSink& out, const HasGenerated& has_generated) const;
  uint64_t write_content(const Shard& shard, PackedSink& out, const HasGenerated& has_generated) const;

  const FolderPacking packing_;
  const bool is_version_3_;
  Context& context_;
  const ZarrNodePtr root_;
  std::vector<std::unique_ptr<StoredArray>> arrays_;
  std::vector<Zarr3Node> nodes_;  // of version 3
  Json::Object documents_;        // of version 2, by their paths
  std::vector<PackedFile> files_;
  std::vector<Content> contents_;  // of files_
};

void ZarrPacked::add(ZarrNode& node, const std::string& path) {
  const ZarrContent& content = node.content();
  const std::string place = path.empty() ? "" : path + "/";
  const StoredArray* const array = content.array ? &add_array(*content.array, path) : nullptr;
  if (is_version_3_) {
    if (path == "zarr.json" || path.ends_with("/zarr.json"))
      throw unsupported("\"zarr.json\" cannot be a name in Zarr of version 3");
    std::optional<int> document_level = packing_.level.value_or(0);  // zstd's default
    if (level() == 0) document_level.reset();
    nodes_.push_back({path, array ? zarr3_array(*content.array, content.attributes,
                                                {array->cut.chunk(), array->shard, document_level})
                                  : zarr3_group(content.attributes)});
  } else {
    if (content.attributes) documents_.emplace_back(place + ".zattrs", *content.attributes);
    const Json compressor = level() == 0 ? Json() : blosc_document(level());
    if (array)
      documents_.emplace_back(place + ".zarray", zarr2_array(*content.array, array->cut.chunk(), compressor));
    else
      documents_.emplace_back(place + ".zgroup", zarr2_group());
  }
  for (const auto& [name, member] : content.members)
    if (!member.is_unlisted) add(*member.node, place + name);
}

const ZarrPacked::StoredArray& ZarrPacked::add_array(const ZarrArray& array, const std::string& path) {
  if (!array.values) array.open_chunk(Shape(array.shape.size()))->size();  // throws if it cannot be read
  auto stored = std::make_unique<StoredArray>(StoredArray{path, CutArray(array, chunk_of(array), context_)});
  const uint64_t most = packing_.file_bytes > 0 ? packing_.file_bytes : kZarrShardBytes;
  if (is_version_3_ && stored->cut.has_axes())
    stored->shard = zarr_shard(array.shape, stored->cut.chunk(), stored->cut.element_bytes(), most);
  return *arrays_.emplace_back(std::move(stored));
}

Shape ZarrPacked::chunk_of(const ZarrArray& array) const {
  constexpr uint64_t kZarr2TextBytes = 8;  // as which zarr-python 2 counts a text
  if (!array.values || array.shape.empty() || (!is_version_3_ && level() == 0)) return array.chunk;
  if (array.is_text() && array.shape.size() > 1) {
    Shape chunk = array.shape;
    for (uint64_t& length : chunk) length = std::max<uint64_t>(1, length);
    chunk[0] = std::min(chunk[0], std::max<uint64_t>(1, kTextsInChunk / elements_of_row(chunk)));
    return chunk;
  }
  const uint64_t size = array.form ? array.form->size : is_version_3_ ? 1 : kZarr2TextBytes;
  return zarr_chunk(array.shape, size, is_version_3_ ? kZarr3ChunkBytes : kZarr2ChunkBytes);
}

// The documents of the root come first, then those nearer to it.
void ZarrPacked::add_documents() {
  std::vector<std::pair<std::string, std::string>> texts;
  if (is_version_3_) {
    for (const Zarr3Node& node : nodes_) {
      const bool is_root = node.path.empty();
      texts.emplace_back(is_root ? "zarr.json" : node.path + "/zarr.json",
                         python_json(is_root ? zarr3_consolidated(nodes_) : node.document, kZarr3Json));
    }
  } else {
    texts.emplace_back(".zmetadata", python_json(zarr2_consolidated(documents_), kZarr2Json));
    for (const auto& [path, document] : documents_)
      texts.emplace_back(path, python_json(document, kZarr2Json));
  }
  const auto depth_of = [](const auto& text) {
    return std::count(text.first.begin(), text.first.end(), '/');
  };
  std::stable_sort(texts.begin(), texts.end(),
                   [&](const auto& a, const auto& b) { return depth_of(a) < depth_of(b); });
  for (auto& [path, text] : texts) {
    const uint64_t size = text.size();
    add_file(std::move(path), size, false, std::move(text));
  }
}

void ZarrPacked::add_chunks(const std::unique_ptr<StoredArray>& array) {
  const CutArray& cut = array->cut;
  if (cut.is_empty()) return;
  const Shape& shape = cut.array().shape;
  const bool is_of_any_size = cut.array().is_text();
  if (array->shard) {
    const uint64_t bands = (*array->shard)[0] / cut.chunk()[0];
    std::string columns;  // the only shard along each further axis
    for (size_t axis = 1; axis < shape.size(); ++axis) columns += "/0";
    for (uint64_t first = 0; first < cut.bands(); first += bands) {
      const uint64_t count = std::min(bands, cut.bands() - first);
      add_file(array->path + "/c/" + std::to_string(first / bands) + columns, cut.bytes_of(first, count),
               is_of_any_size, Shard{array.get(), first, count, bands * cut.chunks_in_band()});
    }
    return;
  }
  Shape number(shape.size());
  for (;;) {
    Shape origin = number;
    std::string name;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      origin[axis] *= cut.chunk()[axis];
      name.append(axis == 0 ? "" : is_version_3_ ? "/" : ".").append(std::to_string(number[axis]));
    }
    if (is_version_3_) name = shape.empty() ? "c" : "c/" + name;
    if (!is_version_3_ && shape.empty()) name = "0";
    const uint64_t bytes = cut.has_axes() ? checked_multiply(element_count(cut.chunk()), cut.element_bytes())
                                          : cut.bytes_of(0, 1);
    add_file(array->path + "/" + name, bytes, is_of_any_size, Chunk{array.get(), origin});
    size_t axis = shape.size();
    for (; axis > 0 && ++number[axis - 1] * cut.chunk()[axis - 1] >= shape[axis - 1]; --axis)
      number[axis - 1] = 0;
    if (axis == 0) return;
  }
}

Bytes ZarrPacked::encoded(const CutArray& array, Bytes chunk) const {
  if (level() == 0) return chunk;
  if (is_version_3_) return zstd_compressed(chunk, level());
  return blosc_compressed(chunk, array.element_bytes(), level());
}

uint64_t ZarrPacked::write_content(const Chunk& chunk, PackedSink& out,
                                   const HasGenerated& has_generated) const {
  const CutArray& cut = chunk.array->cut;
  const bool is_single_text = !is_version_3_ && !cut.has_axes();  // text of version 2 has a fixed length then
  Bytes raw =
      is_single_text ? whole_file(*cut.array().open_chunk(chunk.origin)) : cut.read_chunk(chunk.origin);
  const uint64_t bytes =
      cut.has_axes() ? checked_multiply(element_count(cut.chunk()), cut.element_bytes()) : cut.bytes_of(0, 1);
  const Bytes stored = encoded(cut, std::move(raw));
  out.write_at(0, stored);
  has_generated(bytes);
  return stored.size();
}

uint64_t ZarrPacked::write_content(const Shard& shard, PackedSink& out,
                                   const HasGenerated& has_generated) const {
  const CutArray& cut = shard.array->cut;
  const uint64_t at_once = std::min(shard.count, cut.bands_at_once());
  const auto bands_of = [&](size_t piece) { return std::min(at_once, shard.count - piece * at_once); };
  std::string index;
  uint64_t size = 0;
  InOrder<std::vector<Bytes>>::run(
      context_.workers, divide_up(shard.count, at_once),
      [&](size_t piece) {
        std::vector<Bytes> chunks = cut.read_bands(shard.first + piece * at_once, bands_of(piece));
        for (Bytes& chunk : chunks) chunk = encoded(cut, std::move(chunk));
        return chunks;
      },
      [&](size_t piece, const std::vector<Bytes>& chunks) {
        for (const Bytes& chunk : chunks) {
          out.write_at(size, chunk);
          append_little(index, size, 8);
          append_little(index, chunk.size(), 8);
          size += chunk.size();
        }
        const uint64_t first = shard.first + piece * at_once;
        cut.release(first, bands_of(piece));
        has_generated(cut.bytes_of(first, bands_of(piece)));
      });
  constexpr uint64_t kSlotBytes = 16;
  index.resize(checked_multiply(shard.slots, kSlotBytes), '\xff');  // without a chunk
  append_little(index, crc32c(as_byte_span(index)), 4);
  out.write_at(size, as_byte_span(index));
  return size + index.size();
}

}  // namespace

std::unique_ptr<const PackedFolder> zarr_packed(ZarrNodePtr root, const FolderPacking& packing,
                                                Context& context) {
  return std::make_unique<ZarrPacked>(std::move(root), packing, context);
}

}  // namespace plainfs
