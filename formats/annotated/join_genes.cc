#include "formats/annotated/join_genes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "formats/annotated/join_columns.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/factor.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/element_text.h"

namespace plainfs::annotated {

namespace {

constexpr const char* kIds = "gene_ids";

// Returns the names of the rows, their numbers if they have none.
Elements gene_names(const Table& table) {
  if (!table.row_names) return read_all(*numbered_texts(table.rows));
  table.row_names->check();
  return read_all(*frames::as_written(table.row_names));
}

ArrayPtr gene_ids_of(const Table& table) {
  const Column* const ids = find_column(table.columns, kIds);
  if (!ids) return nullptr;
  ids->values->check();
  return ids->values->dtype().is_text() ? frames::as_written(ids->values) : nullptr;
}

bool are_texts_alike(const Elements& a, const Elements& b) {
  return a.count == b.count && a.offsets == b.offsets && a.bytes == b.bytes;
}

// Finds the place of each gene in the joined list, store by store.
class GeneList {
 public:
  // without_ids: the label of a store for which genes are matched by name; empty if they are matched by id.
  GeneList(bool is_outer, std::string without_ids)
      : is_outer_(is_outer), without_ids_(std::move(without_ids)) {}

  void add(const std::string& label, Elements keys) {
    const bool is_first = stores_.empty();
    stores_.emplace_back();
    Store& store = stores_.back();
    if (is_first) first_ = std::move(keys);
    store.is_as_first = is_first || are_texts_alike(keys, first_);
    if (store.is_as_first) return;
    if (places_.empty()) add_first();
    store.places = places(label, keys);
  }

  // Returns for each store the row of each joined gene; null if all are its genes in order.
  std::vector<Indices> rows() {
    std::vector<Indices> all;
    const uint64_t as_first = static_cast<uint64_t>(
        std::count_if(stores_.begin(), stores_.end(), [](const Store& store) { return store.is_as_first; }));
    if (as_first == stores_.size()) return std::vector<Indices>(stores_.size());
    if (!first_duplicate_.empty()) refuse(first_duplicate_);
    std::vector<uint64_t> kept(counts_.size(), kNoIndex);  // the number of each gene in the result
    uint64_t count = 0;
    for (uint64_t i = 0; i < kept.size(); ++i) {
      const uint64_t stores = counts_[i] + (i < first_.count ? as_first : 0);
      if (is_outer_ || stores == stores_.size()) kept[i] = count++;
    }
    for (const Store& store : stores_) {
      auto rows = std::make_shared<std::vector<uint64_t>>(count, kNoIndex);
      const uint64_t own = store.is_as_first ? first_.count : store.places.size();
      for (uint64_t row = 0; row < own; ++row) {
        const uint64_t place = kept[store.is_as_first ? row : store.places[row]];
        if (place != kNoIndex) (*rows)[place] = row;
      }
      bool is_whole = own == count;
      for (uint64_t i = 0; is_whole && i < count; ++i) is_whole = (*rows)[i] == i;
      all.push_back(is_whole ? nullptr : std::move(rows));
    }
    return all;
  }

 private:
  struct Store {
    bool is_as_first = false;
    std::vector<uint64_t> places{};  // of each of its genes, among all
  };

  [[noreturn]] void refuse(const std::string& what) const {
    const std::string by =
        without_ids_.empty() ? "id" : fmt::format("name, as {} has no column {}", without_ids_, kIds);
    throw unsupported(
        "{}; genes are joined by {}, so each must be there once unless all stores have the same genes", what,
        by);
  }

  void add_first() {
    for (uint64_t i = 0; i < first_.count; ++i)
      if (!places_.try_emplace(std::string(first_.text(i)), i).second && first_duplicate_.empty())
        first_duplicate_ = fmt::format("the first store has the gene {} twice", first_.text(i));
    counts_.resize(first_.count);
  }

  std::vector<uint64_t> places(const std::string& label, const Elements& keys) {
    std::vector<uint64_t> own;
    own.reserve(keys.count);
    std::vector<bool> seen(counts_.size());
    for (uint64_t i = 0; i < keys.count; ++i) {
      const auto [gene, is_new] = places_.try_emplace(std::string(keys.text(i)), counts_.size());
      if (is_new) counts_.push_back(0);
      seen.resize(counts_.size());
      if (seen[gene->second]) refuse(fmt::format("{} has the gene {} twice", label, keys.text(i)));
      seen[gene->second] = true;
      ++counts_[gene->second];
      own.push_back(gene->second);
    }
    return own;
  }

  const bool is_outer_;
  const std::string without_ids_;
  Elements first_;  // the keys of the first store
  std::string first_duplicate_;
  std::vector<Store> stores_;
  std::unordered_map<std::string, uint64_t> places_;
  std::vector<uint64_t> counts_;  // the stores with each gene, but those that are as the first
};

// The table of the joined genes.
class JoinedVar {
 public:
  JoinedVar(const std::vector<GenesToJoin>& stores, std::vector<Indices> rows, std::string place,
            Context& context)
      : stores_(stores), rows_(std::move(rows)), place_(std::move(place)), context_(context) {
    uint64_t before = 0;
    for (size_t s = 0; s < stores.size(); ++s) {
      starts_.push_back(before);
      before += stores[s].var.rows;
      if (!rows_[s]) count_ = stores[s].var.rows;
      if (rows_[s]) count_ = rows_[s]->size();
    }
  }

  Table table(bool is_outer);
  void report_names() const;
  void report_no_common_genes() const;
  std::vector<Indices> take_rows() { return std::move(rows_); }

 private:
  uint64_t row(size_t store, uint64_t gene) const { return rows_[store] ? (*rows_[store])[gene] : gene; }

  // Returns where the value of each gene is in the joined columns: that of the first of `has` with the gene.
  Indices places(const std::vector<bool>& has) const;
  ArrayPtr chosen(const std::vector<ColumnPart>& parts, const std::string& name) const;
  uint64_t differing(const ArrayPtr& chosen, const std::vector<ColumnPart>& parts) const;

  const std::vector<GenesToJoin>& stores_;
  std::vector<Indices> rows_;
  const std::string place_;
  Context& context_;
  std::vector<uint64_t> starts_;
  uint64_t count_ = 0;
};

Indices JoinedVar::places(const std::vector<bool>& has) const {
  const auto places = std::make_shared<std::vector<uint64_t>>(count_, kNoIndex);
  uint64_t lacking = count_;
  for (size_t s = 0; s < stores_.size() && lacking > 0; ++s) {
    if (!has[s]) continue;
    for (uint64_t gene = 0; gene < count_; ++gene) {
      if ((*places)[gene] != kNoIndex || row(s, gene) == kNoIndex) continue;
      (*places)[gene] = starts_[s] + row(s, gene);
      --lacking;
    }
  }
  return places;
}

// Returns the column of the joined genes, in memory.
ArrayPtr JoinedVar::chosen(const std::vector<ColumnPart>& parts, const std::string& name) const {
  std::vector<bool> has;
  for (const ColumnPart& part : parts) has.push_back(part.values != nullptr);
  const ArrayPtr all = joined_values(parts, fmt::format("{}/{}", place_, name), context_);
  // A gene that only stores without the column have is missing, as the first row of such a store is.
  auto wanted = std::make_shared<std::vector<uint64_t>>(*places(has));
  const Indices any = places(std::vector<bool>(stores_.size(), true));
  for (uint64_t gene = 0; gene < count_; ++gene)
    if ((*wanted)[gene] == kNoIndex) (*wanted)[gene] = (*any)[gene];
  const auto taken = [&](const ArrayPtr& values) -> ArrayPtr {
    return std::make_shared<MemoryArray>(values->dtype(), Shape{count_},
                                         read_all(*subset(values, 0, wanted)));
  };
  if (const FactorParts* const factor = unchecked_factor_parts(*all)) {
    FactorParts own = *factor;
    own.codes = taken(factor->codes);
    return factor_of(std::move(own), context_);
  }
  return taken(all);
}

// Returns the number of genes for which a store has another value than the chosen one.
uint64_t JoinedVar::differing(const ArrayPtr& chosen, const std::vector<ColumnPart>& parts) const {
  const DType& type = chosen->dtype();
  const Elements values = read_all(*chosen);
  std::vector<bool> differs(count_);
  std::string a, b;
  for (size_t s = 0; s < parts.size(); ++s) {
    if (!parts[s].values) continue;
    const Elements own = read_all(*with_type(parts[s].values, type));
    if (!rows_[s] && own == values) continue;
    for (uint64_t gene = 0; gene < count_; ++gene) {
      if (row(s, gene) == kNoIndex) continue;
      a.clear();
      b.clear();
      append_plain(type, values, gene, a);
      append_plain(type, own, row(s, gene), b);
      if (a != b) differs[gene] = true;
    }
  }
  return static_cast<uint64_t>(std::count(differs.begin(), differs.end(), true));
}

Table JoinedVar::table(bool is_outer) {
  std::vector<const Table*> tables;
  std::vector<ColumnPart> names;
  for (const GenesToJoin& store : stores_) {
    tables.push_back(&store.var);
    names.push_back(
        {store.var.row_names ? frames::as_written(store.var.row_names) : numbered_texts(store.var.rows),
         store.var.rows});
  }
  Table generated{count_, chosen(names, "names"), {}, stores_.front().var.index_name};
  std::string left_out, differ;
  for (const std::string& name : joined_names(tables, is_outer)) {
    std::vector<ColumnPart> parts;
    for (const Table* const table : tables)
      parts.push_back({column_values(table->columns, name), table->rows});
    ArrayPtr values;
    try {
      values = chosen(parts, name);
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      context_.notice(fmt::format("{}/{}: left out: {}", place_, name, error.what()));
      continue;
    }
    const bool is_same = differing(values, parts) == 0;
    std::string& reported = is_outer ? differ : left_out;
    if (!is_same) reported.append(reported.empty() ? "" : ", ") += name;
    if (is_same || is_outer) generated.columns.push_back({name, std::move(values)});
  }
  if (!left_out.empty())
    context_.notice(fmt::format("{}: left out, because the stores differ: {}", place_, left_out));
  if (!differ.empty())
    context_.notice(
        fmt::format("{}: the stores differ, the first one's values are shown: {}", place_, differ));
  return generated;
}

// Logs ids with several names, and names with several ids, if genes are matched by id.
void JoinedVar::report_names() const {
  if (std::all_of(rows_.begin(), rows_.end(), [](const Indices& rows) { return rows == nullptr; })) return;
  std::vector<std::string> first(count_);
  uint64_t renamed = 0, shared = 0;
  std::string renamed_one, shared_one;
  std::vector<bool> has(count_);
  for (size_t s = 0; s < stores_.size(); ++s) {
    const Elements names = gene_names(stores_[s].var);
    for (uint64_t gene = 0; gene < count_; ++gene) {
      if (row(s, gene) == kNoIndex) continue;
      const std::string_view name = names.text(row(s, gene));
      if (!has[gene]) first[gene] = name;
      if (has[gene] && first[gene] != name && renamed++ == 0)
        renamed_one = fmt::format("{} and {}", first[gene], name);
      has[gene] = true;
    }
  }
  std::unordered_map<std::string_view, uint64_t> ids;
  for (const std::string& name : first)
    if (++ids[name] == 2 && shared++ == 0) shared_one = name;
  if (renamed > 0)
    context_.notice(fmt::format("{}: {} times a store has another name for an id, such as {}", place_,
                                renamed, renamed_one));
  if (shared > 0)
    context_.notice(
        fmt::format("{}: {} names stand for several ids, such as {}", place_, shared, shared_one));
}

// Logs the stores that share no gene with another, as one with ids for names does.
void JoinedVar::report_no_common_genes() const {
  std::vector<uint32_t> stores_with(count_);
  const auto for_each_own = [this](size_t store, const auto& visit) {
    for (uint64_t gene = 0; gene < count_; ++gene)
      if (row(store, gene) != kNoIndex) visit(gene);
  };
  for (size_t s = 0; s < stores_.size(); ++s) for_each_own(s, [&](uint64_t gene) { ++stores_with[gene]; });
  std::string alone;
  for (size_t s = 0; s < stores_.size() && stores_.size() > 1; ++s) {
    bool is_alone = true;
    for_each_own(s, [&](uint64_t gene) { is_alone = is_alone && stores_with[gene] == 1; });
    if (is_alone) alone.append(alone.empty() ? "" : ", ") += stores_[s].label;
  }
  if (count_ == 0)
    context_.notice(fmt::format("{}: no gene is in all stores, so none is left", place_));
  else if (!alone.empty())
    context_.notice(fmt::format("{}: stores that share no gene with another: {}", place_, alone));
}

}  // namespace

JoinedGenes joined_genes(const std::vector<GenesToJoin>& stores, bool is_outer, const std::string& place,
                         Context& context) {
  std::vector<ArrayPtr> ids;
  std::string without_ids;
  for (const GenesToJoin& store : stores) {
    ids.push_back(gene_ids_of(store.var));
    if (!ids.back() && without_ids.empty()) without_ids = store.label;
  }
  const bool are_ids = without_ids.empty();
  GeneList list(is_outer, std::move(without_ids));
  for (size_t s = 0; s < stores.size(); ++s)
    list.add(stores[s].label, are_ids ? read_all(*ids[s]) : gene_names(stores[s].var));
  JoinedVar var(stores, list.rows(), place, context);
  if (are_ids) var.report_names();
  var.report_no_common_genes();
  JoinedGenes joined{var.table(is_outer), {}};
  joined.rows = var.take_rows();
  return joined;
}

}  // namespace plainfs::annotated
