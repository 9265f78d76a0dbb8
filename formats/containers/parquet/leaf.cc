#include "formats/containers/parquet/leaf.h"

#include <algorithm>

#include "formats/core/base/checked.h"

namespace plainfs::parquet {
namespace {

// The limit for the memory of a page is the cache, but not less than this.
constexpr uint64_t kLeastLimit = uint64_t{64} << 20;

// The memory that decoding a page takes is about its size times this.
constexpr uint64_t kWorkingFactor = 4;

bool has_dictionary_encoding(const PageHeader& header) {
  return header.encoding == static_cast<int>(Encoding::plain_dictionary) ||
         header.encoding == static_cast<int>(Encoding::rle_dictionary);
}

// Takes the levels from the beginning of a data page of version 1.
std::vector<uint8_t> take_levels(ByteSpan& body, int encoding, uint8_t largest, uint64_t count) {
  std::vector<uint8_t> levels;
  if (largest == 0) return levels;
  levels.resize(count);
  if (encoding == static_cast<int>(Encoding::bit_packed)) {
    body = body.subspan(decode_packed_levels(body, largest, levels));
    return levels;
  }
  if (encoding != static_cast<int>(Encoding::rle)) throw damaged("levels in the encoding {}", encoding);
  Cursor in(body);
  decode_levels(in.bytes(in.little<uint32_t>()), largest, levels);
  body = in.rest();
  return levels;
}

std::vector<uint8_t> levels_of(ByteSpan encoded, uint8_t largest, uint64_t count) {
  std::vector<uint8_t> levels;
  if (largest == 0) return levels;
  levels.resize(count);
  decode_levels(encoded, largest, levels);
  return levels;
}

// Throws if a page of version 2 has other levels than its header states.
void check_counts(const LeafPage& page, const PageHeader& header, uint64_t present, bool is_flat) {
  if (is_flat && present != header.values - std::min(header.missing, header.values))
    throw damaged("a page with {} missing values, expected {}", page.entries - present, header.missing);
  const uint64_t rows =
      page.repetition.empty()
          ? page.entries
          : static_cast<uint64_t>(std::count(page.repetition.begin(), page.repetition.end(), 0));
  if (rows != header.rows) throw damaged("a page with {} rows, expected {}", rows, header.rows);
}

std::vector<GroupPlace> places_of(const std::vector<Part>& parts) {
  std::vector<GroupPlace> places;
  uint64_t rows = 0;
  for (const Part& part : parts) {
    for (const RowGroup& group : part.footer.groups) {
      if (group.rows > 0) places.push_back({&part, &group, rows, group.rows});
      rows = checked_add(rows, group.rows);
    }
  }
  return places;
}

}  // namespace

Parts::Parts(std::vector<Part> parts) : parts_(std::move(parts)), groups_(places_of(parts_)) {
  if (!groups_.empty()) rows_ = groups_.back().first + groups_.back().rows;
}

size_t Parts::group_of(uint64_t row) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), row,
                       [](uint64_t wanted, const GroupPlace& place) { return wanted < place.first; });
  return static_cast<size_t>(after - groups_.begin()) - 1;
}

Leaf::Leaf(PartsPtr parts, size_t number, LeafForm form, Context& context)
    : parts_(std::move(parts)),
      number_(number),
      column_(parts_->all().front().footer.leaves[number]),
      form_(std::move(form)),
      context_(context),
      pages_owner_(context.cache.new_owner()),
      dictionaries_owner_(context.cache.new_owner()),
      max_bytes_(std::max<uint64_t>(context.cache.statistics().budget_bytes, kLeastLimit)) {
  for (const Part& part : parts_->all())
    may_be_missing_ = may_be_missing_ || part.footer.leaves[number]->definition > 0;
}

const Column& Leaf::column_in(size_t group) const {
  return *parts_->groups()[group].part->footer.leaves[number_];
}

Error Leaf::at(size_t group, const Error& error) const {
  const GroupPlace& place = parts_->groups()[group];
  const auto number = place.group - place.part->footer.groups.data();
  const std::string file = parts_->all().size() > 1 ? place.part->name + ": " : std::string();
  return error.at(fmt::format("{}column {}, row group {}", file, column_->name, number));
}

std::shared_ptr<const PageList> Leaf::pages(size_t group) const {
  return context_.cache.get<PageList>({pages_owner_, group}, [&] {
    const GroupPlace& place = parts_->groups()[group];
    try {
      return read_pages(*place.part->bytes, place.part->footer, place.group->chunks[number_],
                        column_in(group), place.rows);
    } catch (const Error& error) {
      throw at(group, error);
    }
  });
}

Elements Leaf::converted(Elements stored) const {
  return form_.convert ? form_.convert(std::move(stored), max_bytes_) : stored;
}

std::shared_ptr<const Elements> Leaf::dictionary(size_t group, const PageList& pages) const {
  if (!pages.dictionary) return nullptr;
  const auto load = [&] {
    const GroupPlace& place = parts_->groups()[group];
    const auto room = context_.decode_budget.take(checked_multiply(pages.dictionary->size, kWorkingFactor));
    const Page page =
        read_page(*place.part->bytes, *pages.dictionary, place.group->chunks[number_].codec, max_bytes_);
    const Column& column = column_in(group);
    if (page.header.encoding != static_cast<int>(Encoding::plain) &&
        page.header.encoding != static_cast<int>(Encoding::plain_dictionary))
      throw damaged("a dictionary in the encoding {}", page.header.encoding);
    Elements values = converted(
        decode_plain(page.body, value_type(column.physical, column.length), page.header.values, max_bytes_));
    context_.counters.bytes_decoded.fetch_add(values.allocated_bytes(), std::memory_order_relaxed);
    return values;
  };
  return context_.cache.get<Elements>({dictionaries_owner_, group}, [&] {
    try {
      return load();
    } catch (const Error& error) {
      throw at(group, error.at("its dictionary"));
    }
  });
}

LeafPage Leaf::decode(size_t group, const Page& page, const Elements* dictionary) const {
  const Column& column = column_in(group);
  const PageHeader& header = page.header;
  LeafPage decoded;
  decoded.entries = header.values;
  ByteSpan body = page.body;
  if (header.kind == PageKind::data_v2) {
    decoded.repetition = levels_of(page.repetition, column.repetitions, header.values);
    decoded.definition = levels_of(page.definition, column.definition, header.values);
  } else {
    decoded.repetition = take_levels(body, header.repetition_encoding, column.repetitions, header.values);
    decoded.definition = take_levels(body, header.definition_encoding, column.definition, header.values);
  }
  uint64_t present = header.values;
  if (!decoded.definition.empty())
    present = static_cast<uint64_t>(
        std::count(decoded.definition.begin(), decoded.definition.end(), column.definition));
  if (header.kind == PageKind::data_v2) check_counts(decoded, header, present, column.repetitions == 0);
  if (present == header.values && column.repetitions == 0) decoded.definition = {};
  const ValueType type = value_type(column.physical, column.length);
  if (!has_dictionary_encoding(header)) {
    decoded.values = converted(decode_values(body, header.encoding, type, present, max_bytes_));
    return decoded;
  }
  if (!dictionary) throw damaged("indices without a dictionary");
  const bool is_flat = layout_of(form_.type) == Layout::flat;
  decoded.values = gather(*dictionary, is_flat ? form_.type.size : 0,
                          decode_indices(body, present, dictionary->count), max_bytes_);
  return decoded;
}

LeafPage Leaf::read(size_t group, const PageList& pages, size_t page) const {
  const GroupPlace& place = parts_->groups()[group];
  const PagePlace& at_page = pages.pages[page];
  const std::shared_ptr<const Elements> values = dictionary(group, pages);
  try {
    const auto room = context_.decode_budget.take(checked_multiply(at_page.size, kWorkingFactor));
    const Page raw = read_page(*place.part->bytes, at_page, place.group->chunks[number_].codec, max_bytes_);
    if (raw.header.kind != PageKind::data && raw.header.kind != PageKind::data_v2)
      throw damaged("not a page of data");
    check_page_bytes(saturating_multiply(raw.header.values, std::max<uint64_t>(form_.type.size, 8)),
                     max_bytes_);
    LeafPage decoded = decode(group, raw, values.get());
    context_.counters.chunks_decoded.fetch_add(1, std::memory_order_relaxed);
    context_.counters.bytes_decoded.fetch_add(decoded.allocated_bytes(), std::memory_order_relaxed);
    return decoded;
  } catch (const Error& error) {
    throw at(group, error.at(fmt::format("the page at byte {}", at_page.offset)));
  }
}

void Leaf::visit_values(const std::function<bool(const Elements& values, bool is_dictionary)>& visit) const {
  for (size_t group = 0; group < parts_->groups().size(); ++group) {
    const std::shared_ptr<const PageList> list = pages(group);
    const GroupPlace& place = parts_->groups()[group];
    const std::shared_ptr<const Elements> values = dictionary(group, *list);
    bool has_all = values != nullptr;
    for (size_t page = 0; has_all && page < list->pages.size(); ++page) {
      constexpr uint64_t kHeaderBytes = 4096;
      const PagePlace& at_page = list->pages[page];
      const uint64_t some = std::min(at_page.size, kHeaderBytes);
      const auto header =
          read_page_header(place.part->bytes->read(at_page.offset, some), some == at_page.size);
      has_all = header && has_dictionary_encoding(*header);
    }
    if (has_all && visit(*values, true)) continue;
    for (size_t page = 0; page < list->pages.size(); ++page)
      if (!visit(read(group, *list, page).values, false)) return;
  }
}

}  // namespace plainfs::parquet
