#include "formats/schemas/parquet/columns.h"

#include <algorithm>
#include <cstring>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/schemas/parquet/forms.h"
#include "formats/schemas/parquet/nested.h"

namespace plainfs::parquet {
namespace {

// Returns flat elements with a value for each row, 0 where one is missing.
Elements spread_flat(const Elements& values, const std::vector<uint8_t>& exists, uint32_t size) {
  Elements rows;
  rows.count = exists.size();
  rows.bytes.resize(checked_size(rows.count, size));
  const std::byte* from = values.bytes.data();
  std::byte* to = rows.bytes.data();
  for (const uint8_t is_present : exists) {
    if (is_present != 0) {
      std::memcpy(to, from, size);
      from += size;
    } else {
      std::memset(to, 0, size);
    }
    to += size;
  }
  return rows;
}

Elements spread_heap(Elements values, const std::vector<uint8_t>& exists) {
  Elements rows;
  rows.count = exists.size();
  rows.offsets.resize(rows.count + 1);
  size_t value = 0;
  for (size_t i = 0; i < exists.size(); ++i) {
    value += exists[i];
    rows.offsets[i + 1] = values.offsets[value];
  }
  rows.bytes = std::move(values.bytes);
  return rows;
}

// Returns the elements of a page of a flat column, one per row.
Elements rows_of(LeafPage page, const DType& type) {
  if (page.definition.empty()) return std::move(page.values);
  const bool is_flat = layout_of(type) == Layout::flat;
  Elements rows = is_flat ? spread_flat(page.values, page.definition, type.size)
                          : spread_heap(std::move(page.values), page.definition);
  rows.missing.resize(rows.count);
  for (size_t i = 0; i < rows.missing.size(); ++i) rows.missing[i] = page.definition[i] ^ 1;
  return rows;
}

// A column of single values. A chunk of it is a page.
class FlatColumn : public Array {
 public:
  explicit FlatColumn(Leaf leaf)
      : Array(leaf.type(), {leaf.parts().rows()}),
        leaf_(std::move(leaf)),
        cache_owner_(leaf_.context().cache.new_owner()) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    Elements elements;
    uint64_t row = box.origin[0];
    const uint64_t end = row + box.extent[0];
    while (row < end) {
      const size_t group = leaf_.parts().group_of(row);
      const GroupPlace& place = leaf_.parts().groups()[group];
      const uint64_t group_end = std::min(end, place.first + place.rows);
      const std::shared_ptr<const PageList> pages = leaf_.pages(group);
      for (size_t page = page_of(*pages, row - place.first); row < group_end; ++page) {
        const uint64_t first = place.first + pages->pages[page].first;
        const std::shared_ptr<const Elements> rows = this->rows(group, *pages, page);
        const uint64_t some = std::min(group_end, first + rows->count) - row;
        append(dtype(), elements, *rows, row - first, some);
        row += some;
      }
    }
    if (elements.count == 0) return zero_elements(dtype(), 0);
    return elements;
  }

  // Returns about the rows of a page: those of a megabyte.
  Shape chunk_shape() const override {
    constexpr uint64_t kPageBytes = 1 << 20, kLeastRows = 1024;
    const uint64_t rows = shape()[0];
    if (leaf_.parts().groups().empty()) return {std::max<uint64_t>(rows, 1)};
    const GroupPlace& place = leaf_.parts().groups().front();
    const Chunk& chunk = place.group->chunks[leaf_.column().leaf];
    const uint64_t pages = std::max<uint64_t>(1, chunk.plain_size / kPageBytes);
    return {std::clamp<uint64_t>(place.rows / pages, std::min(rows, kLeastRows), rows)};
  }

  bool may_be_missing() const override { return leaf_.may_be_missing(); }
  bool is_nullable() const override { return leaf_.may_be_missing(); }

  void release(const Box& box) const override {
    check_inside(box, shape());
    uint64_t row = box.origin[0];
    const uint64_t end = row + box.extent[0];
    while (row < end) {
      const size_t group = leaf_.parts().group_of(row);
      const GroupPlace& place = leaf_.parts().groups()[group];
      const std::shared_ptr<const PageList> pages = leaf_.pages(group);
      for (size_t page = page_of(*pages, row - place.first); page < pages->pages.size(); ++page) {
        if (place.first + page_end(*pages, page, place.rows) > end) break;
        leaf_.context().cache.forget(key(group, page));
      }
      row = place.first + place.rows;
    }
  }

 private:
  static uint64_t page_end(const PageList& pages, size_t page, uint64_t rows) {
    return page + 1 < pages.pages.size() ? pages.pages[page + 1].first : rows;
  }
  // Returns the page with a row of the group.
  static size_t page_of(const PageList& pages, uint64_t row) {
    const auto after =
        std::upper_bound(pages.pages.begin(), pages.pages.end(), row,
                         [](uint64_t wanted, const PagePlace& place) { return wanted < place.first; });
    return static_cast<size_t>(after - pages.pages.begin()) - 1;
  }
  CacheKey key(size_t group, size_t page) const {
    constexpr unsigned kPageBits = 32;
    return {cache_owner_, uint64_t{group} << kPageBits | page};
  }

  std::shared_ptr<const Elements> rows(size_t group, const PageList& pages, size_t page) const {
    return leaf_.context().cache.get<Elements>(key(group, page), [&] {
      const uint64_t wanted =
          page_end(pages, page, leaf_.parts().groups()[group].rows) - pages.pages[page].first;
      Elements rows = rows_of(leaf_.read(group, pages, page), dtype());
      if (rows.count != wanted)
        throw leaf_.at(group, damaged("a page with {} values, expected {}", rows.count, wanted));
      return rows;
    });
  }

  const Leaf leaf_;
  const uint64_t cache_owner_;
};

// A column of bytes of unknown meaning: text if all of them are, otherwise hex. The first read goes through
// the column once to decide it.
class UndecidedColumn : public Array {
 public:
  explicit UndecidedColumn(const Leaf& leaf)
      : Array(leaf.type(), {leaf.parts().rows()}), leaf_(leaf), bytes_(leaf) {}

  Elements read(const Box& box) const override {
    Elements elements = bytes_.read(box);
    return is_text() ? std::move(elements) : as_hex(elements);
  }
  Shape chunk_shape() const override { return bytes_.chunk_shape(); }
  bool may_be_missing() const override { return bytes_.may_be_missing(); }
  bool is_nullable() const override { return bytes_.is_nullable(); }
  void release(const Box& box) const override { bytes_.release(box); }

 private:
  bool is_text() const {
    return is_text_.get([&] {
      bool is_text = true;
      leaf_.visit_values([&](const Elements& values, bool is_dictionary) {
        const bool are_plain = are_plain_texts(values);
        if (!is_dictionary) is_text = are_plain;
        return are_plain;
      });
      return is_text;
    });
  }

  const Leaf leaf_;
  const FlatColumn bytes_;
  Lazy<bool> is_text_;
};

ArrayPtr flat_column(const PartsPtr& parts, const Column& column, bool is_wkb, Context& context) {
  ShownForm shown = shown_form(column, is_wkb);
  Leaf leaf(parts, column.leaf, std::move(shown.form), context);
  if (shown.is_undecided) return std::make_shared<UndecidedColumn>(leaf);
  return std::make_shared<FlatColumn>(std::move(leaf));
}

}  // namespace

ArrayPtr column_array(const PartsPtr& parts, size_t number, bool is_wkb, Context& context) {
  const Column& column = parts->all().front().footer.root.children[number];
  try {
    if (column.is_leaf && column.repetition != Repetition::repeated)
      return flat_column(parts, column, is_wkb, context);
    return nested_column(parts, number, context);
  } catch (const Error& error) {
    return std::make_shared<BrokenArray>(text_type(), error.at(fmt::format("column {}", column.name)));
  }
}

}  // namespace plainfs::parquet
