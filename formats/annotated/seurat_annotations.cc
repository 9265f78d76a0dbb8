#include "formats/annotated/seurat_annotations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "cache/lazy.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/arrays/turned_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/transient_fault.h"
#include "formats/registry.h"
#include "formats/schemas/robject/schema.h"

namespace plainfs::annotated {

namespace {

constexpr uint64_t kTakenRow = UINT64_MAX;

ArrayPtr array_in(const GroupPtr& group, std::string_view name, Context& context) {
  const auto array = content_of<LabelledArray>(member_of(group, name, context));
  return array ? labelled_values(*array).values : nullptr;
}

bool is_text(const Array& array) {
  return array.dtype().kind == Kind::text;
}

bool are_same_elements(const Elements& a, const Elements& b) {
  if (a.count != b.count) return false;
  for (uint64_t i = 0; i < a.count; ++i)
    if (a.is_missing(i) != b.is_missing(i) || (!a.is_missing(i) && a.text(i) != b.text(i))) return false;
  return true;
}

// Returns the rows of `own` among `features`; empty if one is not there or occurs twice.
std::vector<uint64_t> rows_among(const Elements& own, const Elements& features) {
  std::unordered_map<std::string_view, uint64_t> rows;
  for (uint64_t i = 0; i < features.count; ++i) rows.emplace(features.text(i), i);
  std::vector<uint64_t> places;
  for (uint64_t i = 0; i < own.count; ++i) {
    const auto found = rows.find(own.text(i));
    if (found == rows.end() || found->second == kTakenRow) return {};
    places.push_back(std::exchange(found->second, kTakenRow));
  }
  return places;
}

// All loadings, padded: `columns` reals for each feature.
struct Padded {
  ArrayPtr loadings;
  std::vector<uint64_t> rows;  // of the loadings, among the features
  uint64_t features;
  uint64_t columns;
  Lazy<std::vector<double>> all;

  const std::vector<double>& values() {
    return all.get([this] {
      const ArrayPtr reals = with_type(in_row_order(loadings), number_type(Kind::real, 8));
      const Elements own = read_all(*reals);
      std::vector<double> generated(features * columns, 0);
      for (size_t i = 0; i < rows.size(); ++i)
        for (uint64_t j = 0; j < columns; ++j) {
          const uint64_t from = i * columns + j;
          generated[rows[i] * columns + j] = own.is_missing(from) ? std::nan("") : own.values<double>()[from];
        }
      return generated;
    });
  }
};

Elements box_of(const std::vector<double>& values, uint64_t columns, const Box& box) {
  Elements part = zero_elements(number_type(Kind::real, 8), box.extent[0] * box.extent[1]);
  const std::span<double> out = part.mutable_values<double>();
  for (uint64_t i = 0, to = 0; i < box.extent[0]; ++i)
    for (uint64_t j = 0; j < box.extent[1]; ++j, ++to)
      out[to] = values[(box.origin[0] + i) * columns + box.origin[1] + j];
  return part;
}

// Returns whether the columns of the variable features mark these rows alone, in this order. Reads both.
bool are_marked(const std::vector<uint64_t>& rows, const Table& var) {
  const ArrayPtr flags = column_values(var.columns, kVariable),
                 ranks = column_values(var.columns, kVariableRank);
  const bool has_flags = flags->dtype().kind == Kind::boolean || flags->dtype().kind == Kind::logical;
  if (!has_flags || !ranks->dtype().is_integer_or_real()) return false;
  const std::vector<double> flag = reals_of(*flags), rank = reals_of(*ranks);
  std::vector<uint64_t> marked;
  for (uint64_t i = 0; i < flag.size(); ++i)
    if (flag[i] == 1) marked.push_back(i);
  if (std::any_of(marked.begin(), marked.end(), [&](uint64_t row) { return std::isnan(rank[row]); }))
    return false;
  std::stable_sort(marked.begin(), marked.end(), [&](uint64_t a, uint64_t b) { return rank[a] < rank[b]; });
  return marked == rows;
}

// Returns the reals of a list; empty for anything else.
std::vector<double> reals_in(const GroupPtr& group, std::string_view name, Context& context) {
  const ArrayPtr values = array_in(group, name, context);
  if (!values || values->shape().size() != 1 || !values->dtype().is_integer_or_real()) return {};
  return reals_of(*values);
}

// Adds a node, and its place in the store, unless the tree has that path.
void add_part(const UnsTree::Path& path, Node node, const std::string& stored, UnsTree& uns, Origins& origins,
              Context& context) {
  if (!uns.add(path, as_uns(std::move(node), context))) return;
  std::string place = "/uns";
  for (const std::string& name : path) place += "/" + name;
  origins.add(place, stored);
}

// Returns whether one of the paths is below this one.
bool has_below(const std::set<UnsTree::Path>& paths, const UnsTree::Path& path) {
  const auto next = paths.upper_bound(path);
  return next != paths.end() && next->size() > path.size() &&
         std::equal(path.begin(), path.end(), next->begin());
}

// Adds the members of a group below a path, except for those that have another place.
void add_members(const UnsTree::Path& path, const GroupPtr& group, UnsTree& uns, Origins& origins,
                 Context& context, const std::set<UnsTree::Path>& placed = {}) {
  for (Member& member : group->members()) {
    UnsTree::Path below = path;
    below.push_back(member.name);
    if (placed.contains(below)) continue;
    if (has_below(placed, below))
      add_members(below, member.node.parts, uns, origins, context, placed);
    else
      add_part(below, std::move(member.node), member_path(*group, member.name), uns, origins, context);
  }
}

// Adds a command: its name, the call, and the parameters.
void add_command(const std::string& name, const Node& node, const std::string& stored, UnsTree& uns,
                 Origins& origins, Context& context) {
  for (const Attribute& attribute : attributes_of(node)) {
    if (attribute.name == "class") continue;
    const Attributes one{attribute};
    std::vector<std::string> texts = one.texts(attribute.name);
    if (texts.size() == 1)
      uns.add({"commands", name, attribute.name}, text_node(texts.front()));
    else if (texts.size() > 1)
      uns.add({"commands", name, attribute.name}, texts_node(texts));
    else if (const auto number = one.number(attribute.name))
      uns.add({"commands", name, attribute.name}, real_node(*number));
  }
  if (node.parts) uns.add({"commands", name, "params"}, as_uns({{}, node.parts}, context));
  const rds::ValuePtr command = node.parts ? robject::value_of(*node.parts) : nullptr;
  const rds::ValuePtr time = command ? command->attribute("time.stamp") : nullptr;  // in seconds since 1970
  if (time && time->type == rds::RType::real && time->length() == 1)
    uns.add({"commands", name, "time.stamp"}, real_node(reals_of(*time->vector).front()));
  origins.add(fmt::format("/uns/commands/{}", name), stored);
}

}  // namespace

bool are_same_factors(const Array& a, const Array& b) {
  if (a.count() != b.count() || !is_text(a) || !is_text(b)) return false;
  const std::optional<FactorParts> ours = factor_parts(a), theirs = factor_parts(b);
  if (ours.has_value() != theirs.has_value()) return false;
  if (ours && !are_same_elements(level_texts(*ours), level_texts(*theirs))) return false;
  return are_same_elements(read_all(a), read_all(b));
}

void add_identities(const ArrayPtr& identities, Table& obs, Origins& origins) {
  if (!identities || identities->shape() != Shape{obs.rows}) return;
  const Column* const original = find_column(obs.columns, kOriginal);
  if (original && are_same_factors(*original->values, *identities))
    return origins.add(std::string("/obs/") + kOriginal, "/active.ident");
  for (const char* name : {kIdentities, kActiveIdentities}) {
    const Column* const known = find_column(obs.columns, name);
    if (known && !are_same_factors(*known->values, *identities)) continue;
    if (!known) obs.columns.push_back({name, identities});
    return origins.add(std::string("/obs/") + name, "/active.ident");
  }
}

void add_variable_features(const ArrayPtr& names, const ArrayPtr& features, const std::string& origin,
                           Table& var, Origins& origins) {
  if (names && names->count() == 0) return origins.add_implied(origin);
  if (!names || !is_text(*names) || !is_text(*features)) return;
  const Elements own = read_all(*names), all = read_all(*features);
  const std::vector<uint64_t> rows = rows_among(own, all);
  if (rows.size() != own.count) return;
  const bool has_flag = find_column(var.columns, kVariable),
             has_rank = find_column(var.columns, kVariableRank);
  Elements flags = zero_elements(number_type(Kind::boolean, 1), all.count);
  std::vector<double> ranks(all.count, std::nan(""));
  for (size_t i = 0; i < rows.size(); ++i) {
    flags.bytes[rows[i]] = std::byte{1};
    ranks[rows[i]] = static_cast<double>(i);
  }
  if (!has_flag)
    var.columns.push_back({kVariable, std::make_shared<MemoryArray>(number_type(Kind::boolean, 1),
                                                                    Shape{all.count}, std::move(flags))});
  if (!has_rank) var.columns.push_back({kVariableRank, number_array(ranks)});
  const bool is_kept = !has_flag || !has_rank || are_marked(rows, var);
  if (is_kept) origins.add(std::string("/var/") + (has_rank ? kVariable : kVariableRank), origin);
}

ArrayPtr padded_loadings(const ArrayPtr& loadings, const ArrayPtr& own, const ArrayPtr& features) {
  if (!own || !is_text(*own) || !is_text(*features) || !loadings->dtype().is_integer_or_real())
    return nullptr;
  const auto padded = std::make_shared<Padded>();
  padded->loadings = loadings;
  padded->features = features->count();
  const Extent extent = *extent_of(LabelledArray{loadings, nullptr, nullptr});
  padded->columns = extent.columns;
  padded->rows = rows_among(read_all(*own), read_all(*features));
  if (padded->rows.size() != extent.rows) return nullptr;
  return generated(number_type(Kind::real, 8), {padded->features, padded->columns},
                   [padded](const Box& box) { return box_of(padded->values(), padded->columns, box); });
}

ArrayPtr variable_features(const Table& meta) {
  const ArrayPtr stored = column_values(meta.columns, "var.features"),
                 ranks = column_values(meta.columns, "var.features.rank");
  if (!stored || !stored->dtype().is_text()) return nullptr;
  const Elements names = read_all(*stored);
  std::vector<uint64_t> order;
  for (uint64_t i = 0; i < names.count; ++i)
    if (!names.is_missing(i)) order.push_back(i);
  if (ranks && ranks->dtype().is_integer_or_real()) {
    const Elements rank = as_type(ranks->dtype(), read_all(*ranks), number_type(Kind::real, 8));
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      return rank.values<double>()[a] < rank.values<double>()[b];
    });
  }
  if (order.empty()) return nullptr;
  return std::make_shared<MemoryArray>(text_type(), Shape{order.size()}, gather(text_type(), names, order));
}

std::string loadings_name(const std::string& reduction) {
  return reduction == "pca" ? "PCs" : reduction;
}

// Readers of AnnData look for the variance, and Seurat for its square root. A share of the variance is known
// only with the total.
void add_reduction_uns(const std::string& name, const GroupPtr& reduction, UnsTree& uns, Origins& origins,
                       Context& context) {
  const std::string path = reduction->path();
  const std::vector<double> stdev = reals_in(reduction, "stdev", context);
  if (!stdev.empty()) {
    std::vector<double> variance;
    for (const double deviation : stdev) variance.push_back(deviation * deviation);
    add_part({name, "stdev"}, reals_node(stdev), path + "/stdev", uns, origins, context);
    uns.add({name, "variance"}, reals_node(variance));
    const GroupPtr misc = find_group(*reduction, "misc");
    const std::vector<double> total =
        misc ? reals_in(misc, "total.variance", context) : std::vector<double>();
    if (name == "pca" && total.size() == 1 && total[0] > 0) {
      for (double& one : variance) one /= total[0];
      uns.add({name, "variance_ratio"}, reals_node(variance));
    }
  }
  if (const GroupPtr misc = find_group(*reduction, "misc")) add_members({name}, misc, uns, origins, context);
  if (const GroupPtr straw = find_group(*reduction, "jackstraw"))
    add_members({name, "jackstraw"}, straw, uns, origins, context);
}

void add_lists(const GroupPtr& root, const GroupPtr& assay, const std::set<UnsTree::Path>& placed,
               UnsTree& uns, Origins& origins, Context& context) {
  const GroupPtr misc = root ? find_group(*root, "misc") : nullptr;
  if (misc) add_members({}, misc, uns, origins, context, placed);
  const GroupPtr own = assay ? find_group(*assay, "misc") : nullptr;
  if (own) add_members({}, own, uns, origins, context);
  if (!root) return;
  if (const GroupPtr tools = find_group(*root, "tools"); tools && !uns.has({"tools"}))
    add_members({"tools"}, tools, uns, origins, context);
  if (const GroupPtr commands = find_group(*root, "commands"); commands && !uns.has({"commands"}))
    for (Member& member : commands->members())
      add_command(member.name, refine(std::move(member.node), context), member_path(*commands, member.name),
                  uns, origins, context);
  if (const GroupPtr neighbors = find_group(*root, "neighbors"))
    for (Member& member : neighbors->members())
      add_part({"neighbors_" + member.name}, std::move(member.node), member_path(*neighbors, member.name),
               uns, origins, context);
}

std::string key_of_neighbors(const GroupPtr& root, Context& context) {
  constexpr const char kKey[] = "connectivities";
  const GroupPtr misc = find_group(*root, "misc");
  const std::vector<std::string> path{"neighbors", "connectivities_key"};
  std::optional<Node> node = misc ? find_path(*misc, path) : std::nullopt;
  if (node) node = refine(*std::move(node), context);
  const auto array = content_of<LabelledArray>(node);
  if (!array || array->values->count() != 1 || !is_text(*array->values)) return kKey;
  return std::string(read_all(*array->values).text(0));
}

void add_neighbors(const GroupPtr& root, const std::string& assay, UnsTree& uns, Context& context) {
  uns.add({"neighbors", "connectivities_key"}, text_node("connectivities"));
  uns.add({"neighbors", "distances_key"}, text_node("distances"));
  uns.add({"neighbors", "params", "method"}, text_node("snn"));
  const GroupPtr commands = find_group(*root, "commands");
  if (!commands) return;
  for (const Member& member : commands->members()) {
    if (!member.name.starts_with("FindNeighbors." + assay) || !member.node.parts) continue;
    const std::vector<double> k = reals_in(member.node.parts, "k.param", context);
    if (k.size() != 1 || std::floor(k[0]) != k[0]) continue;
    uns.add({"neighbors", "params", "n_neighbors"}, whole_node(static_cast<int64_t>(k[0])));
    return;
  }
}

}  // namespace plainfs::annotated
