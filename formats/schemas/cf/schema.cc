#include "formats/schemas/cf/schema.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include "cache/lazy.h"
#include "formats/containers/netcdf/netcdf.h"
#include "formats/core/cf/characters.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/cf/decoded.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/context.h"
#include "formats/schemas/cf/attributes.h"
#include "formats/schemas/cf/netcdf4.h"
#include "formats/schemas/zarr_references/schema.h"

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
    std::vector<Member> members;                          // to show
    std::unordered_map<std::string_view, size_t> places;  // of the members, by name
    CfDatasetPtr dataset;                                 // null if two arrays give a dimension two lengths
  };
  using KnownPtr = std::shared_ptr<const Known>;  // null if the group has no named dimensions
  const KnownPtr& known() const;
  KnownPtr look(std::vector<Member> members) const;

  Context& context_;
  Lazy<KnownPtr> known_;
};

// Number of arrays with attributes that are read to find named dimensions of a group.
constexpr size_t kMaxLookedAt = 32;

// Returns the attributes, none if they are permanently unreadable. Throws transient errors.
Attributes readable_attributes(const Node& node) {
  try {
    return attributes_of(node);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return {};
  }
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
    if (looked_at++ == kMaxLookedAt) return false;
    const Attributes attributes = readable_attributes(member.node);
    if (attributes.has("zarr_dtype")) return false;  // HDMF's, which has its own rules
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

// Returns whether a variable can have such a type; structures, complex numbers and lists are left out.
bool is_variable(const DType& type) {
  return type.is_numeric() || type.kind == Kind::enumeration || type.is_text() ||
         type.kind == Kind::fixed_utf32 || type.kind == Kind::time_point || type.kind == Kind::time_span;
}

// Returns whether netCDF wrote the store, according to the attributes of the group or of a group above it.
bool is_by_netcdf(const Group& group) {
  if (group.attributes().has("_NCProperties")) return true;
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
  variable.groups = array.axes.groups;
  const DType& type = variable.values->dtype();
  variable.is_characters = type.kind == Kind::fixed_text && type.size == 1;
  return variable;
}

// Returns the attributes of the variables that have bounds, by the names of their bounds. The first of
// several variables with the same bounds counts.
std::map<std::string, const Attributes*> bounded(const std::vector<CfVariable>& variables) {
  std::map<std::string, const Attributes*> found;
  for (const CfVariable& variable : variables)
    for (const char* name : {"bounds", "climatology"})
      found.try_emplace(variable.attributes.readable().text(name), &variable.attributes);
  found.erase("");
  return found;
}

// Returns whether two paths of groups may be of one group: they are equal, or one is unknown.
bool may_be_one(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a == b;
}

// Returns why the variables make no dataset: the first dimension to which two of them give different lengths,
// or that two groups define; nullopt if all agree.
std::optional<std::string> torn_dimension(const std::vector<CfVariable>& variables) {
  struct Use {
    uint64_t length;
    std::string_view group;
  };
  std::map<std::string_view, Use> uses;
  for (const CfVariable& variable : variables)
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis) {
      const std::string& name = variable.dimensions[axis];
      const Use use{variable.values->shape()[axis], variable.group_of(axis)};
      const auto [entry, is_new] = uses.try_emplace(name, use);
      if (is_new) continue;
      if (entry->second.length != use.length)
        return fmt::format("two arrays have different lengths for the dimension {}", name);
      if (!may_be_one(entry->second.group, use.group))
        return fmt::format("two arrays have different dimensions called {}, of {} and of {}", name,
                           entry->second.group, use.group);
    }
  return std::nullopt;
}

// Returns whether one of the variables lies along the dimension of a coordinate.
bool has_dimension(std::span<const CfVariable> variables, const CfVariable& coordinate) {
  return std::any_of(variables.begin(), variables.end(), [&](const CfVariable& variable) {
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis)
      if (variable.dimensions[axis] == coordinate.dimensions[0] &&
          variable.values->shape()[axis] == coordinate.values->shape()[0] &&
          may_be_one(variable.group_of(axis), coordinate.group_of(0)))
        return true;
    return false;
  });
}

// Returns whether a variable gives the dimensions that it shares with others the same lengths.
bool has_axes_of(const CfVariable& variable, const std::vector<CfVariable>& others) {
  for (size_t axis = 0; axis < variable.dimensions.size(); ++axis)
    for (const CfVariable& other : others)
      for (size_t place = 0; place < other.dimensions.size(); ++place)
        if (other.dimensions[place] == variable.dimensions[axis] &&
            other.values->shape()[place] != variable.values->shape()[axis])
          return false;
  return true;
}

// Adds the coordinates of the groups above for dimensions without one in the group, the nearest first.
void inherit_coordinates(const Group& group, Context& context, CfDataset& dataset) {
  std::vector<CfVariable>& variables = dataset.variables;
  const size_t own = variables.size();
  for (GroupPtr above = group.parent(); above; above = above->parent()) {
    const CfDatasetPtr outer = std::make_shared<const NamedGroup>(above, context)->dataset();
    if (!outer) continue;
    for (const CfVariable& coordinate : outer->variables) {
      if (!coordinate.is_coordinate() || coordinate.is_inherited) continue;
      if (!has_dimension(std::span(variables).first(own), coordinate)) continue;
      const auto has_name = [&](const CfVariable& each) { return each.name == coordinate.name; };
      const auto same = std::find_if(variables.begin(), variables.end(), has_name);
      const bool is_known =
          std::any_of(dataset.hidden_coordinates.begin(), dataset.hidden_coordinates.end(), has_name) ||
          (same != variables.end() && same->is_coordinate());
      if (is_known) continue;
      const bool fits = same == variables.end() && has_axes_of(coordinate, variables);
      std::vector<CfVariable>& list = fits ? variables : dataset.hidden_coordinates;
      list.push_back(coordinate);
      list.back().is_inherited = true;
    }
  }
}

// Assigns the role data to variables of numbers that no other variable refers to, and coordinate to the rest.
// Copies the roles to the members.
void assign_roles(CfDataset& dataset, std::vector<Member>& members) {
  std::set<std::string> described;
  for (const CfVariable& variable : dataset.variables)
    for (std::string& name : names_referred_to(variable)) described.insert(std::move(name));
  for (CfVariable& variable : dataset.variables) {
    const bool is_data = !variable.dimensions.empty() && variable.values->dtype().is_numeric() &&
                         !variable.is_coordinate() && !described.contains(variable.name);
    variable.role = is_data ? Role::data : Role::coordinate;
  }
  for (Member& member : members)
    if (const CfVariable* const variable = dataset.find(member.name)) member.node.role = variable->role;
}

// Returns the dimensions along which something else than texts lies, and the names of the variables. If the
// last dimension of a variable of characters is another, it is the length of texts (stackable() of
// xarray/conventions.py).
std::set<std::string_view> other_axes(std::span<const CfVariable> variables) {
  std::set<std::string_view> names;
  for (const CfVariable& variable : variables) {
    names.insert(variable.name);
    for (size_t axis = 0; axis < variable.dimensions.size(); ++axis)
      if (!variable.is_characters || axis + 1 < variable.dimensions.size())
        names.insert(variable.dimensions[axis]);
  }
  return names;
}

// Finds the characters that are texts. by_netcdf: the names of variables that libnetcdf wrote, or that are
// stored as it stores them. Others need a mark.
void join_texts(std::vector<CfVariable>& variables, const std::set<std::string>& by_netcdf) {
  const std::set<std::string_view> others = other_axes(variables);
  for (CfVariable& variable : variables) {
    if (!variable.is_characters || variable.is_inherited || !may_be_texts(*variable.values)) continue;
    try {
      variable.is_joined =
          are_marked_as_texts(variable.values->attributes()) ||
          (by_netcdf.count(variable.name) > 0 && others.count(variable.dimensions.back()) == 0);
    } catch (const Error& error) {
      if (is_transient(error)) throw;  // otherwise the attributes are damaged: the characters as stored
    }
  }
}

// Returns the dimensions of a group of NetCDF classic or NCZarr.
std::vector<CfDimension> dimensions_of(const Group& group) {
  std::vector<CfDimension> dimensions;
  for (const netcdf::Dimension& dimension : netcdf::dimensions_of(group))
    dimensions.push_back({dimension.name, dimension.length});
  const Attributes attributes = group.attributes();
  const Json* const nczarr = attributes.readable().find("_nczarr_group");
  const Json* const named = nczarr ? nczarr->find("dimensions") : nullptr;
  if (!named || !named->object()) return dimensions;
  for (const auto& [name, length] : *named->object()) {
    const Json* const size = length.find("size");
    if (const std::optional<uint64_t> count = (size ? *size : length).as_uint64())
      dimensions.push_back({name, *count});
  }
  return dimensions;
}

// Keeps the dimensions along which no variable lies.
void keep_unused(const std::vector<CfVariable>& variables, std::vector<CfDimension>& dimensions) {
  std::set<std::string_view> used;
  for (const CfVariable& variable : variables)
    used.insert(variable.dimensions.begin(), variable.dimensions.end());
  std::erase_if(dimensions, [&](const CfDimension& each) { return used.count(each.name) > 0; });
}

// Returns the arrays of a group with their axes, and its dimensions. Moves the other members to others.
ScaledArrays arrays_of(const Group& group, std::vector<Member> members, std::vector<Member>& others) {
  const bool is_hdf5 = is_of_hdf5(group);
  std::vector<StoredArrayOf> arrays;
  bool has_groups = false;
  for (Member& member : members) {
    if (!stored_array(member)) {
      has_groups = has_groups || member.node.parts;
      others.push_back(std::move(member));
      continue;
    }
    StoredArrayOf array{member.name, member.node, readable_attributes(member.node), {}};
    if (!is_hdf5) array.axes = axes_of(array.values(), array.attributes);
    arrays.push_back(std::move(array));
  }
  if (is_hdf5) return with_scales(group, std::move(arrays), has_groups);
  return {std::move(arrays), dimensions_of(group)};
}

// Completes a dataset that has its own variables: adds the coordinates of the groups above, joins texts,
// sorts and decodes. Returns why there is no dataset, in which case texts are joined alone.
std::optional<std::string> complete(const Group& group, Context& context,
                                    const std::set<std::string>& by_netcdf, CfDataset& dataset) {
  const std::optional<std::string> torn = torn_dimension(dataset.variables);
  if (!torn) inherit_coordinates(group, context, dataset);
  join_texts(dataset.variables, by_netcdf);
  std::sort(dataset.variables.begin(), dataset.variables.end(),
            [](const CfVariable& a, const CfVariable& b) { return a.name < b.name; });
  if (torn) return torn;
  const std::map<std::string, const Attributes*> by_bounds = bounded(dataset.variables);
  for (CfVariable& variable : dataset.variables) {
    const auto found = by_bounds.find(variable.name);
    variable.decoded = cf_decoded(variable, found == by_bounds.end() ? nullptr : found->second);
  }
  return std::nullopt;
}

// Reports attributes that unpack numbers and are text, which no reader applies.
void report_text_packing(const CfDataset& dataset, Context& context) {
  for (const CfVariable& variable : dataset.variables)
    for (const char* name : {"scale_factor", "add_offset"})
      if (variable.values->dtype().is_numeric() && !variable.is_inherited &&
          !variable.attributes.readable().text(name).empty())
        context.notice(
            fmt::format("{}: {}: {} is a text and not applied", dataset.place, variable.name, name));
}

// Returns the line in the log about arrays that a dataset does not include.
std::string text_of_left_out(const CfDataset& dataset, const std::vector<const StoredArrayOf*>& arrays) {
  constexpr size_t kMaxNames = 8;
  std::string text = dataset.place + ": the dataset does not include ";
  for (size_t i = 0; i < std::min(arrays.size(), kMaxNames); ++i)
    text += fmt::format("{}{} ({})", i > 0 ? ", " : "", arrays[i]->name, arrays[i]->values().dtype().name());
  if (arrays.size() > kMaxNames) text += fmt::format(" and {} others", arrays.size() - kMaxNames);
  return text + ": NetCDF classic has no such type";
}

NamedGroup::KnownPtr NamedGroup::look(std::vector<Member> members) const {
  if (!has_named_axes(members, is_of_hdf5(stored()))) return nullptr;
  auto known = std::make_shared<Known>();
  auto [arrays, dimensions] = arrays_of(stored(), std::move(members), known->members);
  const bool by_netcdf = is_by_netcdf(stored());
  auto dataset = std::make_shared<CfDataset>();
  dataset->place = stored().path();
  dataset->attributes = data_attributes(stored().attributes());
  std::set<std::string> as_netcdf;
  std::vector<const StoredArrayOf*> left_out;
  for (const StoredArrayOf& array : arrays) {
    const Array& values = array.values();
    if (is_of_hdf5(stored()) || is_stored_by_netcdf(values, array.attributes)) as_netcdf.insert(array.name);
    if (!is_variable(values.dtype()) || values.column_major()) {
      left_out.push_back(&array);
      continue;
    }
    dataset->variables.push_back(variable_of(array, by_netcdf));
    dataset->variables.back().has_default_fill = as_netcdf.count(array.name) > 0;
  }
  dataset->unused_dimensions = std::move(dimensions);
  keep_unused(dataset->variables, dataset->unused_dimensions);
  const std::optional<std::string> torn = complete(stored(), context_, as_netcdf, *dataset);
  if (!torn && !left_out.empty()) context_.notice(text_of_left_out(*dataset, left_out));
  for (StoredArrayOf& array : arrays) {
    auto& content = std::get<LabelledArray>(array.node.content);
    const ArrayPtr values = content.values;
    const CfVariable* const variable = dataset->find(array.name);
    if (variable && variable->is_joined) content.labels = joined_text(values);
    array.node.attributes = [values, shown = shown_attributes(*values, array.attributes, by_netcdf)] {
      return shown;
    };
    known->members.push_back({array.name, std::move(array.node)});
  }
  report_text_packing(*dataset, context_);
  for (size_t i = 0; i < known->members.size(); ++i) known->places.try_emplace(known->members[i].name, i);
  if (torn) {
    context_.notice(fmt::format("{}: no dataset.nc: {}", dataset->place, *torn));
  } else {
    assign_roles(*dataset, known->members);
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
  const auto found = known->places.find(name);
  return found == known->places.end() ? std::nullopt : std::optional(known->members[found->second].node);
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
  const bool is_zarr = zarr_references::is_of_zarr(*node.parts);
  if (!is_zarr && !is_of_hdf5(*node.parts) && !netcdf::is_of_netcdf(*node.parts)) return std::nullopt;
  Node refined = is_zarr ? zarr_references::refine(node, context).value_or(node) : node;
  refined.parts = std::make_shared<NamedGroup>(refined.parts, context);
  return refined;
}

}  // namespace plainfs::cf
