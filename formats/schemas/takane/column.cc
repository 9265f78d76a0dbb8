#include "formats/schemas/takane/column.h"

#include "formats/containers/hdf5/container.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

// A dataset that does not open has no attributes either. takane has no column of a type that cannot be
// read.
void check_opens(const Array& values) {
  if (!dynamic_cast<const BrokenArray*>(&values)) return;
  try {
    values.check();
  } catch (const Error& error) {
    if (error.code() != Errc::unsupported) throw;
    throw damaged("a column is of a type that takane has: {}", error.what());
  }
}

class ColumnReader {
 public:
  ColumnReader(const ColumnPlace& place, Context& context)
      : place_(place), owner_{"column", place.path}, context_(context) {}

  ArrayPtr dataset(const ArrayPtr& values) const {
    check_opens(*values);
    const std::optional<std::string> type = text_attribute(hdf5::attribute(*values, "type"), "type");
    if (!type) throw damaged("a column has a type attribute");
    require_length(*values, "a column");
    const std::string format =
        *type == "string" ? string_format(hdf5::attribute(*values, "format"), owner_, context_) : "none";
    return typed_values(values, *type, hdf5::attribute(*values, kPlaceholder), format, owner_, context_);
  }

  ArrayPtr group(const Group& parts) const {
    const std::optional<std::string> type = text_attribute(hdf5::attribute(parts, "type"), "type");
    if (!type) throw damaged("a column has a type attribute");
    if (*type != "factor" && *type != "vls")
      throw damaged("a group column is a factor or vls, not '{}'", *type);
    if (*type == "vls" && !place_.vls_allowed)
      context_.warn(place_.path + ": vls columns came with version 1.1");
    ArrayPtr values = *type == "factor" ? factor_values(parts, owner_, context_) : vls_values(parts);
    require_length(*values, *type == "factor" ? "a factor" : "a vls column");
    return values;
  }

 private:
  void require_length(const Array& values, const char* what) const {
    if (values.shape().size() != 1)
      throw damaged("{} has one dimension, not {}", what, values.shape().size());
    if (place_.rows && values.count() != *place_.rows)
      throw damaged("{} has row-count elements: {}, not {}", what, *place_.rows, values.count());
  }

  const ColumnPlace place_;
  const Owner owner_;
  Context& context_;
};

}  // namespace

BasicColumn open_basic_column(const Node& stored, const ColumnPlace& place, Context& context) {
  BasicColumn column;
  Node shown;
  const bool is_group = stored.parts != nullptr;
  try {
    const ColumnReader reader(place, context);
    if (is_group) {
      column.values = reader.group(*stored.parts);
    } else {
      const ArrayPtr values = array_of(stored);
      if (!values) throw damaged("a column is a dataset or a group");
      column.values = reader.dataset(values);
    }
    shown.content = LabelledArray{column.values, nullptr, nullptr};
  } catch (const Error& error) {
    column.error = error;
    shown.content = *column.error;
  }
  const bool is_vls = column.values && is_group && !find_array(*stored.parts, "codes");
  shown.attributes = [stored] { return attributes_of(stored); };
  // A factor's parts stand with its labels; a vls column keeps its attributes with its strings, and its parts
  // apart.
  if (is_group && !is_vls) shown.parts = stored.parts;
  column.members.push_back({place.name, std::move(shown)});
  if (is_vls) column.members.push_back({place.name, Node{.parts = stored.parts}});
  return column;
}

}  // namespace plainfs::takane
