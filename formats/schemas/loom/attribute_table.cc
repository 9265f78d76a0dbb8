#include "formats/schemas/loom/attribute_table.h"

#include "formats/core/frames/parts.h"
#include "formats/core/model/arrays/assembly.h"
#include "formats/core/model/arrays/derived_array.h"

namespace plainfs::loom {
namespace {

constexpr uint64_t kMaxMembers = 65536;  // of one attribute: columns of a table

DType record_of(const DType& type, uint64_t members) {
  std::vector<Field> fields;
  for (uint64_t i = 1; i <= members; ++i) fields.push_back({std::to_string(i), type, 0});
  DType record;
  record.kind = Kind::compound;
  record.fields = std::move(fields);
  return record;
}

// The rows of a matrix as records.
class RowRecords : public DerivedArray {
 public:
  explicit RowRecords(const ArrayPtr& matrix)
      : DerivedArray(matrix, record_of(matrix->dtype(), matrix->shape()[1]), {matrix->shape()[0]}, false) {}

  Shape chunk_shape() const override { return {values().chunk_shape()[0]}; }
  std::optional<Elements> repeated(const Box&) const override { return std::nullopt; }

 private:
  Box stored_box(const Box& box) const override {
    return {{box.origin[0], 0}, {box.extent[0], values().shape()[1]}};
  }
  Elements derived(Elements cells, const Box& box) const override {
    const Shape extent = stored_box(box).extent;
    Elements records;
    records.count = extent[0];
    for (uint64_t i = 0; i < extent[1]; ++i)
      records.children.push_back(cut(values().dtype(), cells, extent, {{0, i}, {extent[0], 1}}));
    return records;
  }
};

}  // namespace

Table attribute_table(const Group& attributes, uint64_t rows, Context& context) {
  Table table;
  table.rows = rows;
  for (const Member& member : attributes.members()) {
    const ArrayPtr values = frames::part_of(attributes, member.name);
    const Shape shape = values ? values->shape() : Shape();
    if (values && frames::may_be_list(*values) && (frames::is_broken(*values) || shape[0] == rows)) {
      table.columns.push_back({member.name, values});
    } else if (shape.size() == 2 && shape[0] == rows && shape[1] <= kMaxMembers) {
      table.columns.push_back({member.name, std::make_shared<RowRecords>(values)});
    } else {
      context.notice(
          fmt::format("{}: {} is left out of the table: it does not have one value or one row of values for "
                      "each of {}",
                      attributes.path(), member.name, rows));
    }
  }
  return table;
}

}  // namespace plainfs::loom
