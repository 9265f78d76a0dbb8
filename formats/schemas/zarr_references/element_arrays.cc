#include "formats/schemas/zarr_references/attributes.h"

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/object_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs::zarr_references {
namespace {

using SourcesPtr = std::shared_ptr<const StoreSources>;

Elements checked_text(Elements blobs, const Box&) {
  for (uint64_t i = 0; i < blobs.count; ++i) {
    if (!blobs.is_missing(i) && !is_utf8(blobs.text(i))) throw damaged("element {} is not UTF-8", i);
  }
  return blobs;
}

// Adds the target of a reference. Null, and the 0 that fills an absent chunk, refer to nothing. Text is
// already a path.
void add_reference(const Json& value, const StoreSources& sources, TextBuilder& out) {
  if (value.is_null() || value.as_int64() == int64_t{0}) return out.add_missing();
  if (value.text()) return out.add(*value.text());
  const auto target = sources.target_text(value);
  if (!target) throw damaged("{} is not a reference", to_json_text(value).substr(0, 100));
  out.add(*target);
}

// Converts JSON values to references.
Elements as_references(const Elements& values, const StoreSources& sources) {
  TextBuilder out(values.count);
  for (uint64_t i = 0; i < values.count; ++i) {
    if (values.is_missing(i))
      out.add_missing();
    else
      add_reference(parse_json(values.text(i)), sources, out);
  }
  return out.finish();
}

DType reference_type() {
  return number_type(Kind::reference, 0);
}
DType json_type() {
  return number_type(Kind::json, 0);
}

// Returns array with references in the fields that are JSON values and that members declares references; null
// if there are no such fields.
ArrayPtr with_reference_fields(ArrayPtr array, const std::vector<RecordMember>& members, SourcesPtr sources) {
  DType dtype = array->dtype();
  std::vector<size_t> references;
  for (size_t f = 0; f < dtype.fields.size(); ++f) {
    for (const RecordMember& member : members) {
      const bool is_reference = member.is_reference && member.name == dtype.fields[f].name;
      if (is_reference && dtype.fields[f].type.kind == Kind::json) references.push_back(f);
    }
  }
  if (references.empty()) return nullptr;
  for (const size_t f : references) dtype.fields[f].type = reference_type();
  return mapped(std::move(array), std::move(dtype), [references, sources](Elements records, const Box&) {
    for (const size_t f : references) {
      Elements& field = records.children.at(f);
      field = as_references(field, *sources);
    }
    return records;
  });
}

DType record_type(const std::vector<RecordMember>& members) {
  std::vector<Field> fields;
  for (const RecordMember& member : members) {
    fields.push_back({member.name, member.is_reference ? reference_type() : json_type(), 0});
  }
  return packed_compound_type(std::move(fields));
}

// A builder that assembles records cell by cell.
class RecordBuilder {
 public:
  RecordBuilder(const std::vector<RecordMember>& members, const StoreSources& sources)
      : members_(members), sources_(sources), columns_(members.size()) {}

  void add(size_t member, Json cell) {
    if (members_[member].is_reference)
      add_reference(cell, sources_, columns_[member]);
    else
      add_json_element(cell, columns_[member]);
  }
  Elements finish(uint64_t count) {
    Elements records;
    records.count = count;
    for (TextBuilder& column : columns_) records.children.push_back(column.finish());
    return records;
  }

 private:
  const std::vector<RecordMember>& members_;
  const StoreSources& sources_;
  std::vector<TextBuilder> columns_;
};

Json value_of(const Elements& values, uint64_t i) {
  return values.is_missing(i) ? Json() : parse_json(values.text(i));
}

// Returns records. Each element is a list with one value for each member; null, and the 0 of an absent chunk,
// is an empty record.
Elements records_of_lists(const Elements& values, const std::vector<RecordMember>& members,
                          const StoreSources& sources) {
  RecordBuilder builder(members, sources);
  for (uint64_t i = 0; i < values.count; ++i) {
    Json record = value_of(values, i);
    const bool is_absent = record.is_null() || record.as_int64() == int64_t{0};
    if (!is_absent && (!record.list() || record.list()->size() != members.size())) {
      throw damaged("record {} does not have {} members", to_json_text(record).substr(0, 100),
                    members.size());
    }
    for (size_t m = 0; m < members.size(); ++m)
      builder.add(m, is_absent ? Json() : std::move((*record.list())[m]));
  }
  return builder.finish(values.count);
}

// Records with their members along the last axis of an array of single values.
class RowArray : public DerivedArray {
 public:
  RowArray(ArrayPtr cells, std::vector<RecordMember> members, SourcesPtr sources)
      : DerivedArray(cells, record_type(members), Shape{cells->shape()[0]}, false),
        members_(std::move(members)),
        sources_(std::move(sources)) {}

  Shape chunk_shape() const override { return {values().chunk_shape()[0]}; }

 private:
  Box stored_box(const Box& box) const override {
    check_inside(box, shape());
    return {{box.origin[0], 0}, {box.extent[0], members_.size()}};
  }
  // cells: those of the rows, or a single one that equals all of them.
  Elements derived(Elements cells, const Box&) const override {
    if (cells.count == 1) cells = repeated_element(values().dtype(), cells, members_.size());
    RecordBuilder builder(members_, *sources_);
    for (uint64_t i = 0; i < cells.count; ++i) builder.add(i % members_.size(), value_of(cells, i));
    return builder.finish(cells.count / members_.size());
  }

  std::vector<RecordMember> members_;
  SourcesPtr sources_;
};

}  // namespace

bool may_have_meaning(const DType& dtype) {
  if (dtype.kind == Kind::compound) return !dtype.fixed_size();
  return dtype.kind == Kind::json || dtype.kind == Kind::blob;
}

ArrayPtr with_meaning(ArrayPtr array, const ElementMeaning& meaning, SourcesPtr sources) {
  const Kind kind = array->dtype().kind;
  if (kind == Kind::blob && meaning.is_stated) {
    return mapped(std::move(array), text_type(), checked_text);
  }
  if (kind == Kind::compound)
    return with_reference_fields(std::move(array), meaning.members, std::move(sources));
  if (kind != Kind::json) return nullptr;
  if (meaning.is_reference) {
    return mapped(std::move(array), reference_type(),
                  [sources](const Elements& values, const Box&) { return as_references(values, *sources); });
  }
  const std::vector<RecordMember>& members = meaning.members;
  if (members.empty()) return nullptr;
  if (array->shape().size() == 2 && array->shape()[1] == members.size()) {
    return std::make_shared<RowArray>(std::move(array), members, std::move(sources));
  }
  return mapped(std::move(array), record_type(members),
                [members, sources](const Elements& values, const Box&) {
                  return records_of_lists(values, members, *sources);
                });
}

}  // namespace plainfs::zarr_references
