#include "formats/annotated/mudata_parts.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/assays_of_store.h"
#include "formats/annotated/chosen_parts.h"
#include "formats/annotated/finders.h"
#include "formats/annotated/join_columns.h"
#include "formats/annotated/left_out.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/selection.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/printable.h"
#include "formats/schemas/anndata/schema.h"

namespace plainfs {

namespace {

using namespace annotated;

using Modality = MuDataParts::Modality;

DType map_type() {
  return number_type(Kind::unsigned_integer, 4);
}

// Returns a map of `total` rows, in which those from `first` on are the `count` rows of a matrix.
ArrayPtr run_of_rows(uint64_t total, uint64_t first, uint64_t count) {
  if (count > UINT32_MAX) throw unsupported("{} rows of a modality, more than {}", count, UINT32_MAX);
  return generated(map_type(), {total}, [first, count](const Box& box) {
    Elements rows = zero_elements(map_type(), box.extent[0]);
    for (uint64_t i = 0; i < rows.count; ++i) {
      const uint64_t row = box.origin[0] + i;
      const bool is_its = row >= first && row - first < count;
      rows.mutable_values<uint32_t>()[i] = is_its ? static_cast<uint32_t>(row - first + 1) : 0;
    }
    return rows;
  });
}

// Calls visit(text) for each name.
template <class Visit>
void for_each_name(const Table& table, Visit&& visit) {
  const Elements names = read_all(*table.row_names);
  std::string text;
  for (uint64_t i = 0; i < names.count; ++i) {
    text.clear();
    append_plain(table.row_names->dtype(), names, i, text);
    visit(text);
  }
}

// Matches rows by name: the k-th of a name with the k-th.
ArrayPtr matched_rows(const Table& all, const Table& own) {
  std::unordered_map<std::string, std::vector<uint32_t>> rows;  // of each name, the first last
  uint32_t row = 0;
  if (own.rows >= UINT32_MAX) throw unsupported("{} rows of a modality, more than {}", own.rows, UINT32_MAX);
  for_each_name(own, [&](const std::string& name) { rows[name].push_back(++row); });
  for (auto& [name, of_name] : rows) std::reverse(of_name.begin(), of_name.end());
  Elements map = zero_elements(map_type(), all.rows);
  uint64_t i = 0;
  for_each_name(all, [&](const std::string& name) {
    const auto found = rows.find(name);
    if (found != rows.end() && !found->second.empty()) {
      map.mutable_values<uint32_t>()[i] = found->second.back();
      found->second.pop_back();
    }
    ++i;
  });
  return std::make_shared<MemoryArray>(map_type(), Shape{all.rows}, std::move(map));
}

// Returns a stored map, which has to name rows of the modality.
ArrayPtr checked_map(const ArrayPtr& stored, uint64_t rows, const std::string& place) {
  return mapped(stored, map_type(), [type = stored->dtype(), rows, place](Elements elements, const Box&) {
    const Elements whole = as_type(type, std::move(elements), number_type(Kind::integer, 8));
    Elements map = zero_elements(map_type(), whole.count);
    for (uint64_t i = 0; i < whole.count; ++i) {
      const int64_t row = whole.is_missing(i) ? 0 : whole.values<int64_t>()[i];
      if (row < 0 || static_cast<uint64_t>(row) > std::min<uint64_t>(rows, UINT32_MAX))
        throw damaged("{}: row {}, expected 0 to {}", place, row, rows);
      map.mutable_values<uint32_t>()[i] = static_cast<uint32_t>(row);
    }
    return map;
  });
}

bool has_names(const Table& table) {
  return table.row_names && table.row_names->count() == table.rows;
}

// Returns the table with the names that AnnData gives to rows without any.
Table with_names(Table table) {
  if (!has_names(table)) table.row_names = numbered_texts(table.rows);
  return table;
}

// Returns the names of the genes of all modalities, one after another.
Table all_genes(const std::vector<Modality>& modalities, Context& context) {
  std::vector<ColumnPart> parts;
  Table var;
  for (const Modality& modality : modalities) {
    const Table own = with_names(modality.matrix.var);
    var.rows = checked_add(var.rows, own.rows);
    if (own.rows > 0) parts.push_back({own.row_names, own.rows});
  }
  if (!parts.empty()) var.row_names = joined_values(parts, "var", context);
  return var;
}

// Adds the maps of modalities that share their cells, and have their genes one after another.
void add_maps_of_shared_cells(MuDataParts& parts) {
  const uint64_t cells = parts.common.cells, genes = parts.common.genes;
  uint64_t first = 0;
  for (Modality& modality : parts.modalities) {
    modality.cells = run_of_rows(cells, 0, cells);
    modality.genes = run_of_rows(genes, first, modality.matrix.genes);
    first += modality.matrix.genes;
  }
}

// Completes parts of a store in which each matrix has all cells.
void complete_shared_cells(MuDataParts& parts, Context& context) {
  AnnotatedMatrix& common = parts.common;
  common.cells = common.obs.rows;
  for (Modality& modality : parts.modalities) {
    AnnotatedMatrix& matrix = modality.matrix;
    if (matrix.cells != common.cells)
      throw unsupported("{} has {} of {} cells", printable(modality.name), matrix.cells, common.cells);
    if (!has_names(matrix.obs)) matrix.obs.row_names = common.obs.row_names;
    if (is_reordered(matrix.obs.row_names, common.obs.row_names))
      throw unsupported("the cells of {} are in another order", printable(modality.name));
  }
  common.var = all_genes(parts.modalities, context);
  common.genes = common.var.rows;
  add_maps_of_shared_cells(parts);
}

// Gives the modalities muon's names of these assays, unless two would have one.
void rename_assays(std::vector<Modality>& modalities) {
  static const std::map<std::string, std::string, std::less<>> kNames = {
      {"RNA", "rna"}, {"ADT", "prot"}, {"ATAC", "atac"}, {"Peaks", "atac"}};
  const auto renamed = [](const std::string& name) {
    const auto found = kNames.find(name);
    return found == kNames.end() ? name : found->second;
  };
  std::map<std::string, int> uses;
  for (const Modality& modality : modalities) ++uses[renamed(modality.name)];
  for (Modality& modality : modalities)
    if (uses[renamed(modality.name)] == 1) modality.name = renamed(modality.name);
}

// Returns the rows of a modality in the table of all: as the MuData stores them, else by their names.
ArrayPtr stored_map(const GroupPtr& root, const char* maps, const std::string& name, const Table& all,
                    const Table& own, Context& context) {
  const std::optional<Node> group = member_of(root, maps, context);
  const auto stored = group && group->parts
                          ? content_of<LabelledArray>(member_of(group->parts, name, context))
                          : std::nullopt;
  const std::string place = fmt::format("/{}/{}", maps, name);
  if (stored && stored->values->shape() == Shape{all.rows} && stored->values->dtype().is_integer())
    return checked_map(stored->values, own.rows, place);
  if (stored) throw damaged("{} does not have a row for each of {}", place, all.rows);
  if (all.rows == 0) return run_of_rows(0, 0, 0);
  return matched_rows(with_names(all), with_names(own));
}

MuDataParts of_mudata(const GroupPtr& root, Context& context) {
  MuDataParts parts;
  const GroupPtr mod = find_group(*root, "mod");
  const std::vector<std::string> names = anndata::modalities_of(*mod);
  parts.common = mudata_annotations(root, names, context);
  const auto origins = std::make_shared<Origins>(*parts.common.origins);
  for (const std::string& name : names) {
    const std::optional<Node> node = mod->find(name);
    const std::vector<FoundAnnotatedMatrix> found =
        node ? annotated_matrices(*node, context) : std::vector<FoundAnnotatedMatrix>();
    if (found.size() == 1 && !found.front().refusal) {
      parts.modalities.push_back({name, found.front().make(), nullptr, nullptr});
      continue;
    }
    origins->add_implied(member_path(*mod, name));
    const char* const why =
        found.size() == 1 ? found.front().refusal->what() : "not an AnnData with one matrix";
    context.notice(fmt::format("{}: not in the .h5mu: {}", member_path(*mod, name), why));
  }
  parts.common.origins = origins;
  if (parts.modalities.empty()) throw unsupported("no modality is an AnnData with one matrix");
  parts.axis = static_cast<int64_t>(root->attributes().number("axis").value_or(0));
  const bool has_var = parts.common.var.rows > 0;
  if (!has_var) parts.common.var = all_genes(parts.modalities, context);
  parts.common.genes = parts.common.var.rows;
  if (!has_var) add_maps_of_shared_cells(parts);
  for (Modality& modality : parts.modalities) {
    const auto map = [&](const char* maps, const Table& all, const Table& own) {
      return stored_map(root, maps, modality.name, all, own, context);
    };
    modality.cells = map("obsmap", parts.common.obs, modality.matrix.obs);
    if (has_var) modality.genes = map("varmap", parts.common.var, modality.matrix.var);
  }
  return parts;
}

// Lets the assays of an object have the parts that the options choose. Each option concerns those that have
// such a part.
void choose_parts(MuDataParts& parts, const ReadOptions& options) {
  const auto choose = [&](const ReadOptions& one) {
    std::optional<Error> refusal;
    bool any = false;
    const auto try_in = [&](AnnotatedMatrix& matrix) {
      try {
        matrix = chosen_parts(matrix, one);
        any = true;
      } catch (const Error& error) {
        if (error.code() != Errc::unsupported) throw;
        refusal = error;
      }
    };
    for (Modality& modality : parts.modalities) try_in(modality.matrix);
    if (one.x_layer.empty()) try_in(parts.common);
    if (!any) throw *refusal;
  };
  ReadOptions layer;
  layer.x_layer = options.x_layer;
  if (!layer.x_layer.empty()) choose(layer);
  for (const std::string& part : options.without) {
    ReadOptions without;
    without.without = {part};
    choose(without);
  }
}

MuDataParts of_seurat(const GroupPtr& root, Context& context) {
  MuDataParts parts = seurat_mudata(root, context);
  choose_parts(parts, context.options);
  rename_assays(parts.modalities);
  complete_shared_cells(parts, context);
  return parts;
}

// Each experiment has its own columns of the cells.
MuDataParts of_experiments(const std::string& name, const FoundAnnotatedMatrix& main,
                           const std::vector<AlternativeExperiment>& alternatives, Context& context) {
  MuDataParts parts;
  parts.modalities.push_back({name, main.make(), nullptr, nullptr});
  for (const AlternativeExperiment& one : alternatives)
    parts.modalities.push_back({one.name, one.matrix.make(), nullptr, nullptr});
  const AnnotatedMatrix& first = parts.modalities.front().matrix;
  parts.common.obs = named_rows(first.cells, first.obs.row_names);
  parts.common.origins = std::make_shared<Origins>(first.origins ? first.origins->root() : nullptr);
  rename_assays(parts.modalities);
  complete_shared_cells(parts, context);
  return parts;
}

// Returns the name of a type of features as muon's reader of 10x's files has it.
std::string modality_of_type(const std::string& type, const std::string& main) {
  if (type == kGeneExpression) return main;
  return type == "Antibody Capture" ? "ADT" : type == "Peaks" ? "ATAC" : type;
}

// Divides a matrix by the types of its features. What belongs to its cells is common to all.
MuDataParts of_types(const std::string& name, const FoundAnnotatedMatrix& found, Context& context) {
  AnnotatedMatrix matrix = found.make();
  const auto types = features_by_type(matrix.var);
  if (types.size() < 2)
    throw unsupported("its features are of one type: it is an AnnData, which a .h5ad holds");
  MuDataParts parts;
  for (const auto& [type, features] : types) {
    parts.modalities.push_back(
        {modality_of_type(type, name), selected_genes(matrix, features, context), nullptr, nullptr});
    const auto origins = std::make_shared<Origins>(nullptr);
    for (const char* place : {"/X", "/layers", "/var", "/varm"})
      for (const std::string& stored :
           matrix.origins ? matrix.origins->of(place) : std::vector<std::string>())
        origins->add(place, stored);
    parts.modalities.back().matrix.origins = origins;
  }
  parts.common = std::move(matrix);
  parts.common.x = Content();
  parts.common.layers.clear();
  parts.common.varm.clear();
  parts.common.raw.reset();
  rename_assays(parts.modalities);
  complete_shared_cells(parts, context);
  return parts;
}

// Returns whether a directory is that of a Seurat object with more than one assay.
bool has_several_assays(const GroupPtr& root, Context& context) {
  if (!look_at_member(root, "cell.names", context)) return false;
  const std::optional<Node> assays = look_at_member(root, "assays", context);
  const std::optional<Node> meta = look_at_member(root, "meta.data", context);
  if (!assays || !assays->parts || !meta || !std::holds_alternative<Table>(meta->content)) return false;
  const std::vector<Member> members = assays->parts->members();
  return std::count_if(members.begin(), members.end(),
                       [](const Member& member) { return member.node.parts != nullptr; }) > 1;
}

bool is_mudata(const GroupPtr& root) {
  const std::optional<Node> mod = root->find("mod");
  return mod && mod->parts && root->find("obs") && !anndata::modalities_of(*mod->parts).empty();
}

}  // namespace

std::optional<FoundMuData> find_mudata(const Node& directory, Context& context) {
  const GroupPtr& root = directory.parts;
  if (!root) return std::nullopt;
  std::vector<FoundAnnotatedMatrix> found = annotated_matrices(directory, context);
  if (found.size() == 1 && found.front().name == "anndata") {
    FoundAnnotatedMatrix main = std::move(found.front());
    if (main.refusal) return std::nullopt;
    const std::string name = assay_name(directory);
    std::vector<AlternativeExperiment> alternatives = alternative_experiments(directory, context);
    std::erase_if(alternatives,
                  [](const AlternativeExperiment& one) { return one.matrix.refusal.has_value(); });
    if (!alternatives.empty())
      return FoundMuData{
          [name, main, alternatives, &context] { return of_experiments(name, main, alternatives, context); }};
    if (!main.has_feature_types) return std::nullopt;
    return FoundMuData{[name, main, &context] { return of_types(name, main, context); }, false};
  }
  if (std::holds_alternative<PlainFile>(directory.content)) return std::nullopt;
  if (has_several_assays(root, context))
    return FoundMuData{[root, &context] { return of_seurat(root, context); }};
  if (is_mudata(root)) return FoundMuData{[root, &context] { return of_mudata(root, context); }};
  return std::nullopt;
}

}  // namespace plainfs
