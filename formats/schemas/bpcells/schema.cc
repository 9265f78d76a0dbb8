#include "formats/schemas/bpcells/schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/bpcells/version.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/derived_group.h"
#include "formats/schemas/bpcells/adapters.h"
#include "formats/schemas/bpcells/packed_array.h"

namespace plainfs::bpcells {
namespace {

// Opening a store reads all of chr_ptr, which in an HDF5 file may have any length without occupying bytes.
constexpr uint64_t kMaxChromosomePointers = uint64_t{1} << 24;

// Returns whether the group holds arrays that every version of BPCells has, so that it may be one of BPCells'
// groups.
bool may_be_bpcells(const Group& group) {
  return (group.find("idxptr") && group.find("storage_order")) ||
         (group.find("chr_ptr") && group.find("chr_names"));
}

// Returns the version attribute, a string or a list of one; nullopt if it is missing or of a type without
// text.
std::optional<StoredVersion> version_of(const Node& node) {
  std::optional<Json> stored;
  try {
    const Attributes attributes = attributes_of(node);
    if (const Json* value = attributes.find("version")) stored = *value;
  } catch (const Error& error) {
    if (is_transient(error) || (!is_unsupported(error) && may_be_bpcells(*node.parts))) throw;
  }
  const Json* value = stored ? &*stored : nullptr;
  if (value && value->list() && value->list()->size() == 1) value = &value->list()->front();
  if (!value || !value->text()) return std::nullopt;
  return parse_version(*value->text());
}

// Returns whether BPCells stored an empty list, which means that there are no names. A damaged list is not
// empty: it fails on use.
bool is_empty_list(const Array& names) {
  return names.count() == 0 && frames::is_readable(names);
}

// A group of the logical arrays and of the members of the stored group that are not BPCells' arrays.
class LogicalGroup final : public DerivedGroup {
 public:
  LogicalGroup(GroupPtr stored, std::vector<Member> arrays, std::vector<std::string> hidden)
      : DerivedGroup(std::move(stored)), arrays_(std::move(arrays)), hidden_(std::move(hidden)) {}

  std::vector<Member> members() const override {
    std::vector<Member> all = arrays_;
    for (Member& member : stored().members()) {
      if (!logical(member.name) && !is_hidden(member.name)) all.push_back(std::move(member));
    }
    return all;
  }

  std::optional<Node> find(std::string_view name) const override {
    if (const Node* node = logical(name)) return *node;
    return is_hidden(name) ? std::nullopt : stored().find(name);
  }
  std::optional<Node> find_unlisted(std::string_view) const override { return std::nullopt; }

 private:
  const Node* logical(std::string_view name) const {
    const auto at =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const Member& m) { return m.name == name; });
    return at == arrays_.end() ? nullptr : &at->node;
  }
  bool is_hidden(std::string_view name) const {
    return std::find(hidden_.begin(), hidden_.end(), name) != hidden_.end();
  }

  std::vector<Member> arrays_;
  std::vector<std::string> hidden_;
};

// Builds the logical arrays of one group, in the order of the calls.
class StoreReader {
 public:
  StoreReader(const Node& node, StoredVersion version, Context& context)
      : node_(node), version_(version), context_(context) {}

  Node matrix();
  Node fragments();

 private:
  ArrayPtr stored(const std::string& name) const;
  ArrayPtr stored_numbers(const std::string& name, Kind kind, uint32_t size) const;
  ArrayPtr stored_pointer() const;
  ArrayPtr entries(const NumberArray& array, uint64_t count, ArrayPtr added) const;

  // Lists and returns the array that make() returns, or one that fails with the error that it throws.
  template <class Make>
  ArrayPtr add(const std::string& name, const DType& type, Make make);
  ArrayPtr add_names(const std::string& name);
  ArrayPtr add_entries(const NumberArray& array, ArrayPtr added = nullptr);

  void read_shape(SparseMatrix& matrix);
  void read_storage_order(SparseMatrix& matrix);
  void fit_pointer(SparseMatrix& matrix);
  // order: the names of the arrays that were added.
  Node finish(Content content, const std::vector<std::string>& order);

  const Node& node_;
  const StoredVersion version_;
  Context& context_;
  std::vector<Member> listed_;
  std::optional<uint64_t> entry_count_;  // nullopt if the pointer with the count cannot be read
  bool pointer_fits_ = true;  // false if the last value of the pointer may not be the number of entries
};

ArrayPtr StoreReader::stored(const std::string& name) const {
  ArrayPtr array = find_array(*node_.parts, name);
  if (!array) throw damaged("{}: the array is missing", name);
  return array;
}

ArrayPtr StoreReader::stored_numbers(const std::string& name, Kind kind, uint32_t size) const {
  return numbers_as(stored(name), number_type(kind, size), name);
}

// Returns the pointer: integers of any width unchanged, R's doubles as integers.
ArrayPtr StoreReader::stored_pointer() const {
  const std::string name = pointer_name(version_);
  ArrayPtr pointer = stored(name);
  const DType type = pointer->dtype().kind == Kind::integer || pointer->dtype().kind == Kind::unsigned_integer
                         ? pointer->dtype()
                         : number_type(Kind::unsigned_integer, 8);
  return numbers_as(std::move(pointer), type, name);
}

ArrayPtr StoreReader::entries(const NumberArray& array, uint64_t count, ArrayPtr added) const {
  if (!array.packed) {
    return first_values(numbers_as(stored(array.name), array.type, array.name), count, array.name);
  }
  PackedParts parts;
  parts.data = stored_numbers(array.name + "_data", Kind::unsigned_integer, 4);
  parts.idx = stored_numbers(array.name + "_idx", Kind::unsigned_integer, 4);
  if (version_.number > 1) {
    parts.idx_offsets = stored_numbers(array.name + "_idx_offsets", Kind::unsigned_integer, 8);
  }
  if (uses_starts(array.transform)) {
    parts.starts = stored_numbers(array.name + "_starts", Kind::unsigned_integer, 4);
  }
  return packed_array(array.name, std::move(parts), array.transform, count, std::move(added), context_);
}

template <class Make>
ArrayPtr StoreReader::add(const std::string& name, const DType& type, Make make) {
  ArrayPtr array;
  try {
    array = make();
  } catch (const Error& error) {
    array = std::make_shared<BrokenArray>(type, error);
  }
  listed_.push_back({name, Node{LabelledArray{array, nullptr, nullptr}}});
  return array;
}

ArrayPtr StoreReader::add_names(const std::string& name) {
  return add(name, text_type(), [&] { return names_of(stored(name), name); });
}

ArrayPtr StoreReader::add_entries(const NumberArray& array, ArrayPtr added) {
  return add(array.name, array.type, [&] {
    if (entry_count_ && (pointer_fits_ || array.packed))
      return entries(array, *entry_count_, std::move(added));
    if (array.packed)
      throw damaged("{}: unknown length, because {} cannot be read", array.name, pointer_name(version_));
    return numbers_as(stored(array.name), array.type, array.name);
  });
}

Node StoreReader::finish(Content content, const std::vector<std::string>& order) {
  const auto rank = [&](const Member& member) {
    return std::find(order.begin(), order.end(), member.name) - order.begin();
  };
  std::sort(listed_.begin(), listed_.end(),
            [&](const Member& a, const Member& b) { return rank(a) < rank(b); });
  std::vector<std::string> hidden;
  for (const DirectoryArray& array : directory_arrays(version_)) hidden.push_back(array.name);
  Node node = node_;
  node.content = std::move(content);
  node.parts = std::make_shared<LogicalGroup>(node_.parts, std::move(listed_), std::move(hidden));
  return node;
}

// Reads the shape: rows and columns of the matrix itself, whatever the storage order.
void StoreReader::read_shape(SparseMatrix& matrix) {
  const ArrayPtr shape = add("shape", number_type(Kind::unsigned_integer, 4), [&] {
    ArrayPtr stored = stored_numbers("shape", Kind::unsigned_integer, 4);
    if (stored->count() != 2) throw damaged("shape has {} values, expected 2", stored->count());
    return stored;
  });
  try {
    const Elements extent = shape->read(range(0, 2));
    matrix.rows = extent.values<uint32_t>()[0];
    matrix.columns = extent.values<uint32_t>()[1];
  } catch (const Error& error) {
    matrix.error = error;
  }
}

void StoreReader::read_storage_order(SparseMatrix& matrix) {
  const ArrayPtr order = add_names("storage_order");
  try {
    order->check();
    if (order->count() == 0) throw damaged("storage_order is empty");
    const Elements first = order->read(range(0, 1));
    matrix.by_row = first.text(0) == "row";
    if (!matrix.by_row && first.text(0) != "col") {
      throw damaged("storage_order is {}, expected row or col", to_json_text(Json(first.text(0))));
    }
  } catch (const Error& error) {
    if (!matrix.error) matrix.error = error;
  }
}

// Checks the pointer's length against the shape. BPCells writes two zeros for a matrix without columns (or
// rows).
void StoreReader::fit_pointer(SparseMatrix& matrix) {
  if (matrix.error || !entry_count_) return;
  const uint64_t majors = matrix.majors();
  const uint64_t length = matrix.pointer->count();
  if (length == majors + 1) return;
  if (majors == 0 && length == 2 && *entry_count_ == 0) {
    matrix.pointer = first_values(matrix.pointer, 1, "idxptr");
  } else {
    matrix.error = damaged("idxptr has {} values, expected {} for {} {}s", length, majors + 1, majors,
                           matrix.major_word());
    pointer_fits_ = false;
  }
}

Node StoreReader::matrix() {
  SparseMatrix matrix;
  read_shape(matrix);
  const bool shape_known = !matrix.error;
  matrix.row_names = add_names("row_names");
  matrix.column_names = add_names("col_names");
  if (!shape_known) {  // the numbers of names are those of rows and columns
    matrix.rows = matrix.row_names->count();
    matrix.columns = matrix.column_names->count();
  }
  if (is_empty_list(*matrix.row_names)) matrix.row_names = nullptr;
  if (is_empty_list(*matrix.column_names)) matrix.column_names = nullptr;
  read_storage_order(matrix);

  const std::string name = pointer_name(version_);
  try {
    matrix.pointer = rising_pointer(stored_pointer(), name);
    entry_count_ = last_value(matrix.pointer, name);
  } catch (const Error& error) {
    matrix.pointer = std::make_shared<BrokenArray>(pointer_type(version_), error);
  }
  add(name, pointer_type(version_), [&] { return matrix.pointer; });
  fit_pointer(matrix);

  const std::vector<NumberArray> entry = entry_arrays(version_);
  matrix.value = add_entries(entry[0]);
  matrix.index = add_entries(entry[1]);
  return finish(std::move(matrix),
                {entry[0].name, entry[1].name, name, "shape", "row_names", "col_names", "storage_order"});
}

Node StoreReader::fragments() {
  const std::string name = pointer_name(version_);
  ArrayPtr pointer;
  try {
    const ArrayPtr stored = stored_pointer();
    if (stored->count() > kMaxChromosomePointers)
      throw unsupported("{} has {} values, more than {}", name, stored->count(), kMaxChromosomePointers);
    pointer = range_pointer(stored, name);
    // Chromosomes may be stored in any order, and an empty one may be 0, 0. The largest end is that of the
    // last fragment.
    entry_count_ = largest_value(pointer, name);
  } catch (const Error& error) {
    pointer = std::make_shared<BrokenArray>(pointer_type(version_), error);
  }

  Fragments fragments;
  fragments.chr_pointer = add(name, pointer_type(version_), [&] { return pointer; });
  fragments.cell_names = add_names("cell_names");
  fragments.chr_names = add_names("chr_names");
  const uint64_t chromosomes = fragments.chr_names->count();
  if (entry_count_ && pointer->count() != 2 * chromosomes) {
    fragments.error = damaged("chr_ptr has {} values, expected {} for {} chromosomes", pointer->count(),
                              2 * chromosomes, chromosomes);
    pointer_fits_ = !frames::is_readable(*fragments.chr_names);
  }
  const std::vector<NumberArray> entry = entry_arrays(version_);
  fragments.cell = add_entries(entry[0]);
  fragments.start = add_entries(entry[1]);
  fragments.end = add_entries(entry[2], version_.packed ? fragments.start : nullptr);
  add("end_max", number_type(Kind::unsigned_integer, 4),
      [&] { return stored_numbers("end_max", Kind::unsigned_integer, 4); });
  return finish(std::move(fragments),
                {entry[0].name, entry[1].name, entry[2].name, "end_max", name, "cell_names", "chr_names"});
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  const std::optional<StoredVersion> version = version_of(node);
  if (!version) return std::nullopt;
  StoreReader reader(node, *version, context);
  return version->fragments ? reader.fragments() : reader.matrix();
}

}  // namespace plainfs::bpcells
