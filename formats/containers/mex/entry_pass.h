// The pass over a MatrixMarket text that makes an EntryMap. One thread decompresses the text while the others
// parse the lines that it read before.
#pragma once

#include "formats/containers/mex/market_text.h"

namespace plainfs::mex {

// Returns the largest size of a line, and of a piece, in bytes of text. A line of a table has all cells.
uint64_t max_line_bytes(const Header& header);
uint64_t max_piece_bytes(const Header& header);

// Reads the entries from source, which is at the first line after the header. Throws damaged if a line cannot
// be understood, if an entry lies outside of the matrix, or if their number is not that of the header.
EntryMap find_entries(unpacked::ByteSource& source, const Header& header, Context& context);

}  // namespace plainfs::mex
