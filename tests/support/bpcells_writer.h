// Writes BPCells directories for tests and benchmarks, with bit packing as described by
// formats/schemas/bpcells/FORMAT.md. Written from that description, without sharing code with the reader.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plainfs::bpcells_writer {

enum class Packing { plain, minus_one, difference, zigzag_difference };

struct PackedWords {
  std::vector<uint32_t> data;
  std::vector<uint32_t> idx;
  std::vector<uint64_t> idx_offsets;
  std::vector<uint32_t> starts;  // one per block, even if the packing does not use them
};

// Transforms the 128 values of a block before packing.
inline void transform_block(const uint32_t* values, Packing packing, uint32_t* out) {
  uint32_t before = values[0];
  for (int i = 0; i < 128; ++i) {
    const uint32_t difference = values[i] - before;
    before = values[i];
    switch (packing) {
      case Packing::plain:
        out[i] = values[i];
        break;
      case Packing::minus_one:
        out[i] = values[i] - 1;
        break;
      case Packing::difference:
        out[i] = difference;
        break;
      case Packing::zigzag_difference:
        out[i] = (difference << 1) ^ (0 - (difference >> 31));
        break;
    }
  }
}

inline void pack_block(const uint32_t* values, Packing packing, std::vector<uint32_t>& data) {
  uint32_t transformed[128];
  transform_block(values, packing, transformed);
  uint32_t any = 0;
  for (const uint32_t value : transformed) any |= value;
  const unsigned width = any == 0 ? 0 : 32 - static_cast<unsigned>(__builtin_clz(any));
  if (width == 32) {
    data.insert(data.end(), values, values + 128);
    return;
  }
  const size_t first = data.size();
  data.resize(first + size_t{4} * width);
  uint32_t* words = data.data() + first;
  for (unsigned row = 0; row < 32 && width > 0; ++row) {
    const unsigned bit = row * width;
    const unsigned shift = bit % 32;
    for (unsigned lane = 0; lane < 4; ++lane) {
      const uint32_t value = transformed[4 * row + lane];
      uint32_t* word = words + 4 * (bit / 32) + lane;
      word[0] |= value << shift;
      if (shift + width > 32) word[4] |= value >> (32 - shift);
    }
  }
}

inline PackedWords pack(std::span<const uint32_t> values, Packing packing) {
  PackedWords packed;
  packed.idx.push_back(0);
  packed.data.reserve(values.size() / 4);
  for (size_t first = 0; first < values.size(); first += 128) {
    uint32_t block[128];
    const size_t count = std::min<size_t>(128, values.size() - first);
    std::copy_n(values.begin() + static_cast<ptrdiff_t>(first), count, block);
    std::fill(block + count, block + 128, block[count - 1]);
    packed.starts.push_back(block[0]);
    pack_block(block, packing, packed.data);
    if (packed.data.size() >> 32) throw std::length_error("the writer makes no data of 2^32 words");
    packed.idx.push_back(static_cast<uint32_t>(packed.data.size()));
  }
  packed.idx_offsets = {0, packed.idx.size()};
  return packed;
}

// The files of one store in an existing directory.
class StoreFiles {
 public:
  StoreFiles(std::string directory, const std::string& version)
      : directory_(std::move(directory)), version_(version) {
    text("version", version + "\n");
  }

  template <class T>
  void numbers(const std::string& name, const std::vector<T>& values) const {
    static_assert(std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> || std::is_floating_point_v<T>);
    const char* header = std::is_same_v<T, float>      ? "FLOATSv1"
                         : std::is_same_v<T, double>   ? "DOUBLEv1"
                         : std::is_same_v<T, uint32_t> ? "UINT32v1"
                                                       : "UINT64v1";
    std::ofstream file(directory_ + "/" + name, std::ios::binary);
    file.write(header, 8);
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    if (!file.flush()) throw std::runtime_error("cannot write " + directory_ + "/" + name);
  }

  void lines(const std::string& name, const std::vector<std::string>& values) const {
    std::string all;
    for (const std::string& value : values) all += value + "\n";
    text(name, all);
  }

  void text(const std::string& name, std::string_view content) const {
    std::ofstream file(directory_ + "/" + name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + directory_ + "/" + name);
  }

  void packed(const std::string& name, std::span<const uint32_t> values, Packing packing) const {
    const PackedWords words = pack(values, packing);
    numbers(name + "_data", words.data);
    numbers(name + "_idx", words.idx);
    if (!version_1()) numbers(name + "_idx_offsets", words.idx_offsets);
    if (packing == Packing::difference || packing == Packing::zigzag_difference)
      numbers(name + "_starts", words.starts);
  }

  // 64 bits, or 32 in v1.
  void pointer(const std::string& name, const std::vector<uint64_t>& values) const {
    if (version_1())
      numbers(name, std::vector<uint32_t>(values.begin(), values.end()));
    else
      numbers(name, values);
  }

  bool is_packed() const { return version_.starts_with("packed"); }

 private:
  bool version_1() const { return version_.ends_with("v1"); }

  std::string directory_;
  std::string version_;
};

template <class T>  // uint32_t, float or double
struct Matrix {
  uint32_t rows = 0;
  uint32_t columns = 0;
  bool by_row = false;
  std::vector<T> val;
  std::vector<uint32_t> index;
  std::vector<uint64_t> idxptr;
  std::vector<std::string> row_names;
  std::vector<std::string> col_names;
};

// packed: "packed" or "unpacked"; number: 1 or 2.
template <class T>
StoreFiles write_matrix(const std::string& directory, const Matrix<T>& matrix,
                        const std::string& packing = "packed", int number = 2) {
  const std::string type = std::is_same_v<T, uint32_t> ? "uint"
                           : std::is_same_v<T, float>  ? "float"
                                                       : "double";
  const StoreFiles files(directory, packing + "-" + type + "-matrix-v" + std::to_string(number));
  if constexpr (std::is_same_v<T, uint32_t>) {
    if (files.is_packed())
      files.packed("val", matrix.val, Packing::minus_one);
    else
      files.numbers("val", matrix.val);
  } else {
    files.numbers("val", matrix.val);
  }
  if (files.is_packed())
    files.packed("index", matrix.index, Packing::zigzag_difference);
  else
    files.numbers("index", matrix.index);
  files.pointer("idxptr", matrix.idxptr);
  files.numbers("shape", std::vector<uint32_t>{matrix.rows, matrix.columns});
  files.lines("row_names", matrix.row_names);
  files.lines("col_names", matrix.col_names);
  files.lines("storage_order", {matrix.by_row ? "row" : "col"});
  return files;
}

struct Fragments {
  std::vector<uint32_t> cell;
  std::vector<uint32_t> start;
  std::vector<uint32_t> end;
  std::vector<uint64_t> chr_ptr;
  std::vector<std::string> cell_names;
  std::vector<std::string> chr_names;
};

// Returns, for every 128 fragments, the largest end of these and of all earlier ones in the chromosome.
// Requires: chromosomes in stored order.
inline std::vector<uint32_t> end_max(const Fragments& fragments) {
  std::vector<uint32_t> all;
  uint32_t carried = 0;
  for (size_t c = 0; c + 1 < fragments.chr_ptr.size(); c += 2) {
    uint32_t current = 0;
    for (uint64_t i = fragments.chr_ptr[c]; i < fragments.chr_ptr[c + 1]; ++i) {
      if (i % 128 == 0 && i > 0) {
        all.push_back(std::max(current, carried));
        carried = 0;
      }
      current = std::max(current, fragments.end[i]);
    }
    carried = std::max(carried, current);
  }
  if (!fragments.end.empty()) all.push_back(carried);
  return all;
}

inline StoreFiles write_fragments(const std::string& directory, const Fragments& fragments,
                                  const std::string& packing = "packed", int number = 2) {
  const StoreFiles files(directory, packing + "-fragments-v" + std::to_string(number));
  if (files.is_packed()) {
    std::vector<uint32_t> length(fragments.end.size());
    for (size_t i = 0; i < length.size(); ++i) length[i] = fragments.end[i] - fragments.start[i];
    files.packed("cell", fragments.cell, Packing::plain);
    files.packed("start", fragments.start, Packing::difference);
    files.packed("end", length, Packing::plain);
  } else {
    files.numbers("cell", fragments.cell);
    files.numbers("start", fragments.start);
    files.numbers("end", fragments.end);
  }
  files.numbers("end_max", end_max(fragments));
  files.pointer("chr_ptr", fragments.chr_ptr);
  files.lines("cell_names", fragments.cell_names);
  files.lines("chr_names", fragments.chr_names);
  return files;
}

}  // namespace plainfs::bpcells_writer
