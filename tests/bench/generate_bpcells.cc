// Writes the BPCells stores that the benchmarks read, always the same bytes for the same arguments:
//   generate_bpcells matrix NONZEROS DIRECTORY [ROWS COLUMNS]    packed-uint-matrix-v2, by column
//   generate_bpcells fragments COUNT DIRECTORY [CELLS]           packed-fragments-v2, 24 chromosomes
// DIRECTORY appears when the store is complete.
#include <boost/filesystem.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/bpcells_writer.h"

namespace {

using namespace plainfs::bpcells_writer;
namespace files = boost::filesystem;

constexpr uint32_t kRows = 33000;
constexpr uint32_t kColumns = 20000;
constexpr uint32_t kCells = 10000;
constexpr uint32_t kChromosomes = 24;

std::string barcode(std::mt19937& random) {
  std::string name;
  for (int i = 0; i < 16; ++i) name += "ACGT"[random() % 4];
  return name + "-1";
}

// Returns a count as in single-cell data: half are 1, and each next value is about half as frequent.
uint32_t small_count(uint32_t bits) {
  return 1 + static_cast<uint32_t>(__builtin_ctz(bits | 1u << 20));
}

Matrix<uint32_t> make_matrix(uint64_t nonzeros, uint32_t rows, uint32_t columns) {
  if (rows == 0 || columns == 0 || nonzeros / columns >= rows)
    throw std::invalid_argument("too many nonzeros");
  std::mt19937 random(1);
  Matrix<uint32_t> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.val.reserve(nonzeros);
  matrix.index.reserve(nonzeros);
  matrix.idxptr.push_back(0);
  for (uint64_t column = 0; column < columns; ++column) {
    const uint64_t count = nonzeros * (column + 1) / columns - matrix.idxptr.back();
    for (uint64_t i = 0; i < count; ++i) {  // one row from each of `count` strata
      const uint64_t begin = i * rows / count;
      const uint64_t end = (i + 1) * rows / count;
      matrix.index.push_back(static_cast<uint32_t>(begin + random() % (end - begin)));
      matrix.val.push_back(small_count(random()));
    }
    matrix.idxptr.push_back(matrix.val.size());
    matrix.col_names.push_back(barcode(random));
  }
  for (uint32_t row = 0; row < rows; ++row) matrix.row_names.push_back("GENE" + std::to_string(row + 1));
  return matrix;
}

Fragments make_fragments(uint64_t count, uint32_t cells) {
  if (cells == 0) throw std::invalid_argument("no cells");
  std::mt19937 random(2);
  Fragments fragments;
  for (uint32_t chromosome = 0; chromosome < kChromosomes; ++chromosome) {
    const uint64_t end = count * (chromosome + 1) / kChromosomes;
    fragments.chr_ptr.push_back(fragments.start.size());
    uint32_t start = 10000;
    while (fragments.start.size() < end) {
      start += random() % 240;
      fragments.start.push_back(start);
      fragments.end.push_back(start + 30 + random() % 600);
      fragments.cell.push_back(random() % cells);
    }
    fragments.chr_ptr.push_back(end);
    fragments.chr_names.push_back("chr" + std::to_string(chromosome + 1));
  }
  for (uint32_t cell = 0; cell < cells; ++cell) fragments.cell_names.push_back(barcode(random));
  return fragments;
}

uint32_t number(const std::string& text) {
  return static_cast<uint32_t>(std::stoul(text));
}

void write(const std::vector<std::string>& arguments) {
  const std::string& kind = arguments.at(0);
  const uint64_t count = std::stoull(arguments.at(1));
  const std::string& directory = arguments.at(2);
  const std::string partial = directory + ".partial";
  files::remove_all(partial);
  files::create_directories(partial);
  if (kind == "matrix") {
    const bool sized = arguments.size() > 4;
    write_matrix(partial, make_matrix(count, sized ? number(arguments[3]) : kRows,
                                      sized ? number(arguments[4]) : kColumns));
  } else if (kind == "fragments") {
    write_fragments(partial, make_fragments(count, arguments.size() > 3 ? number(arguments[3]) : kCells));
  } else {
    throw std::invalid_argument("matrix or fragments, not " + kind);
  }
  files::rename(partial, directory);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    write({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generate_bpcells: %s\n", error.what());
    return 1;
  }
}
