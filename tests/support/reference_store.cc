#include "tests/support/reference_store.h"

#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <cstdint>
#include <vector>

namespace plainfs {
namespace disk = boost::filesystem;
namespace {

void write_file(const disk::path& path, const std::string& text) {
  disk::create_directories(path.parent_path());
  disk::ofstream(path, std::ios::binary) << text;
}

std::string little_endian(int32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(static_cast<uint32_t>(value) >> 8 * i & 0xff);
  return bytes;
}

std::string numpy_header(size_t rows, size_t columns, bool is_matrix) {
  const std::string shape =
      is_matrix ? std::to_string(rows) + ", " + std::to_string(columns) : std::to_string(rows) + ",";
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xff) +
         static_cast<char>(header.size() >> 8) + header;
}

class Writer {
 public:
  Writer(ReferenceStore& store, const disk::path& folder, std::mt19937_64& random)
      : store_(store), root_(folder), random_(random) {}

  void group(const std::string& path, int depth) {
    write_file(root_ / path / ".zgroup", R"({"zarr_format": 2})");
    store_.folders[path];
    for (size_t i = below(4) + (depth == 0 ? 1 : 0); i-- > 0;) array(path, "a" + std::to_string(i));
    if (depth == 3) return;
    for (size_t i = below(3); i-- > 0;) {
      const std::string name = "g" + std::to_string(i);
      store_.folders[path].insert(name);
      group(path.empty() ? name : path + "/" + name, depth + 1);
    }
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  void array(const std::string& folder, const std::string& name) {
    const bool is_matrix = below(2) == 0;
    const size_t rows = below(8) == 0 ? 40'000 : below(300), columns = is_matrix ? 1 + below(9) : 1;
    const size_t chunk_rows = 1 + below(rows + 2), chunk_columns = is_matrix ? 1 + below(columns + 1) : 1;
    std::vector<int32_t> values(rows * columns, 7);  // 7 is the fill value
    const std::string path = folder.empty() ? name : folder + "/" + name;
    for (size_t row = 0; row < rows; row += chunk_rows)
      for (size_t column = 0; column < columns; column += chunk_columns)
        if (below(5) != 0)
          chunk(path, values, rows, columns, row, column, chunk_rows, chunk_columns, is_matrix);
    const auto shape = [&](size_t r, size_t c) {
      return "[" + std::to_string(r) + (is_matrix ? ", " + std::to_string(c) : "") + "]";
    };
    write_file(
        root_ / path / ".zarray",
        R"({"zarr_format": 2, "shape": )" + shape(rows, columns) + R"(, "chunks": )" +
            shape(chunk_rows, chunk_columns) +
            R"(, "dtype": "<i4", "compressor": null, "filters": null, "order": "C", "fill_value": 7})");
    show(folder, name, values, rows, columns, is_matrix);
  }

  // Fills one chunk with random numbers, in the store and in `values`.
  void chunk(const std::string& path, std::vector<int32_t>& values, size_t rows, size_t columns, size_t row,
             size_t column, size_t chunk_rows, size_t chunk_columns, bool is_matrix) {
    std::string bytes;
    for (size_t r = row; r < row + chunk_rows; ++r)
      for (size_t c = column; c < column + chunk_columns; ++c) {
        const auto value = static_cast<int32_t>(random_() >> below(64));
        bytes += little_endian(value);
        if (r < rows && c < columns) values[r * columns + c] = value;
      }
    const std::string key = std::to_string(row / chunk_rows);
    write_file(root_ / path / (is_matrix ? key + "." + std::to_string(column / chunk_columns) : key), bytes);
  }

  void show(const std::string& folder, const std::string& name, const std::vector<int32_t>& values,
            size_t rows, size_t columns, bool is_matrix) {
    std::string text, binary = numpy_header(rows, columns, is_matrix);
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) {
        const int32_t value = values[r * columns + c];
        text += std::to_string(value) + (c + 1 == columns ? "\n" : ",");
        binary += little_endian(value);
      }
    const std::string start = folder.empty() ? "" : folder + "/";
    for (const auto& [ending, content] : {std::pair{".csv", text}, std::pair{".npy", binary}}) {
      store_.files[start + name + ending] = content;
      store_.folders[folder].insert(name + ending);
    }
  }

  ReferenceStore& store_;
  const disk::path root_;
  std::mt19937_64& random_;
};

}  // namespace

ReferenceStore ReferenceStore::write(const disk::path& folder, std::mt19937_64& random) {
  disk::remove_all(folder);
  ReferenceStore store;
  Writer(store, folder, random).group("", 0);
  return store;
}

}  // namespace plainfs
