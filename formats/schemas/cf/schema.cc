#include "formats/schemas/cf/schema.h"

#include <algorithm>
#include <map>

#include "cache/lazy.h"
#include "formats/containers/netcdf/netcdf.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/context.h"
#include "formats/core/model/derived_array.h"
#include "formats/schemas/cf/attributes.h"
#include "formats/schemas/cf/netcdf4.h"
#include "formats/schemas/hdmf/schema.h"

namespace plainfs::cf {
namespace {

// A stored group with arrays that may have named dimensions. It looks for a dataset when its members or its
// dataset are first requested. Without one it behaves like the stored group.
class NamedGroup : public CfGroup {
 public:
  NamedGroup(GroupPtr stored, Context& context) : CfGroup(std::move(stored)), context_(context) {}

  std::vector<Member> members() const override;
  std::optional<Node> find(std::string_view name) const override;
  Attributes attributes() const override;
  CfDatasetPtr dataset() const override;

 private:
  // The contents of a group with named dimensions.
  struct Known {
    std::vector<Member> members;  // to show
    CfDatasetPtr dataset;         // null if two arrays give a dimension two lengths
  };
  using KnownPtr = std::shared_ptr<const Known>;  // null if the group has no named dimensions
  const KnownPtr& known() const;
  KnownPtr look(std::vector<Member> members) const;

  Context& context_;
  Lazy<KnownPtr> known_;
};

// Number of arrays with attributes that are read to find named dimensions of a group.
constexpr size_t kMostLookedAt = 32;

// Returns the attributes, none if they are permanently unreadable. Throws transient errors.
Attributes readable_attributes(const Node& node) {
  try {
    return attributes_of(node);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return {};
  }
}

bool has_attribute(const Attributes& attributes, std::string_view name) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const Attribute& each) { return each.name == name; });
}

const LabelledArray* stored_array(const Member& member) {
  const auto* const array = std::get_if<LabelledArray>(&member.node.content);
  return array && array->values && !array->values->is_null() ? array : nullptr;
}

bool has_named_axes(const std::vector<Member>& members, bool is_hdf5) {
  size_t looked_at = 0;
  for (const Member& member : members) {
    const LabelledArray* const array = stored_array(member);
    if (!array || array->values->shape().empty()) continue;
    if (looked_at++ == kMostLookedAt) return false;
    const Attributes attributes = readable_attributes(member.node);
    if (has_attribute(attributes, "zarr_dtype")) return false;  // HDMF's, which has its own rules
    if (is_hdf5 ? has_scales(attributes) : axes_of(*array->values, attributes).has_names()) return true;
  }
  return false;
}

// The only element of an array of rank 1 as a scalar.
class ScalarArray : public DerivedArray {
 public:
  explicit ScalarArray(const ArrayPtr& values) : DerivedArray(values, values->dtype(), {}, false) {}
  Shape chunk_shape() const override { return {}; }

 private:
  Box stored_box(const Box&) const override { return range(0, 1); }
};

// Returns whether NetCDF has such a type; structures, complex numbers and lists are no variables.
bool is_variable(const DType& type) {
  return type.is_numeric() || type.kind == Kind::enumeration || type.is_text() ||
         type.kind == Kind::fixed_utf32;
}

// Returns whether netCDF wrote the store, according to the attributes of the group or of a group above it.
bool is_by_netcdf(const Group& group) {
  if (has_attribute(group.attributes(), "_NCProperties")) return true;
  const GroupPtr above = group.parent();
  return above && is_by_netcdf(*above);
}

CfVariable variable_of(const StoredArrayOf& array, bool is_by_netcdf) {
  CfVariable variable;
  variable.name = array.name;
  variable.values = std::get<LabelledArray>(array.node.content).values;
  variable.attributes = data_attributes(*variable.values, array.attributes, is_by_netcdf);
  if (array.axes.is_scalar) variable.values = std::make_shared<ScalarArray>(variable.values);
  for (size_t axis = 0; axis < variable.values->shape().size(); ++axis) {
    const std::string& name = array.axes.names[axis];
    variable.dimensions.push_back(name.empty() ? fmt::format("{}_dim{}", array.name, axis) : name);
  }
  const DType& type = variable.values->dtype();
  variable.is_characters = type.kind == Kind::fixed_text && type.size == 1;
  return variable;
}

// Returns the attributes of the variable that names this one as its bounds, or null.
const Attributes* bounded_by(const std::vector<CfVariable>& variables, const CfVariable& bounds) {
  for (const CfVariable& variable : variables)
    for (const char* name : {"bounds", "climatology"})
      if (cf_text(variable.attributes, name) == bounds.name) return &variable.attributes;
  return nullptr;
}

// Returns the first dimension to which two variables give different lengths; nullopt if all agree.
std::optional<std::string> torn_dimension(const std::vector<CfVariable>& variables) {
  std::map<std::string_view, uint64_t> lengths;
  for (const CfVariable& variable : variables)
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis) {
      const auto [entry, is_new] =
          lengths.try_emplace(variable.dimensions[axis], variable.values->shape()[axis]);
      if (!is_new && entry->second != variable.values->shape()[axis]) return variable.dimensions[axis];
    }
  return std::nullopt;
}

bool has_dimension(const std::vector<CfVariable>& variables, const std::string& name, uint64_t length) {
  return std::any_of(variables.begin(), variables.end(), [&](const CfVariable& variable) {
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis)
      if (variable.dimensions[axis] == name && variable.values->shape()[axis] == length) return true;
    return false;
  });
}

// Adds the coordinates of the groups above for dimensions without one in the group, the nearest first.
void inherit_coordinates(const Group& group, Context& context, std::vector<CfVariable>& variables) {
  const size_t own = variables.size();
  for (GroupPtr above = group.parent(); above; above = above->parent()) {
    const CfDatasetPtr dataset = std::make_shared<const NamedGroup>(above, context)->dataset();
    if (!dataset) continue;
    for (const CfVariable& coordinate : dataset->variables) {
      if (!coordinate.is_coordinate() || coordinate.is_inherited) continue;
      const bool is_taken = std::any_of(variables.begin(), variables.end(),
                                        [&](const CfVariable& each) { return each.name == coordinate.name; });
      const std::vector<CfVariable> of_group(variables.begin(),
                                             variables.begin() + static_cast<ptrdiff_t>(own));
      if (is_taken || !has_dimension(of_group, coordinate.name, coordinate.values->shape()[0])) continue;
      variables.push_back(coordinate);
      variables.back().is_inherited = true;
    }
  }
}

NamedGroup::KnownPtr NamedGroup::look(std::vector<Member> members) const {
  const bool is_hdf5 = is_of_hdf5(stored());
  if (!has_named_axes(members, is_hdf5)) return nullptr;
  std::vector<StoredArrayOf> arrays;
  auto known = std::make_shared<Known>();
  for (Member& member : members) {
    if (!stored_array(member)) {
      known->members.push_back(std::move(member));
      continue;
    }
    StoredArrayOf array{member.name, member.node, readable_attributes(member.node), {}};
    if (!is_hdf5) array.axes = axes_of(array.values(), array.attributes);
    arrays.push_back(std::move(array));
  }
  if (is_hdf5) arrays = with_scales(stored(), std::move(arrays));
  const bool by_netcdf = is_by_netcdf(stored());
  auto dataset = std::make_shared<CfDataset>();
  dataset->place = stored().path();
  dataset->attributes = data_attributes(stored().attributes());
  for (StoredArrayOf& array : arrays) {
    const ArrayPtr values = std::get<LabelledArray>(array.node.content).values;
    if (is_variable(values->dtype()) && !values->column_major())
      dataset->variables.push_back(variable_of(array, by_netcdf));
    array.node.attributes = [values, shown = shown_attributes(*values, array.attributes, by_netcdf)] {
      return shown;
    };
    known->members.push_back({array.name, std::move(array.node)});
  }
  if (const auto torn = torn_dimension(dataset->variables)) {
    context_.notice(fmt::format("{}: no dataset.nc: two arrays have different lengths for the dimension {}",
                                dataset->place, *torn));
  } else {
    inherit_coordinates(stored(), context_, dataset->variables);
    std::sort(dataset->variables.begin(), dataset->variables.end(),
              [](const CfVariable& a, const CfVariable& b) { return a.name < b.name; });
    for (CfVariable& variable : dataset->variables)
      variable.decoded = cf_decoded(variable, bounded_by(dataset->variables, variable));
    known->dataset = std::move(dataset);
  }
  return known;
}

const NamedGroup::KnownPtr& NamedGroup::known() const {
  return known_.get([this] { return look(stored().members()); });
}

std::vector<Member> NamedGroup::members() const {
  std::optional<std::vector<Member>> listed;  // set if this call listed them
  const KnownPtr& known = known_.get([&] {
    listed = stored().members();
    return look(*listed);
  });
  if (known) return known->members;
  return listed ? *std::move(listed) : stored().members();
}

std::optional<Node> NamedGroup::find(std::string_view name) const {
  const KnownPtr& known = this->known();
  if (!known) return stored().find(name);
  for (const Member& member : known->members)
    if (member.name == name) return member.node;
  return std::nullopt;
}

Attributes NamedGroup::attributes() const {
  return known() ? shown_attributes(stored().attributes(), is_of_hdf5(stored())) : stored().attributes();
}

CfDatasetPtr NamedGroup::dataset() const {
  const KnownPtr& known = this->known();
  return known ? known->dataset : nullptr;
}

}  // namespace

std::optional<Node> refine(const Node& node, Context& context) {
  if (!is_plain_group(node)) return std::nullopt;
  const bool is_zarr = hdmf::is_of_zarr(*node.parts);
  if (!is_zarr && !is_of_hdf5(*node.parts) && !netcdf::is_of_netcdf(*node.parts)) return std::nullopt;
  Node refined = is_zarr ? hdmf::refine(node, context).value_or(node) : node;
  refined.parts = std::make_shared<NamedGroup>(refined.parts, context);
  return refined;
}

}  // namespace plainfs::cf
