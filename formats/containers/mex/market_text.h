// Random access to the entries of a MatrixMarket text or a table of counts, compressed or not. One pass over
// the text checks every line and finds the place of every piece of about 1 MiB, the order of the entries, and
// the number of entries of each column (or row). Its results are kept for later sessions. Afterwards a piece
// is parsed again when it is needed and kept in the cache, so that memory use does not depend on the size of
// the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "formats/containers/mex/entries.h"
#include "formats/containers/mex/header.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/context.h"
#include "formats/core/unpacked/unpacked_bytes.h"

namespace plainfs::mex {

// The order of all entries, if each is after the one before it: by column and then row, or by row and then
// column.
enum class Order : uint8_t { none, by_column, by_row };

// Some lines of the text.
struct Piece {
  uint64_t offset;  // of the first byte in the decompressed text
  uint64_t entry;   // number of entries before it
  uint64_t line;    // number of lines before it
};

// The results of the pass.
struct EntryMap {
  std::vector<Piece> pieces;  // and the end of the last one
  Order order = Order::none;
  bool has_wide_integers = false;  // an integer needs more than 32 bits
  bool has_missing = false;        // a value is NA
  bool are_whole = false;          // all values of dense lines are integers
  uint64_t full_lines = 0;         // the lines of the body that are not blank
  // If there is an order: the columns (or rows) that have entries, and the number of entries up to their
  // ends.
  std::vector<uint32_t> majors;
  std::vector<uint64_t> ends;
};

// Returns whether a file begins as a table of counts does. Reads its beginning. Throws nothing.
bool is_table(const FilePtr& file);

class MarketText : public std::enable_shared_from_this<MarketText> {
 public:
  // Reads the header of file, and then all of it unless the results of an earlier session are known. A fault
  // behind the header is kept (fault()). Throws damaged if the header cannot be understood, unsupported if a
  // side has 2^32 rows or columns.
  static std::shared_ptr<const MarketText> open(const FilePtr& file, Context& context);
  // Opens a table of counts in the same way. Throws damaged if the file is not a table.
  static std::shared_ptr<const MarketText> open_table(const FilePtr& file, Context& context);

  const Header& header() const { return header_; }
  // Returns the names of the columns of a table; empty for a MatrixMarket text.
  const std::vector<std::string>& column_names() const { return column_names_; }
  // Returns the error that makes all entries unreadable.
  const std::optional<Error>& fault() const { return fault_; }
  Order order() const { return map_.order; }
  // Return lists with one element per entry, in the order of the text. Rows and columns count from 0. The
  // values of a pattern are 1 (those above the diagonal of a skew-symmetric one -1); NA is missing.
  ArrayPtr rows() const;
  ArrayPtr columns() const;
  ArrayPtr values() const;
  // Returns where each column (or row) begins: one more than there are columns. Requires: there is an order.
  ArrayPtr pointers() const;

 private:
  class Part;
  class PointerArray;

  MarketText(TableHeader header, std::shared_ptr<unpacked::UnpackedBytes> bytes, Context& context);
  static std::shared_ptr<const MarketText> opened(TableHeader header,
                                                  std::shared_ptr<unpacked::UnpackedBytes> bytes,
                                                  Context& context);
  void find_entries();
  void take(EntryMap map);
  uint64_t entries() const { return map_.pieces.empty() ? header_.entries : map_.pieces.back().entry; }
  void keep(std::chrono::steady_clock::duration took) const;
  bool adopt_kept_pass();
  DType value_type() const;
  std::shared_ptr<const Entries> piece(size_t number) const;

  Header header_;  // the rows of a table are known after the pass
  const std::vector<std::string> column_names_;
  const std::shared_ptr<unpacked::UnpackedBytes> bytes_;
  Context& context_;
  const uint64_t cache_owner_;
  EntryMap map_;
  std::optional<Error> fault_;
};

}  // namespace plainfs::mex
