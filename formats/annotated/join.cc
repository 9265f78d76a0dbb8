#include "formats/annotated/join.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "formats/annotated/join_columns.h"
#include "formats/annotated/join_genes.h"
#include "formats/annotated/join_matrices.h"
#include "formats/annotated/parts.h"
#include "formats/annotated/uns_tree.h"
#include "formats/core/base/checked.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/generated_array.h"

namespace plainfs {

namespace {

using namespace annotated;

class Join {
 public:
  Join(std::vector<MatrixToJoin> matrices, const JoinRule& rule, Context& context)
      : stores_(std::move(matrices)), rule_(rule), context_(context) {}

  AnnotatedMatrix make();

 private:
  using PartsOf = std::vector<AnnotatedPart> AnnotatedMatrix::*;
  using ContentOf = std::function<const Content*(const AnnotatedMatrix&)>;

  void add_obs();
  ArrayPtr cell_names() const;
  ArrayPtr labels() const;
  JoinedGenes genes(const std::function<const Table&(const AnnotatedMatrix&)>& var, const char* place) const;
  std::vector<MatrixPart> parts(const ContentOf& content, const std::vector<Indices>& columns) const;
  void add_x(const JoinedGenes& joined);
  void add_raw();
  void add_layers(const JoinedGenes& joined);
  void add_obsm();
  Content joined_embedding(const std::string& name) const;
  void add_obsp();
  void add_uns();
  // Returns the names of these parts that all stores have or, if is_outer is set, that any has. Logs the
  // others.
  std::vector<std::string> names(PartsOf of, const char* place, bool is_outer) const;
  static const Content* content_in(const std::vector<AnnotatedPart>& parts, const std::string& name);

  const std::vector<MatrixToJoin> stores_;
  const JoinRule rule_;
  Context& context_;
  AnnotatedMatrix generated_;
};

const Content* Join::content_in(const std::vector<AnnotatedPart>& parts, const std::string& name) {
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const AnnotatedPart& part) {
    return part.name == name && !std::holds_alternative<std::monostate>(part.content);
  });
  return found == parts.end() ? nullptr : &found->content;
}

std::vector<std::string> Join::names(PartsOf of, const char* place, bool is_outer) const {
  std::vector<std::string> all;
  std::string left_out;
  for (const MatrixToJoin& store : stores_)
    for (const AnnotatedPart& part : store.matrix.*of)
      if (std::find(all.begin(), all.end(), part.name) == all.end()) all.push_back(part.name);
  std::erase_if(all, [&](const std::string& name) {
    const auto has = [&](const MatrixToJoin& store) { return content_in(store.matrix.*of, name) != nullptr; };
    const bool is_kept = is_outer ? std::any_of(stores_.begin(), stores_.end(), has)
                                  : std::all_of(stores_.begin(), stores_.end(), has);
    if (!is_kept) left_out.append(left_out.empty() ? "" : ", ") += name;
    return !is_kept;
  });
  if (!left_out.empty())
    context_.notice(fmt::format("{}: left out, because not all stores have it: {}", place, left_out));
  return all;
}

ArrayPtr Join::cell_names() const {
  std::vector<ArrayPtr> names;
  for (const MatrixToJoin& store : stores_) {
    const ArrayPtr own = store.matrix.obs.row_names ? frames::as_written(store.matrix.obs.row_names)
                                                    : numbered_texts(store.matrix.cells);
    names.push_back(mapped(own, text_type(), [end = "-" + store.label](Elements stored, const Box&) {
      TextBuilder generated(stored.count);
      for (uint64_t i = 0; i < stored.count; ++i) generated.add(std::string(stored.text(i)) + end);
      return generated.finish();
    }));
  }
  return combined(std::move(names), 0);
}

// Returns a factor with the store of each cell.
ArrayPtr Join::labels() const {
  const DType type = number_type(Kind::integer, 4);
  std::vector<ArrayPtr> codes;
  std::vector<std::string> levels;
  for (const MatrixToJoin& store : stores_) {
    Elements code = zero_elements(type, 1);
    code.mutable_values<int32_t>()[0] = static_cast<int32_t>(levels.size());
    codes.push_back(constant(type, {store.matrix.cells}, std::move(code)));
    levels.push_back(store.label);
  }
  return factor(combined(std::move(codes), 0), text_array(levels), 0, "/obs/" + rule_.column, context_);
}

void Join::add_obs() {
  std::vector<const Table*> tables;
  for (const MatrixToJoin& store : stores_) {
    tables.push_back(&store.matrix.obs);
    generated_.cells = checked_add(generated_.cells, store.matrix.cells);
  }
  generated_.obs = {generated_.cells, cell_names(), joined_columns(tables, rule_.is_outer, "obs", context_),
                    tables.front()->index_name};
  if (!rule_.is_outer) {
    std::string left_out;
    for (const std::string& name : joined_names(tables, true))
      if (!find_column(generated_.obs.columns, name)) left_out.append(left_out.empty() ? "" : ", ") += name;
    if (!left_out.empty())
      context_.notice(fmt::format("obs: left out, because not all stores have it: {}", left_out));
  }
  if (rule_.column.empty()) return;
  const auto is_it = [&](const Column& column) { return column.name == rule_.column; };
  if (std::erase_if(generated_.obs.columns, is_it) > 0)
    context_.notice(fmt::format("obs/{}: the stores' own column is replaced by --label", rule_.column));
  generated_.obs.columns.push_back({rule_.column, labels()});
}

JoinedGenes Join::genes(const std::function<const Table&(const AnnotatedMatrix&)>& var,
                        const char* place) const {
  std::vector<GenesToJoin> all;
  for (const MatrixToJoin& store : stores_) all.push_back({store.label, var(store.matrix)});
  return joined_genes(all, rule_.is_outer, place, context_);
}

std::vector<MatrixPart> Join::parts(const ContentOf& content, const std::vector<Indices>& columns) const {
  std::vector<MatrixPart> all;
  for (size_t s = 0; s < stores_.size(); ++s)
    all.push_back({stores_[s].label, stores_[s].matrix.cells, content(stores_[s].matrix), columns[s]});
  return all;
}

void Join::add_x(const JoinedGenes& joined) {
  const auto has_x = [](const MatrixToJoin& store) {
    return !std::holds_alternative<std::monostate>(store.matrix.x);
  };
  if (std::none_of(stores_.begin(), stores_.end(), has_x)) return;
  for (const MatrixToJoin& store : stores_)
    if (!has_x(store)) throw unsupported("{} has no X, which other stores have", store.label);
  generated_.x = joined_matrices(parts([](const AnnotatedMatrix& matrix) { return &matrix.x; }, joined.rows),
                                 generated_.genes, "X", context_);
}

void Join::add_raw() {
  const auto has_raw = [](const MatrixToJoin& store) {
    return store.matrix.raw && !std::holds_alternative<std::monostate>(store.matrix.raw->x);
  };
  if (std::none_of(stores_.begin(), stores_.end(), has_raw)) return;
  if (!std::all_of(stores_.begin(), stores_.end(), has_raw))
    return context_.notice("raw: left out, because not all stores have it");
  JoinedGenes joined =
      genes([](const AnnotatedMatrix& matrix) -> const Table& { return matrix.raw->var; }, "raw/var");
  AnnotatedMatrix::Raw raw;
  raw.x = joined_matrices(parts([](const AnnotatedMatrix& matrix) { return &matrix.raw->x; }, joined.rows),
                          joined.var.rows, "raw/X", context_);
  raw.var = std::move(joined.var);
  generated_.raw = std::move(raw);
}

void Join::add_layers(const JoinedGenes& joined) {
  for (const std::string& name : names(&AnnotatedMatrix::layers, "layers", rule_.is_outer)) {
    const auto content = [&](const AnnotatedMatrix& matrix) { return content_in(matrix.layers, name); };
    generated_.layers.push_back(
        {name, joined_matrices(parts(content, joined.rows), generated_.genes, "layers/" + name, context_)});
  }
}

// Returns the columns of each store's matrix of a joined one that is as wide as the widest or narrowest.
std::vector<Indices> columns_to(uint64_t width, const std::vector<std::optional<uint64_t>>& widths) {
  std::vector<Indices> all;
  for (const std::optional<uint64_t>& own : widths) {
    all.push_back(nullptr);
    if (!own || *own == width) continue;
    auto columns = std::make_shared<std::vector<uint64_t>>(width, kNoIndex);
    for (uint64_t i = 0; i < std::min(width, *own); ++i) (*columns)[i] = i;
    all.back() = std::move(columns);
  }
  return all;
}

Content Join::joined_embedding(const std::string& name) const {
  const auto content = [&](const AnnotatedMatrix& matrix) { return content_in(matrix.obsm, name); };
  std::vector<const Table*> tables;
  std::vector<std::optional<uint64_t>> widths;
  std::optional<uint64_t> width;
  const Table none;
  for (const MatrixToJoin& store : stores_) {
    const Content* const own = content(store.matrix);
    if (const auto* table = own ? std::get_if<Table>(own) : nullptr) tables.push_back(table);
    const std::optional<Extent> extent = own ? extent_of(*own) : std::nullopt;
    widths.push_back(extent ? std::optional(extent->columns) : std::nullopt);
    if (extent && !width) width = extent->columns;
    if (extent)
      width = rule_.is_outer ? std::max(*width, extent->columns) : std::min(*width, extent->columns);
  }
  if (tables.empty() && width)
    return joined_matrices(parts(content, columns_to(*width, widths)), *width, "obsm/" + name, context_);
  if (tables.size() == stores_.size())
    return Table{generated_.cells, generated_.obs.row_names,
                 joined_columns(tables, rule_.is_outer, "obsm/" + name, context_)};
  return unsupported("obsm/{}: a table or an array of more than two dimensions, which not all stores have",
                     name);
}

void Join::add_obsm() {
  for (const std::string& name : names(&AnnotatedMatrix::obsm, "obsm", rule_.is_outer)) {
    Content content = joined_embedding(name);
    if (const auto* error = std::get_if<Error>(&content))
      context_.notice(fmt::format("obsm/{}: left out: {}", name, error->what()));
    else
      generated_.obsm.push_back({name, std::move(content)});
  }
}

void Join::add_obsp() {
  for (const std::string& name : names(&AnnotatedMatrix::obsp, "obsp", rule_.is_outer)) {
    const auto content = [&](const AnnotatedMatrix& matrix) { return content_in(matrix.obsp, name); };
    const auto is_graph = [&](const MatrixToJoin& store) {
      const Content* const own = content(store.matrix);
      return !own || std::holds_alternative<SparseMatrix>(*own);
    };
    if (!std::all_of(stores_.begin(), stores_.end(), is_graph)) {
      context_.notice(fmt::format("obsp/{}: left out, because it is dense in a store", name));
      continue;
    }
    generated_.obsp.push_back({name, joined_graphs(parts(content, std::vector<Indices>(stores_.size())),
                                                   "obsp/" + name, context_)});
  }
}

void Join::add_uns() {
  UnsTree tree;
  for (const MatrixToJoin& store : stores_) {
    bool has_spatial = false;
    for (const Member& member : store.matrix.uns) {
      tree.add({store.label, member.name}, member.node);
      has_spatial |= member.name == "spatial";
    }
    if (store.matrix.pictures && !has_spatial)
      context_.notice(fmt::format("pictures of the tissue: left out; they belong to {} alone", store.label));
  }
  generated_.uns = tree.members();
}

AnnotatedMatrix Join::make() {
  const JoinedGenes joined =
      genes([](const AnnotatedMatrix& matrix) -> const Table& { return matrix.var; }, "var");
  generated_.genes = joined.var.rows;
  generated_.var = joined.var;
  add_obs();
  add_x(joined);
  add_layers(joined);
  add_obsm();
  add_obsp();
  add_raw();
  add_uns();
  for (const MatrixToJoin& store : stores_) generated_.marks_missing |= store.matrix.marks_missing;
  for (const auto& [of, place] :
       {std::pair(&AnnotatedMatrix::varm, "varm"), {&AnnotatedMatrix::varp, "varp"}})
    if (std::any_of(stores_.begin(), stores_.end(),
                    [part = of](const MatrixToJoin& store) { return !(store.matrix.*part).empty(); }))
      context_.notice(fmt::format("{}: left out, because the stores' genes are not the same lists", place));
  return std::move(generated_);
}

}  // namespace

AnnotatedMatrix joined_matrix(std::vector<MatrixToJoin> matrices, const JoinRule& rule, Context& context) {
  return Join(std::move(matrices), rule, context).make();
}

}  // namespace plainfs
