#include "formats/schemas/parquet/nested.h"

#include <algorithm>

#include "cache/lazy.h"
#include "formats/core/base/checked.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/json.h"
#include "formats/core/text/utf8.h"
#include "formats/schemas/parquet/forms.h"

namespace plainfs::parquet {
namespace {

// The values of a leaf in a row group, with their levels.
struct LeafGroup {
  std::vector<uint8_t> repetition, definition;  // of each entry
  Elements values;
  std::vector<uint64_t> entry_of_row, value_of_row;  // where each row begins, and the ends

  size_t allocated_bytes() const {
    return repetition.capacity() + definition.capacity() + values.allocated_bytes() +
           (entry_of_row.capacity() + value_of_row.capacity()) * sizeof(uint64_t);
  }
};

// A leaf of the column.
struct ShownLeaf {
  Leaf leaf;
  bool is_number_text;
  bool is_undecided;
  uint64_t cache_owner;
};

// The place in a leaf while rows are written.
struct LeafCursor {
  const ShownLeaf* shown = nullptr;
  std::shared_ptr<const LeafGroup> group;
  uint64_t entry = 0, value = 0;
  uint64_t row_end = 0;  // entry

  bool is_in_row() const { return entry < row_end; }
  uint8_t definition() const { return group->definition[entry]; }
  uint8_t repetition() const { return group->repetition[entry]; }
};

void collect_leaves(const Column& column, std::vector<const Column*>& leaves) {
  if (column.is_leaf) leaves.push_back(&column);
  for (const Column& child : column.children) collect_leaves(child, leaves);
}

// Writes the values of rows as JSON. Each function writes one value of a column and moves the cursors of its
// leaves behind it.
class JsonWriter {
 public:
  // leaves: the cursors of all leaves of the column, in order. are_texts: what the undecided leaves have.
  JsonWriter(std::vector<LeafCursor>& leaves, bool are_texts) : leaves_(leaves), are_texts_(are_texts) {}

  // Writes a column in one instance of its parent. first: the number of its first leaf. Returns false if it
  // is missing: "null" is then written.
  bool write(const Column& column, size_t first, std::string& out) {
    const size_t count = column.leaf_count;
    if (column.repetition == Repetition::required) {
      write_content(column, first, out);
      return true;
    }
    const bool is_absent = is_below(column, first, count);
    if (column.repetition == Repetition::optional) {
      if (!is_absent) {
        write_content(column, first, out);
        return true;
      }
      skip(first, count);
      out += "null";
      return false;
    }
    write_items(
        column, first, [&](std::string& item) { write_content(column, first, item); }, out);
    return true;
  }

 private:
  static Error disagreement() { return damaged("the columns of a struct or list disagree"); }

  // Returns whether the next entry ends before the column, in all of its leaves.
  bool is_below(const Column& column, size_t first, size_t count) const {
    bool is_below = false;
    for (size_t i = 0; i < count; ++i) {
      const LeafCursor& leaf = leaves_[first + i];
      if (!leaf.is_in_row()) throw damaged("a row ends before its values");
      const bool below = leaf.definition() < column.definition;
      if (i > 0 && below != is_below) throw disagreement();
      is_below = below;
    }
    return is_below;
  }

  void skip(size_t first, size_t count) {
    for (size_t i = 0; i < count; ++i) ++leaves_[first + i].entry;
  }

  // Returns whether another item of a repeated column follows.
  bool has_next(const Column& column, size_t first, size_t count) const {
    bool has_next = false;
    for (size_t i = 0; i < count; ++i) {
      const LeafCursor& leaf = leaves_[first + i];
      const uint8_t level = leaf.is_in_row() ? leaf.repetition() : uint8_t{0};
      if (level > column.repetitions) throw damaged("an item without its list");
      const bool next = level == column.repetitions;
      if (i > 0 && next != has_next) throw disagreement();
      has_next = next;
    }
    return has_next;
  }

  // Writes the items of a repeated column as a list.
  template <class WriteItem>
  void write_items(const Column& column, size_t first, WriteItem&& write_item, std::string& out) {
    visit_items(
        column, first, [&](std::string& item) { write_item(item); }, '[', ']', out);
  }
  template <class WriteItem>
  void visit_items(const Column& column, size_t first, WriteItem&& write_item, char open, char close,
                   std::string& out) {
    const size_t count = column.leaf_count;
    if (count == 0) throw damaged("a repeated group without columns");
    out += open;
    if (is_below(column, first, count)) {
      skip(first, count);
    } else {
      write_item(out);
      while (has_next(column, first, count)) {
        out += ',';
        write_item(out);
      }
    }
    out += close;
  }

  void write_content(const Column& column, size_t first, std::string& out) {
    if (column.is_leaf) return write_leaf(column, first, out);
    if (column.meaning.is_map_or_list() && column.children.size() == 1 &&
        column.children.front().repetition == Repetition::repeated)
      return write_collection(column, first, out);
    out += '{';
    for (const Column& child : column.children) {
      if (&child != &column.children.front()) out += ',';
      write_name(child.name, out);
      out += ':';
      write_child(child, first, out);
      first += child.leaf_count;
    }
    out += '}';
  }

  void write_child(const Column& child, size_t first, std::string& out) {
    if (child.leaf_count == 0)
      out += "{}";
    else
      write(child, first, out);
  }

  static void write_name(const std::string& name, std::string& out) {
    check_utf8(std::string_view(name));
    write_json_text(name, out);
  }

  // Writes a list or a map: a group with one repeated child. Source: apache/parquet-format, LogicalTypes.md,
  // "Nested Types", with the rules for older files.
  void write_collection(const Column& column, size_t first, std::string& out) {
    const Column& items = column.children.front();
    constexpr size_t kKeyAndValue = 2;
    if (column.meaning.kind == logical::kMap && !items.is_leaf && items.children.size() == kKeyAndValue) {
      const Column &key = items.children[0], &value = items.children[1];
      const auto write_pair = [&](std::string& item) {
        std::string text;
        write_key(key, first, text);
        write_json_text(text, item);
        item += ':';
        write_child(value, first + key.leaf_count, item);
      };
      return visit_items(items, first, write_pair, '{', '}', out);
    }
    const bool has_one_field = !items.is_leaf && items.children.size() == 1;
    const bool is_item = !has_one_field || items.children.front().repetition == Repetition::repeated ||
                         items.name == "array" || items.name == column.name + "_tuple";
    const auto write_item = [&](std::string& item) {
      if (is_item)
        write_content(items, first, item);
      else
        write_child(items.children.front(), first, item);
    };
    write_items(items, first, write_item, out);
  }

  // Writes the key of a map without quotes.
  void write_key(const Column& key, size_t first, std::string& out) {
    if (!key.is_leaf || key.repetition == Repetition::repeated) {
      write_child(key, first, out);
      return;
    }
    LeafCursor& leaf = leaves_[first];
    if (is_below(key, first, 1)) {
      ++leaf.entry;
      out += "NA";
      return;
    }
    const uint64_t value = next_value(leaf, key);
    if (is_hex(leaf))
      append_hex(as_byte_span(leaf.group->values.text(value)), out);
    else
      append_plain(leaf.shown->leaf.type(), leaf.group->values, value, out);
    check_utf8(std::string_view(out));
  }

  // Moves behind the next entry of a leaf, which has a value. Returns the value's number.
  static uint64_t next_value(LeafCursor& leaf, const Column& column) {
    if (!leaf.is_in_row() || leaf.definition() != column.definition)
      throw damaged("a value is missing in a column that requires it");
    ++leaf.entry;
    return leaf.value++;
  }

  bool is_hex(const LeafCursor& leaf) const { return leaf.shown->is_undecided && !are_texts_; }

  void write_leaf(const Column& column, size_t number, std::string& out) {
    LeafCursor& leaf = leaves_[number];
    const uint64_t value = next_value(leaf, column);
    const Elements& values = leaf.group->values;
    if (leaf.shown->is_number_text) {
      out += values.text(value);
    } else if (is_hex(leaf)) {
      out += '"';
      append_hex(as_byte_span(values.text(value)), out);
      out += '"';
    } else {
      append_json(leaf.shown->leaf.type(), values, value, out);
    }
  }

  std::vector<LeafCursor>& leaves_;
  const bool are_texts_;
};

class NestedColumn : public Array {
 public:
  NestedColumn(size_t number, std::vector<ShownLeaf> leaves, PartsPtr parts)
      : Array(number_type(Kind::json, 0), {parts->rows()}),
        number_(number),
        leaves_(std::move(leaves)),
        parts_(std::move(parts)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    TextBuilder texts(box.extent[0]);
    uint64_t row = box.origin[0];
    const uint64_t end = row + box.extent[0];
    while (row < end) {
      const size_t group = parts_->group_of(row);
      const GroupPlace& place = parts_->groups()[group];
      const uint64_t group_end = std::min(end, place.first + place.rows);
      write_rows(group, row - place.first, group_end - place.first, texts);
      row = group_end;
    }
    return texts.finish();
  }
  Shape chunk_shape() const override {
    constexpr uint64_t kRows = 8192;
    return {std::clamp<uint64_t>(kRows, 1, std::max<uint64_t>(shape()[0], 1))};
  }
  bool may_be_missing() const override {
    return std::any_of(parts_->all().begin(), parts_->all().end(),
                       [&](const Part& part) { return column_in(part).repetition == Repetition::optional; });
  }
  bool is_nullable() const override { return may_be_missing(); }

 private:
  const Column& column_in(const Part& part) const { return part.footer.root.children[number_]; }

  // Writes rows [first, end) of a row group.
  void write_rows(size_t group, uint64_t first, uint64_t end, TextBuilder& texts) const {
    if (leaves_.empty()) {
      for (; first < end; ++first) texts.add("{}");
      return;
    }
    std::vector<LeafCursor> cursors;
    for (const ShownLeaf& leaf : leaves_) {
      LeafCursor& cursor = cursors.emplace_back();
      cursor.shown = &leaf;
      cursor.group = this->leaf_group(leaf, group);
    }
    const Column& column = column_in(*parts_->groups()[group].part);
    JsonWriter writer(cursors, are_texts());
    std::string text;
    try {
      for (uint64_t row = first; row < end; ++row) {
        for (LeafCursor& cursor : cursors) {
          cursor.entry = cursor.group->entry_of_row[row];
          cursor.value = cursor.group->value_of_row[row];
          cursor.row_end = cursor.group->entry_of_row[row + 1];
        }
        text.clear();
        const bool exists = writer.write(column, 0, text);
        for (const LeafCursor& cursor : cursors)
          if (cursor.is_in_row()) throw damaged("row {} has values that belong to no list", row);
        if (exists)
          texts.add(text);
        else
          texts.add_missing();
      }
    } catch (const Error& error) {
      throw leaves_.front().leaf.at(group, error);
    }
  }

  std::shared_ptr<const LeafGroup> leaf_group(const ShownLeaf& shown, size_t group) const {
    Context& context = shown.leaf.context();
    return context.cache.get<LeafGroup>({shown.cache_owner, group},
                                        [&] { return load_group(shown.leaf, group); });
  }

  LeafGroup load_group(const Leaf& leaf, size_t group) const {
    const std::shared_ptr<const PageList> pages = leaf.pages(group);
    LeafGroup loaded;
    loaded.values = zero_elements(leaf.type(), 0);
    for (size_t i = 0; i < pages->pages.size(); ++i) {
      const LeafPage page = leaf.read(group, *pages, i);
      const auto add = [&](std::vector<uint8_t>& all, const std::vector<uint8_t>& some, uint8_t otherwise) {
        if (some.empty())
          all.resize(all.size() + page.entries, otherwise);
        else
          all.insert(all.end(), some.begin(), some.end());
      };
      add(loaded.repetition, page.repetition, 0);
      add(loaded.definition, page.definition, leaf.column_in(group).definition);
      append(leaf.type(), loaded.values, page.values, 0, page.values.count);
      if (loaded.allocated_bytes() > leaf.max_bytes())
        throw leaf.at(
            group, unsupported("the row group needs more than {} bytes of memory; -o cache= raises the limit",
                               leaf.max_bytes()));
    }
    find_rows(leaf, group, loaded);
    return loaded;
  }

  // Finds where the rows begin.
  void find_rows(const Leaf& leaf, size_t group, LeafGroup& loaded) const {
    const uint64_t rows = parts_->groups()[group].rows;
    if (rows > loaded.repetition.size())
      throw leaf.at(group, damaged("{} values for {} rows", loaded.repetition.size(), rows));
    loaded.entry_of_row.reserve(rows + 1);
    loaded.value_of_row.reserve(rows + 1);
    uint64_t value = 0;
    for (uint64_t entry = 0; entry < loaded.repetition.size(); ++entry) {
      if (loaded.repetition[entry] == 0) {
        loaded.entry_of_row.push_back(entry);
        loaded.value_of_row.push_back(value);
      } else if (entry == 0) {
        throw leaf.at(group, damaged("it begins within a row"));
      }
      value += loaded.definition[entry] == leaf.column_in(group).definition;
    }
    if (loaded.entry_of_row.size() != rows)
      throw leaf.at(group, damaged("it has {} rows, expected {}", loaded.entry_of_row.size(), rows));
    loaded.entry_of_row.push_back(loaded.repetition.size());
    loaded.value_of_row.push_back(value);
  }

  // Returns whether all bytes of unknown meaning in the column are text.
  bool are_texts() const {
    return are_texts_.get([&] {
      bool are_texts = true;
      for (const ShownLeaf& shown : leaves_) {
        if (!shown.is_undecided || !are_texts) continue;
        shown.leaf.visit_values([&](const Elements& values, bool is_dictionary) {
          const bool are_plain = are_plain_texts(values);
          if (!is_dictionary) are_texts = are_plain;
          return are_plain;
        });
      }
      return are_texts;
    });
  }

  const size_t number_;
  const std::vector<ShownLeaf> leaves_;
  const PartsPtr parts_;
  Lazy<bool> are_texts_;
};

}  // namespace

ArrayPtr nested_column(const PartsPtr& parts, size_t number, Context& context) {
  const Column& column = parts->all().front().footer.root.children[number];
  std::vector<const Column*> columns;
  collect_leaves(column, columns);
  std::vector<ShownLeaf> leaves;
  for (const Column* leaf : columns) {
    ShownForm shown = shown_form(*leaf, false);
    leaves.push_back({Leaf(parts, leaf->leaf, std::move(shown.form), context), shown.is_number_text,
                      shown.is_undecided, context.cache.new_owner()});
  }
  return std::make_shared<NestedColumn>(number, std::move(leaves), parts);
}

}  // namespace plainfs::parquet
