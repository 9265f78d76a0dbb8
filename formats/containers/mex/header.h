// The banner and the line of sizes with which a MatrixMarket text begins. Source: NIST, "The Matrix Market
// Exchange Formats" (Boisvert, Pozo, Remington 1996).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/core/base/bytes.h"

namespace plainfs::mex {

enum class Layout : uint8_t { coordinate, array };
enum class Field : uint8_t { integer, real, pattern, complex };
enum class Symmetry : uint8_t { general, symmetric, skew_symmetric, hermitian };

struct Header {
  Layout layout = Layout::coordinate;
  Field field = Field::integer;
  Symmetry symmetry = Symmetry::general;
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t entries = 0;  // lines of the body; of an array: rows * columns, if it is general
  uint64_t body = 0;     // the offset of the first byte after the line of sizes
  uint64_t lines = 0;    // the number of lines before it
};

// Returns whether text begins with the banner, in any case.
bool has_banner(std::string_view text);

// Reads the header at the beginning of text. is_whole: text is the whole file. Returns nullopt if the header
// may continue beyond text. Throws damaged if a line cannot be understood.
std::optional<Header> read_header(std::string_view text, bool is_whole);

}  // namespace plainfs::mex
