// libFuzzer: any bytes as a MatrixMarket text, as a table of counts, and as a list of names. The entries
// must lie inside of the matrix, and must be the same whether they are read at once or one by one. An Error
// is a valid outcome. A crash, a hang or a leak is not. Input: the kind of text, the text.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "formats/containers/mex/line_table.h"
#include "formats/containers/mex/market_text.h"
#include "formats/core/base/error.h"
#include "formats/core/model/arrays/array.h"
#include "tests/support/bytes_file.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

constexpr uint64_t kMaxAlone = 64;  // entries read one by one

void require(bool holds) {
  if (!holds) std::abort();
}

// Returns the elements of a list that a part of it has at their places.
bool is_part(const Array& list, const Elements& all, uint64_t place) {
  const Elements one = list.read({{place}, {1}});
  const size_t size = list.dtype().size;
  return one.is_missing(0) == all.is_missing(place) &&
         std::equal(one.bytes.begin(), one.bytes.end(),
                    all.bytes.begin() + static_cast<ptrdiff_t>(place * size));
}

void check_entries(const mex::MarketText& text) {
  if (text.fault()) return;
  const ArrayPtr rows = text.rows(), columns = text.columns(), values = text.values();
  const Elements all_rows = read_all(*rows), all_columns = read_all(*columns), all_values = read_all(*values);
  require(all_rows.count == all_columns.count && all_rows.count == all_values.count);
  for (const uint32_t row : all_rows.values<uint32_t>()) require(row < text.header().rows);
  for (const uint32_t column : all_columns.values<uint32_t>()) require(column < text.header().columns);
  for (uint64_t i = 0; i < std::min(all_rows.count, kMaxAlone); ++i)
    require(is_part(*rows, all_rows, i) && is_part(*columns, all_columns, i) &&
            is_part(*values, all_values, i));
  constexpr uint64_t kMaxMajors = 1 << 16;
  if (text.order() == mex::Order::none) return;
  const ArrayPtr pointers = text.pointers();
  if (pointers->count() > kMaxMajors) return;
  const Elements ends = read_all(*pointers);
  require(ends.values<uint64_t>()[0] == 0 && ends.values<uint64_t>()[ends.count - 1] == all_rows.count);
}

void read_names(const FilePtr& file, char separator, bool has_header, Context& context) {
  const auto table = mex::LineTable::open(file, separator, has_header, context);
  for (size_t i = 0; i < std::min<size_t>(table->fields(), 4); ++i)
    require(read_all(*table->column(i)).count == table->lines());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  TestContext context(size_t{16} << 20, 0);
  const auto file =
      std::make_shared<BytesFile>(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  try {
    switch (data[0] % 4) {
      case 0:
        check_entries(*mex::MarketText::open(file, context));
        break;
      case 1:
        if (!mex::is_table(file)) break;
        check_entries(*mex::MarketText::open_table(file, context));
        break;
      case 2:
        read_names(file, '\t', false, context);
        break;
      case 3:
        read_names(file, ',', true, context);
        break;
    }
  } catch (const Error&) {
  }
  return 0;
}
