#include "formats/containers/mex/market_text.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "formats/containers/mex/entry_pass.h"
#include "formats/core/base/error.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/unpacked/unpacked_file.h"

namespace plainfs::mex {
namespace {

using unpacked::ByteSource;
using unpacked::UnpackedBytes;

constexpr const char kPassName[] = "MatrixMarket 4";
constexpr uint64_t kMaxHeaderBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxTableHeaderBytes = uint64_t{128} << 20;  // names of cells, and a row

// Reads the beginning of a text until read(text, is_whole) returns a header. Returns nullopt if it never
// does.
template <class Read>
auto read_beginning(ByteSource& source, uint64_t max_bytes, const Read& read)
    -> decltype(read(std::string_view(), true)) {
  // In small steps, so that a text that is damaged behind its header has one.
  std::string text;
  while (text.size() < max_bytes) {
    const size_t before = text.size(), wanted = std::max<size_t>(64, before / 4);
    text.resize(before + wanted);
    const size_t more = source.read(std::as_writable_bytes(std::span(text.data() + before, wanted)));
    text.resize(before + more);
    if (auto header = read(text, more < wanted)) return header;
    if (more < wanted) break;
  }
  return std::nullopt;
}

Header read_header_of(ByteSource& source) {
  if (const auto header = read_beginning(source, kMaxHeaderBytes, read_header)) return *header;
  throw damaged("the line of sizes is not in the first {} bytes", kMaxHeaderBytes);
}

void check_supported(const Header& header) {
  constexpr uint64_t kMaxSide = uint64_t{1} << 32;
  if (header.is_dense() && header.field == Field::pattern) throw damaged("line 1: an array without values");
  if (header.rows >= kMaxSide || header.columns >= kMaxSide)
    throw unsupported("a matrix of {} x {}, supported are sides below 2^32", header.rows, header.columns);
}

// Returns whether the results of an earlier session may be those of a text with that header.
bool fits(const EntryMap& map, const Header& header) {
  const auto rise = [](const auto& list) { return std::is_sorted(list.begin(), list.end(), std::less<>()); };
  if (map.pieces.empty() || map.pieces.front().offset != header.body || map.pieces.front().entry != 0)
    return false;
  const uint64_t entries = map.pieces.back().entry;
  const bool is_one_for_one = !header.is_dense() && !header.is_mirrored();
  if (header.layout != Layout::table && map.full_lines != header.entries) return false;
  if (is_one_for_one && entries != header.entries) return false;
  for (size_t i = 1; i < map.pieces.size(); ++i) {
    const Piece &before = map.pieces[i - 1], &piece = map.pieces[i];
    if (piece.offset < before.offset || piece.offset - before.offset > max_piece_bytes(header) ||
        piece.entry < before.entry)
      return false;
  }
  if (map.order == Order::none) return true;
  return rise(map.majors) && rise(map.ends) && (map.ends.empty() ? 0 : map.ends.back()) == entries;
}

}  // namespace

// One of the lists.
class MarketText::Part final : public Array {
 public:
  enum class What { row, column, value };

  Part(std::shared_ptr<const MarketText> text, What what)
      : Array(what == What::value ? text->value_type() : number_type(Kind::unsigned_integer, 4),
              {text->entries()}),
        text_(std::move(text)),
        what_(what) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    check();
    const uint64_t first = box.origin[0], count = box.extent[0];
    Elements elements;
    elements.count = count;
    elements.bytes.resize(static_cast<size_t>(count * dtype().size));
    if (count == 0) return elements;
    const std::vector<Piece>& pieces = text_->map_.pieces;
    const auto piece_of = [&](uint64_t entry) {
      const auto after = std::upper_bound(pieces.begin(), pieces.end(), entry,
                                          [](uint64_t at, const Piece& piece) { return at < piece.entry; });
      return static_cast<size_t>(after - pieces.begin()) - 1;
    };
    const size_t begin = piece_of(first), end = piece_of(first + count - 1) + 1;
    const bool marks_missing = may_be_missing();
    if (marks_missing) elements.missing.resize(static_cast<size_t>(count));
    text_->context_.workers.parallel_for(end - begin, [&](size_t i) {
      const Piece& piece = pieces[begin + i];
      const uint64_t from = std::max(first, piece.entry);
      const uint64_t to = std::min(first + count, pieces[begin + i + 1].entry);
      if (from >= to) return;
      const std::shared_ptr<const Entries> entries = text_->piece(begin + i);
      copy(*entries, from - piece.entry, to - from, elements.bytes.data() + (from - first) * dtype().size);
      if (!marks_missing) return;
      for (const uint64_t entry : entries->missing)
        if (piece.entry + entry >= from && piece.entry + entry < to)
          elements.missing[static_cast<size_t>(piece.entry + entry - first)] = 1;
    });
    const bool is_any =
        std::any_of(elements.missing.begin(), elements.missing.end(), [](uint8_t m) { return m; });
    if (!is_any) elements.missing.clear();
    return elements;
  }
  Shape chunk_shape() const override {
    const std::vector<Piece>& pieces = text_->map_.pieces;
    return {pieces.size() > 1 ? std::max<uint64_t>(1, pieces[1].entry) : std::max<uint64_t>(1, count())};
  }
  void check() const override {
    if (text_->fault_) throw *text_->fault_;
  }
  bool may_be_missing() const override { return what_ == What::value && text_->map_.has_missing; }

 private:
  void copy(const Entries& entries, uint64_t first, uint64_t count, std::byte* out) const {
    const auto all = [&](const auto& list) { std::memcpy(out, list.data() + first, count * sizeof list[0]); };
    if (what_ == What::row) return all(entries.row);
    if (what_ == What::column) return all(entries.column);
    if (dtype().kind == Kind::real) return all(entries.real);
    if (dtype().kind == Kind::complex) {
      std::memcpy(out, entries.real.data() + 2 * first, count * 2 * sizeof entries.real[0]);
      return;
    }
    if (!entries.real.empty()) return copy_whole(entries, first, count, out);
    if (dtype().size == sizeof(int64_t)) return all(entries.integer);
    for (uint64_t i = 0; i < count; ++i) {
      const auto value = static_cast<int32_t>(entries.integer[first + i]);
      std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
  }

  // Copies reals that are integers.
  void copy_whole(const Entries& entries, uint64_t first, uint64_t count, std::byte* out) const {
    for (uint64_t i = 0; i < count; ++i) {
      const auto value = static_cast<int64_t>(entries.real[first + i]);
      const auto narrow = static_cast<int32_t>(value);
      if (dtype().size == sizeof value)
        std::memcpy(out + i * sizeof value, &value, sizeof value);
      else
        std::memcpy(out + i * sizeof narrow, &narrow, sizeof narrow);
    }
  }

  const std::shared_ptr<const MarketText> text_;
  const What what_;
};

class MarketText::PointerArray final : public Array {
 public:
  explicit PointerArray(std::shared_ptr<const MarketText> text)
      : Array(number_type(Kind::unsigned_integer, 8), {majors_of(*text) + 1}), text_(std::move(text)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const EntryMap& map = text_->map_;
    Elements elements = zero_elements(dtype(), box.extent[0]);
    const auto values = elements.mutable_values<uint64_t>();
    // Pointer m is the end of the last major below m that has entries.
    auto next = static_cast<size_t>(std::lower_bound(map.majors.begin(), map.majors.end(), box.origin[0]) -
                                    map.majors.begin());
    for (uint64_t i = 0; i < box.extent[0]; ++i) {
      while (next < map.majors.size() && map.majors[next] < box.origin[0] + i) ++next;
      values[i] = next == 0 ? 0 : map.ends[next - 1];
    }
    return elements;
  }
  bool may_be_missing() const override { return false; }

 private:
  static uint64_t majors_of(const MarketText& text) {
    return text.order() == Order::by_row ? text.header().rows : text.header().columns;
  }

  const std::shared_ptr<const MarketText> text_;
};

MarketText::MarketText(TableHeader header, std::shared_ptr<UnpackedBytes> bytes, Context& context)
    : header_(header.header),
      column_names_(std::move(header.columns)),
      bytes_(std::move(bytes)),
      context_(context),
      cache_owner_(context.cache.new_owner()) {}

namespace {

std::unique_ptr<ByteSource> source_of(const FilePtr& file) {
  return unpacked::open_source(file, unpacked::compression_of(file->read_at(
                                         0, static_cast<size_t>(std::min<uint64_t>(6, file->size())))));
}

std::shared_ptr<UnpackedBytes> bytes_of(const FilePtr& file, Context& context) {
  const Bytes first = file->read_at(0, static_cast<size_t>(std::min<uint64_t>(6, file->size())));
  return std::make_shared<UnpackedBytes>(file, unpacked::compression_of(first), context,
                                         "the entries of the matrix");
}

}  // namespace

std::shared_ptr<const MarketText> MarketText::open(const FilePtr& file, Context& context) {
  std::shared_ptr<UnpackedBytes> bytes = bytes_of(file, context);
  const Header header = read_header_of(*source_of(file));
  check_supported(header);
  return opened({header, {}}, std::move(bytes), context);
}

bool is_table(const FilePtr& file) try {
  if (!file) return false;
  constexpr uint64_t kMaxLooked = uint64_t{16} << 20;  // names of a million cells
  return read_beginning(*source_of(file), kMaxLooked, read_table_header).has_value();
} catch (const Error&) {
  return false;
}

std::shared_ptr<const MarketText> MarketText::open_table(const FilePtr& file, Context& context) {
  std::shared_ptr<UnpackedBytes> bytes = bytes_of(file, context);
  auto header = read_beginning(*source_of(file), kMaxTableHeaderBytes, read_table_header);
  if (!header)
    throw damaged("no table of counts: names in the first line, then a name and numbers in each line");
  return opened(*std::move(header), std::move(bytes), context);
}

std::shared_ptr<const MarketText> MarketText::opened(TableHeader header, std::shared_ptr<UnpackedBytes> bytes,
                                                     Context& context) {
  const std::shared_ptr<MarketText> text(new MarketText(std::move(header), std::move(bytes), context));
  if (text->adopt_kept_pass()) return text;
  const auto start = std::chrono::steady_clock::now();
  try {
    text->find_entries();
  } catch (const Error& error) {
    if (error.code() != Errc::damaged && error.code() != Errc::unsupported) throw;
    text->fault_ = error;
    return text;
  }
  text->keep(std::chrono::steady_clock::now() - start);
  return text;
}

void MarketText::find_entries() {
  const std::unique_ptr<ByteSource> source = bytes_->first_pass();
  source->skip(header_.body);
  take(mex::find_entries(*source, header_, context_));
}

void MarketText::take(EntryMap map) {
  if (header_.layout == Layout::table) header_.rows = map.full_lines;
  map_ = std::move(map);
}

void MarketText::keep(std::chrono::steady_clock::duration took) const {
  if (!context_.passes) return;
  std::vector<uint64_t> numbers;
  append_numbers(bytes_->pass(), numbers);
  numbers.insert(numbers.end(), {static_cast<uint64_t>(map_.order), map_.has_wide_integers, map_.has_missing,
                                 map_.are_whole, map_.full_lines, map_.pieces.size()});
  for (const Piece& piece : map_.pieces)
    numbers.insert(numbers.end(), {piece.offset, piece.entry, piece.line});
  numbers.push_back(map_.majors.size());
  for (size_t i = 0; i < map_.majors.size(); ++i)
    numbers.insert(numbers.end(), {map_.majors[i], map_.ends[i]});
  context_.passes->keep(bytes_->file()->path(), kPassName, std::move(numbers), took, context_.files);
}

// Uses the results of an earlier session. They are not trusted: positions must rise and end at the entries of
// the header. A piece that does not have its number of entries is found when it is parsed.
bool MarketText::adopt_kept_pass() {
  const auto known =
      context_.passes ? context_.passes->known(bytes_->file()->path(), kPassName, context_.files) : nullptr;
  if (!known) return false;
  try {
    unpacked::KeptNumbers numbers(*known);
    unpacked::Pass pass = unpacked::read_pass(numbers);
    EntryMap map;
    const uint64_t order = numbers.next();
    map.order = order > 2 ? throw damaged("order {}", order) : static_cast<Order>(order);
    map.has_wide_integers = numbers.next() != 0;
    map.has_missing = numbers.next() != 0;
    map.are_whole = numbers.next() != 0;
    map.full_lines = numbers.next();
    map.pieces.resize(numbers.count(3));
    for (Piece& piece : map.pieces) piece = {numbers.next(), numbers.next(), numbers.next()};
    const uint64_t count = numbers.count(2);
    map.majors.resize(count);
    map.ends.resize(count);
    for (size_t i = 0; i < count; ++i) {
      map.majors[i] = static_cast<uint32_t>(numbers.next());
      map.ends[i] = numbers.next();
    }
    if (!numbers.at_end() || !fits(map, header_)) throw damaged("the record of a scan does not fit the text");
    bytes_->adopt(std::move(pass));
    take(std::move(map));
    return true;
  } catch (const Error&) {
    context_.passes->discard(bytes_->file()->path(), context_.files);
    return false;
  }
}

DType MarketText::value_type() const {
  if (header_.field == Field::complex) return number_type(Kind::complex, 2 * sizeof(double));
  const bool are_real = header_.is_dense() ? !map_.are_whole : header_.field == Field::real;
  if (are_real) return number_type(Kind::real, 8);
  return number_type(Kind::integer, map_.has_wide_integers ? 8 : 4);
}

std::shared_ptr<const Entries> MarketText::piece(size_t number) const {
  return context_.cache.get<Entries>({cache_owner_, number}, [&] {
    const Piece &begin = map_.pieces[number], &end = map_.pieces[number + 1];
    std::string text(static_cast<size_t>(end.offset - begin.offset), '\0');
    bytes_->read_at(begin.offset, std::as_writable_bytes(std::span(text)));
    Entries entries = read_entries(text, header_, begin.line + 1);
    if (entries.count() != end.entry - begin.entry) throw changed(bytes_->file()->path());
    context_.counters.chunks_decoded.fetch_add(1, std::memory_order_relaxed);
    return entries;
  });
}

ArrayPtr MarketText::rows() const {
  return std::make_shared<Part>(shared_from_this(), Part::What::row);
}
ArrayPtr MarketText::columns() const {
  return std::make_shared<Part>(shared_from_this(), Part::What::column);
}
ArrayPtr MarketText::values() const {
  if (header_.field == Field::pattern && !header_.is_mirrored()) {
    const DType type = number_type(Kind::integer, 4);
    Elements one = zero_elements(type, 1);
    one.mutable_values<int32_t>()[0] = 1;
    return constant(type, {entries()}, std::move(one));
  }
  return std::make_shared<Part>(shared_from_this(), Part::What::value);
}
ArrayPtr MarketText::pointers() const {
  return std::make_shared<PointerArray>(shared_from_this());
}

}  // namespace plainfs::mex
