#include "formats/core/sparse/line_order.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/cursor.h"
#include "formats/core/base/encode.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/index_run.h"
#include "formats/core/sparse/entry_runs.h"

namespace plainfs {

namespace {

// Parts of the cache's budget: what the order may take there if it could also be on disk (kCachePart) and if
// it could not (kMaxCachePart), and what the segments of all threads may take while they are created
// (kMakingPart).
constexpr uint64_t kCachePart = 8, kMaxCachePart = 2, kMakingPart = 4;
constexpr uint64_t kLeastInSegment = 4096, kMaxInSegment = uint64_t{4} << 20;
// Bytes per entry besides the stored data while a segment is created.
constexpr uint64_t kWhileGenerated = 12;
constexpr uint64_t kLeastEncoded = 2, kMaxEncoded = 5 + 1 + 8;  // bytes
// The part of the budget (1 / kLinePart) for one number per line.
constexpr uint64_t kLinePart = 32;
// The fewest entries that one thread looks through at a time, and the part of the budget (1 / kAtOncePart)
// that those of all threads may take.
constexpr uint64_t kFewestAtOnce = 1024, kAtOncePart = 16;
// If the wanted lines have at most this many entries, by the mean of all lines, one thread looks them up:
// waking others takes longer.
constexpr uint64_t kQuickEntries = 16 * 1024;
// The most unneeded values that are read between two needed ones.
constexpr uint64_t kWidestGap = 1024;

// The format of a segment: a table with the offset of each line's entries behind the table and their
// checksum, 32 bits each, followed by the end of the last line's entries; then the entries. An entry is its
// distance in majors from the one before it on its line (LEB128; the first one counts from the segment's
// first), whether it is missing, and its value, as LEB128 if all values of the segment are small.
constexpr uint64_t kOfLine = 2 * sizeof(uint32_t);

uint64_t table_size(uint64_t lines) {
  return lines * kOfLine + sizeof(uint32_t);
}

uint64_t in_segment(const Lists& lists, const Context& context) {
  const uint64_t room = context.cache.statistics().budget_bytes / kMakingPart;
  const uint64_t each = decoded_entry_size(lists) + kWhileGenerated;
  const uint64_t most =
      std::clamp(room / (context.workers.threads() + 1) / each, kLeastInSegment, kMaxInSegment);
  // The table should not be larger than the entries, if possible.
  return std::max(most / 2, std::min(most, 4 * lists.minors));
}

uint64_t looked_through_at_once(const Lists& lists, const Context& context) {
  const uint64_t room = context.cache.statistics().budget_bytes / kAtOncePart;
  const uint64_t of_thread = room / (context.workers.threads() + 1) / decoded_entry_size(lists);
  return entries_at_once(std::clamp(of_thread, kFewestAtOnce, kEntriesAtOnce), {lists.value, lists.index},
                         context);
}

// Returns whether the value is a whole number that takes no more bytes as LEB128 than as stored.
template <class T>
bool is_small(T value) {
  if constexpr (std::is_same_v<T, Half> || sizeof(T) == 1) {
    return false;
  } else {
    constexpr uint32_t kEnd = uint32_t{1} << (sizeof(T) == 2 ? 14 : 28);
    if (!(value >= T(0) && value < T(kEnd))) return false;
    const T again = static_cast<T>(static_cast<uint32_t>(value));
    return std::memcmp(&again, &value, sizeof value) == 0;  // -0 is not 0
  }
}

uint32_t leb128_size(uint32_t value) {
  return static_cast<uint32_t>(std::bit_width(value | 1u) + 6) / 7;
}

uint32_t take_leb128(Cursor& cursor) {
  uint32_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const auto byte = cursor.byte();
    value |= static_cast<uint32_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw unreadable("the order of entries has changed");
}

// The entries of a segment as stored.
struct Stored {
  std::span<const uint32_t> lines;
  const Elements& values;
  std::vector<uint32_t> steps;  // the distance of each from the one before it on its line
};

// Returns the beginning of each line's entries, and last their end.
template <class T>
std::vector<uint32_t> begins_of(const Stored& stored, uint64_t lines, bool are_small) {
  const std::span<const T> values = stored.values.values<T>();
  const uint32_t besides_value = stored.values.missing.empty() ? 0 : 1;
  std::vector<uint32_t> places(lines + 1);
  for (size_t i = 0; i < stored.lines.size(); ++i) {
    uint32_t value_size = sizeof(T);
    if constexpr (!std::is_same_v<T, Half>)
      if (are_small) value_size = leb128_size(static_cast<uint32_t>(values[i]));
    places[stored.lines[i]] += leb128_size(stored.steps[i]) + besides_value + value_size;
  }
  uint32_t place = 0;
  for (uint32_t& next : places) place += std::exchange(next, place);
  return places;
}

template <class T>
void put_entries(const Stored& stored, bool are_small, std::vector<uint32_t> next, std::byte* to) {
  const std::span<const T> values = stored.values.values<T>();
  const bool marks_missing = !stored.values.missing.empty();
  for (size_t i = 0; i < stored.lines.size(); ++i) {
    uint32_t& place = next[stored.lines[i]];
    std::byte* at = put_leb128(to + place, stored.steps[i]);
    if (marks_missing) *at++ = static_cast<std::byte>(stored.values.missing[i]);
    if (are_small) {
      if constexpr (!std::is_same_v<T, Half>) at = put_leb128(at, static_cast<uint32_t>(values[i]));
    } else {
      std::memcpy(at, &values[i], sizeof(T));
      at += sizeof(T);
    }
    place = static_cast<uint32_t>(at - to);
  }
}

template <class T>
Bytes encode(const Stored& stored, uint64_t lines, bool are_small) {
  const std::vector<uint32_t> places = begins_of<T>(stored, lines, are_small);
  const uint64_t table = table_size(lines);
  Bytes bytes(table + places.back());
  std::byte* const entries = bytes.data() + table;
  put_entries<T>(stored, are_small, places, entries);
  for (uint64_t line = 0; line <= lines; ++line) {
    std::byte* const of_line = bytes.data() + line * kOfLine;
    std::memcpy(of_line, &places[line], sizeof(uint32_t));
    if (line == lines) break;
    const uint32_t sum = crc32c(ByteSpan(entries + places[line], places[line + 1] - places[line]));
    std::memcpy(of_line + sizeof(uint32_t), &sum, sizeof sum);
  }
  return bytes;
}

// Appends the entries of a line in one segment.
template <class T>
void decode(ByteSpan encoded, const LineOrder::Form& form, bool with_values, FoundEntries& found) {
  Cursor cursor(encoded);
  uint32_t major = form.first_major;
  Elements& values = found.values;
  while (!cursor.at_end()) {
    found.majors.push_back(major += take_leb128(cursor));
    const uint8_t is_missing = form.marks_missing ? cursor.byte() : 0;
    T value{};
    if (form.are_small) {
      const uint32_t stored = take_leb128(cursor);
      if constexpr (!std::is_same_v<T, Half>) value = static_cast<T>(stored);
    } else {
      std::memcpy(&value, cursor.bytes(sizeof(T)).data(), sizeof(T));
    }
    if (!with_values) continue;
    if (form.marks_missing) values.missing.resize(values.count);
    if (!values.missing.empty() || form.marks_missing) values.missing.push_back(is_missing);
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    values.bytes.insert(values.bytes.end(), bytes, bytes + sizeof value);
    ++values.count;
  }
}

// Returns the places of wanted lines in a run. Most stretches of a pass for one line do not contain it, which
// is checked for many at a time.
std::vector<uint64_t> places_of(const WantedLines& wanted, std::span<const uint32_t> lines) {
  constexpr size_t kTogether = 512;
  std::vector<uint64_t> places;
  for (size_t first = 0; first < lines.size(); first += kTogether) {
    const auto some = lines.subspan(first, std::min(kTogether, lines.size() - first));
    if (all_hold(some, [&wanted](uint32_t line) { return line - wanted.first >= wanted.count; })) continue;
    for (size_t i = 0; i < some.size(); ++i)
      if (wanted.number_of(some[i]) != WantedLines::kNone) places.push_back(first + i);
  }
  return places;
}

// Calls visit(begin, end) for the runs of places between which no gap is wider than `widest`.
template <class Visit>
void for_close_places(std::span<const uint64_t> places, uint64_t widest, Visit&& visit) {
  for (auto begin = places.begin(); begin != places.end();) {
    auto end = begin + 1;
    while (end != places.end() && *end - *(end - 1) <= widest) ++end;
    visit(std::span(begin, end));
    begin = end;
  }
}

}  // namespace

WantedLines WantedLines::run(uint64_t first, uint64_t count) {
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(count)};
}

WantedLines WantedLines::some(std::span<const uint64_t> lines) {
  WantedLines wanted = run(lines.front(), lines.back() - lines.front() + 1);
  if (wanted.count == lines.size()) return wanted;
  wanted.numbers.assign(wanted.count, kNone);
  for (size_t i = 0; i < lines.size(); ++i)
    wanted.numbers[lines[i] - wanted.first] = static_cast<uint32_t>(i);
  return wanted;
}

LineOrder::LineOrder(SparseMatrix matrix, const SparseMajors& majors, Context& context)
    : matrix_(std::move(matrix)),
      majors_(majors),
      context_(context),
      lines_(matrix_.minors()),
      entries_(majors.entries()),
      in_segment_(in_segment(majors.lists(), context)),
      at_once_(looked_through_at_once(majors.lists(), context)),
      stays_in_cache_(stay_in_cache(majors.lists(), context)),
      scratch_(context.passes ? context.passes->scratch() : nullptr),
      cache_owner_(context.cache.new_owner()) {}

LineOrder::~LineOrder() {
  context_.cache.drop(cache_owner_, cache_owner_ + 1);
}

uint64_t LineOrder::segments() const {
  return divide_up(entries_, in_segment_);
}

LineOrder::Store LineOrder::choose() const {
  const uint64_t budget = context_.cache.statistics().budget_bytes;
  if (lines_ > budget / kLinePart) return Store::nowhere;
  const uint64_t tables = segments() * table_size(lines_);
  const auto fits = [&](uint64_t of_entry, uint64_t room) {
    return room >= tables && entries_ <= (room - tables) / of_entry;
  };
  const uint64_t of_entry = sizeof(uint32_t) + matrix_.value->dtype().size;
  if (fits(of_entry, budget / kCachePart)) return Store::cache;
  const std::optional<OnDisk>* const filled = on_disk_.known();
  if (filled && *filled) return Store::disk;
  if (scratch_ && !filled && fits(kLeastEncoded, scratch_->room())) return Store::disk;
  return fits(of_entry, budget / kMaxCachePart) ? Store::cache : Store::nowhere;
}

bool LineOrder::has_room() const {
  return choose() != Store::nowhere;
}

LineOrder::Segment LineOrder::make(uint64_t segment) const {
  check_cancelled();
  const uint64_t first = segment * in_segment_, some = std::min(in_segment_, entries_ - first);
  const IndexRun<uint32_t> lines(*matrix_.index, first, some, lines_, matrix_.minor_word());
  const Elements values = read_run(*matrix_.value, first, some);
  Stored stored{lines.values(), values, std::vector<uint32_t>(some)};
  std::vector<uint32_t> last(lines_);
  std::optional<uint64_t> first_major;
  majors_.visit(first, first + some, [&](uint64_t major, uint64_t begin, uint64_t end) {
    if (!first_major) std::fill(last.begin(), last.end(), static_cast<uint32_t>(major));
    if (!first_major) first_major = major;
    const uint64_t to = std::min(end, first + some) - first;
    for (uint64_t i = std::max(begin, first) - first; i < to; ++i)
      stored.steps[i] =
          static_cast<uint32_t>(major) - std::exchange(last[stored.lines[i]], static_cast<uint32_t>(major));
  });
  return visit_number(matrix_.value->dtype(), [&](auto zero) -> Segment {
    using T = decltype(zero);
    const std::span<const T> all = values.values<T>();
    Form form{static_cast<uint32_t>(first_major.value_or(0)),
              std::all_of(all.begin(), all.end(), is_small<T>), !values.missing.empty()};
    return {encode<T>(stored, lines_, form.are_small), form};
  });
}

// Calls work(segment) for each segment, in as many threads as the memory allows.
template <class Work>
void LineOrder::for_segments(Work&& work) const {
  const uint64_t together = std::min<uint64_t>(context_.workers.threads() + 1, segments());
  const ByteCache::Reservation room(
      context_.cache, together * in_segment_ * (decoded_entry_size(majors_.lists()) + kWhileGenerated));
  const EntryPass pass{{matrix_.index, matrix_.value}, 0, entries_, in_segment_, !stays_in_cache_};
  for_entry_runs(pass, context_, [&](uint64_t first, uint64_t) { work(first / in_segment_); });
}

std::optional<LineOrder::OnDisk> LineOrder::fill_disk() const {
  auto file = scratch_->make();
  std::vector<Placed> placed(segments());
  std::atomic<bool> is_full{!file};
  for_segments([&](uint64_t number) {
    if (is_full) return;
    const Segment segment = make(number);
    const std::optional<uint64_t> offset = file->append(segment.bytes);
    if (offset)
      placed[number] = {*offset, segment.form};
    else
      is_full = true;
  });
  if (is_full) return std::nullopt;
  return OnDisk{std::move(file), std::move(placed)};
}

std::shared_ptr<const LineOrder::Segment> LineOrder::segment_in_cache(uint64_t number) const {
  return context_.cache.get<Segment>({cache_owner_, number}, [&] { return make(number); });
}

void LineOrder::fill_cache() const {
  for (uint64_t number = 0; number < segments(); ++number) {
    if (context_.cache.held<Segment>({cache_owner_, number})) continue;
    return for_segments([this](uint64_t missing) { segment_in_cache(missing); });
  }
}

bool LineOrder::prepare() const {
  if (choose() == Store::disk) on_disk_.get([this] { return fill_disk(); });
  const Store store = choose();  // not the disk if that was too full
  if (store == Store::cache) fill_cache();
  prepared_.store(store, std::memory_order_release);
  return store != Store::nowhere;
}

// The bytes of a segment in the cache or on disk.
class LineOrder::SortedBytes {
 public:
  explicit SortedBytes(std::shared_ptr<const Segment> cached)
      : form(cached->form), cached_(std::move(cached)) {}
  SortedBytes(const OnDisk& stored, uint64_t segment)
      : form(stored.placed[segment].form), file_(stored.file.get()), offset_(stored.placed[segment].offset) {}

  const Form form;
  // Returns `size` bytes from `offset` on, in `room` if they are not in memory.
  ByteSpan read(uint64_t offset, uint64_t size, Bytes& room) const {
    if (cached_) return ByteSpan(cached_->bytes).subspan(offset, size);
    room.resize(size);
    file_->read(offset_ + offset, room);
    return room;
  }

 private:
  const std::shared_ptr<const Segment> cached_;
  const ScratchFile* const file_ = nullptr;
  const uint64_t offset_ = 0;
};

// Appends the entries of lines [line, line + count) in a segment; the first of them has that number.
void LineOrder::take_run(const SortedBytes& segment, uint32_t line, uint32_t count, uint32_t number,
                         bool with_values, FoundEntries& found) const {
  Bytes table_room, room;
  const ByteSpan table = segment.read(line * kOfLine, table_size(count), table_room);
  const auto number_at = [&table](uint64_t offset) {
    uint32_t stored;
    std::memcpy(&stored, table.subspan(offset).data(), sizeof stored);
    return stored;
  };
  const auto begin_of = [&](uint64_t i) { return number_at(i * kOfLine); };
  const uint32_t begin = begin_of(0), end = begin_of(count);
  const auto check = [](bool holds) {
    if (!holds) throw unreadable("a temporary file of a matrix is damaged");
  };
  check(begin <= end && end - begin <= in_segment_ * kMaxEncoded);
  const ByteSpan entries = segment.read(table_size(lines_) + begin, end - begin, room);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t from = begin_of(i), to = begin_of(i + 1);
    check(begin <= from && from <= to && to <= end);
    const ByteSpan encoded = entries.subspan(from - begin, to - from);
    check(crc32c(encoded) == number_at(i * kOfLine + sizeof from));
    visit_number(matrix_.value->dtype(),
                 [&](auto zero) { decode<decltype(zero)>(encoded, segment.form, with_values, found); });
    found.lines.resize(found.majors.size(), number + i);
  }
}

void LineOrder::take(const SortedBytes& segment, const WantedLines& wanted, bool with_values,
                     FoundEntries& found) const {
  if (wanted.numbers.empty()) return take_run(segment, wanted.first, wanted.count, 0, with_values, found);
  for (uint32_t i = 0; i < wanted.count; ++i)
    if (wanted.numbers[i] != WantedLines::kNone)
      take_run(segment, wanted.first + i, 1, wanted.numbers[i], with_values, found);
}

// Looks for the wanted lines among entries [first, last) of the store.
void LineOrder::find(uint64_t first, uint64_t last, const WantedLines& wanted, bool with_values,
                     FoundEntries& found) const {
  const IndexRun<uint32_t> lines(*matrix_.index, first, last - first, lines_, matrix_.minor_word());
  const std::vector<uint64_t> places = places_of(wanted, lines.values());
  if (places.empty()) return;
  for (const uint64_t place : places) found.lines.push_back(wanted.number_of(lines.values()[place]));
  auto next = places.begin();
  majors_.visit(first + places.front(), first + places.back() + 1,
                [&](uint64_t major, uint64_t, uint64_t end) {
                  for (; next != places.end() && first + *next < end; ++next)
                    found.majors.push_back(static_cast<uint32_t>(major));
                });
  if (!with_values) return;
  // Values between two that are close are read with them.
  const DType& type = matrix_.value->dtype();
  for_close_places(places, kWidestGap, [&](std::span<const uint64_t> close) {
    const Elements values = read_run(*matrix_.value, first + close.front(), close.back() - close.front() + 1);
    for_close_places(close, 1, [&](std::span<const uint64_t> together) {
      append(type, found.values, values, together.front() - close.front(), together.size());
    });
  });
}

void LineOrder::visit(const WantedLines& wanted, bool with_values,
                      const std::function<void(const FoundEntries&)>& visit) const {
  if (wanted.count == 0) return;
  const auto clear = [this](FoundEntries& found) {
    found.lines.clear();
    found.majors.clear();
    found.values = zero_elements(matrix_.value->dtype(), 0);
  };
  const Store store = prepared_.load(std::memory_order_acquire);
  if (store == Store::nowhere) {
    EntryPass pass{{matrix_.index}, 0, entries_, at_once_, !stays_in_cache_};
    if (with_values) pass.parts.push_back(matrix_.value);
    const auto read = [&](FoundEntries& found, uint64_t first, uint64_t last) {
      clear(found);
      find(first, last, wanted, with_values, found);
    };
    return for_entry_runs<FoundEntries>(pass, context_, read, visit);
  }
  if (store == Store::cache) fill_cache();
  const auto read = [&](FoundEntries& found, uint64_t first, uint64_t) {
    clear(found);
    const uint64_t number = first / in_segment_;
    take(store == Store::disk ? SortedBytes(**on_disk_.known(), number)
                              : SortedBytes(segment_in_cache(number)),
         wanted, with_values, found);
  };
  if (entries_ / lines_ * wanted.count > kQuickEntries)
    return for_entry_runs<FoundEntries>({{}, 0, entries_, in_segment_, false}, context_, read, visit);
  FoundEntries found;
  for (uint64_t first = 0; first < entries_; first += in_segment_) {
    check_cancelled();
    read(found, first, 0);
    visit(found);
  }
}

}  // namespace plainfs
