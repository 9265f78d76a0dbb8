#include "fs/report/headline.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "formats/annotated/assays_of_store.h"
#include "formats/annotated/main_part.h"
#include "formats/core/base/location.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/printable.h"
#include "formats/open_store.h"
#include "formats/registry.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/columns.h"
#include "fs/report/facts.h"
#include "fs/report/one_value.h"
#include "fs/report/words.h"

namespace plainfs {
namespace {

constexpr size_t kMaxTextBytes = 80;   // bytes of a text of the store
constexpr size_t kMaxLevelBytes = 24;  // bytes of the name of a level
constexpr size_t kMaxLevels = 4;       // that are named
constexpr size_t kMaxAssays = 6;       // assays or modalities that are named
constexpr size_t kMaxNodes = 400;      // that are counted by kind
constexpr size_t kMaxDepth = 8;
constexpr char kTimesSign[] = " \u00d7 ";

const Json* stated_detail(const Store& store, std::string_view name) {
  for (const auto& [key, value] : store.details)
    if (key == name) return &value;
  return nullptr;
}

std::string text_of_detail(const Json* object, std::string_view name) {
  const Json* const found = object ? object->find(name) : nullptr;
  return found && found->text() ? *found->text() : std::string();
}

// Returns "4.1" for "4.1.3".
std::string major_minor(const std::string& version) {
  const size_t dot = version.find('.');
  return version.substr(0, dot == version.npos ? dot : version.find('.', dot + 1));
}

std::string with_version(std::string name, const std::string& version) {
  if (!version.empty()) name += " " + version;
  return name;
}

std::string kind_of_r_object(const Store& store) {
  const Json* const classes = stated_detail(store, "class");
  const Json* const first = first_in(classes);
  if (!first || !first->text()) return "R object";
  const std::string& name = *first->text();
  if (name == "Seurat" || name == "seurat") {
    std::string version;
    try {
      version = attributes_of(store.root).text("version").value_or("");
    } catch (const Error&) {
      // the object remains one
    }
    return with_version("Seurat", major_minor(version)) + " object";
  }
  const bool is_capital = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  return is_capital ? name + " object" : "R " + name;
}

// Returns the format with its version. The version of HDF5's superblock does not describe the store.
std::string format_text(const Store& store) {
  // Its version is that of the container.
  const bool is_of_container = store.format == "AnnData" || store.format == "MuData";
  if (is_of_container || store.version.starts_with("superblock") || store.version.starts_with("layout") ||
      store.format.ends_with("v" + store.version))
    return store.format;
  return with_version(store.format, store.version);
}

// Returns " in Zarr v3" for a format that is usually in HDF5.
std::string container_text(const Store& store) {
  const Json* const container = stated_detail(store, "container");
  if (!container || !container->text() || !container->text()->starts_with("Zarr")) return {};
  return store.format == "OME-Zarr" ? std::string() : " in " + *container->text();
}

CfDatasetPtr dataset_of(const Store& store) {
  try {
    return cf_dataset(store.root);
  } catch (const Error&) {
    return nullptr;
  }
}

// Returns the value of a text of the store; "" if it is absent or cannot be read.
std::string text_at_path(const Node& root, const std::vector<std::string>& path, Context& context) {
  try {
    if (!root.parts) return {};
    std::optional<Node> node = find_path(*root.parts, path);
    if (!node) return {};
    const std::optional<std::string> value = one_value(refine(*std::move(node), context).content, SIZE_MAX);
    return value ? shortened(*value, kMaxTextBytes) : std::string();
  } catch (const Error&) {
    return {};
  }
}

// Returns "table 60 rows × 7 columns", "3,028 fragments, 41 cells".
std::string described_text(const Described& described) {
  const bool has_kind = described.what.find(described.kind) != described.what.npos;
  return has_kind ? described.what : described.kind + " " + described.what;
}

// Counts the parts of a store by their kinds.
class KindCount {
 public:
  explicit KindCount(Context& context) : context_(context) {}

  void add(const Node& node, size_t depth = 0) {
    if (++nodes_ > kMaxNodes) return;
    const Described described = describe(node);
    if (depth > 0 && !described.kind.empty()) {
      ++kinds_[described.kind];
      last_ = described;
      return;
    }
    if (!node.parts || depth >= kMaxDepth) return;
    try {
      for (Member& member : node.parts->members()) {
        if (nodes_ > kMaxNodes) return;
        add(refine(std::move(member.node), context_), depth + 1);
      }
    } catch (const Error&) {
      // the line about the group names the error
    }
  }

  uint64_t operator[](const std::string& kind) const {
    const auto found = kinds_.find(kind);
    return found == kinds_.end() ? 0 : found->second;
  }

  // Returns "12 arrays, 2 tables", or the dimensions of the only part; empty if there are too many to count.
  std::string text() const {
    if (nodes_ > kMaxNodes) return {};
    if (kinds_.size() == 1 && kinds_.begin()->second == 1) return described_text(last_);
    std::string text;
    for (const auto& [kind, count] : kinds_) {
      if (kind == kind_of(Errc::damaged) || kind == kind_of(Errc::unsupported) ||
          kind == kind_of(Errc::unreadable))
        continue;
      text += (text.empty() ? "" : ", ") + count_text(count, kind);
    }
    return text;
  }

  bool is_complete() const { return nodes_ <= kMaxNodes; }

 private:
  Context& context_;
  std::map<std::string, uint64_t> kinds_;
  Described last_;  // of the parts
  size_t nodes_ = 0;
};

// Returns "3 levels in obs/stage: low, mid, high" for a factor; "" for a column with fewer than two levels.
std::string levels_text(const ColumnSummary& column, const char* what, const std::string& place) {
  if (!column.level_count || *column.level_count < 2) return {};
  std::string text = fmt::format("{} {} in {}", count_text(*column.level_count), what, printable(place));
  const size_t shown = std::min(column.first_levels.size(), kMaxLevels);
  for (size_t i = 0; i < shown; ++i)
    text += (i == 0 ? ": " : ", ") + printable(shortened(column.first_levels[i], kMaxLevelBytes));
  if (shown > 0 && shown < *column.level_count) text += ", …";
  return text;
}

// Returns the identities of a Seurat object, or the column of the table of cells that names them best.
std::string cell_types_of(const Store& store, Context& context) try {
  if (!store.root.parts) return {};
  const GroupPtr& parts = store.root.parts;
  if (const std::optional<Node> node = parts->find("active.ident")) {
    const Node identities = refine(*node, context);
    if (const auto* array = std::get_if<LabelledArray>(&identities.content))
      for (const ColumnSummary& column : column_summaries(Table{0, nullptr, {{"", array->values}}}))
        return levels_text(column, "identities", "active.ident");
  }
  for (const char* const name : {"obs", "meta.data", "col_attrs", "column_data"}) {
    const std::optional<Node> found = parts->find(name);
    const Node node = found ? refine(*found, context) : Node();
    const auto* const table = std::get_if<Table>(&node.content);
    if (!table) continue;
    const Column* best = nullptr;
    for (const Column& column : table->columns)
      if (!best || cluster_rank(column.name) < cluster_rank(best->name)) best = &column;
    if (!best || cluster_rank(best->name) == cluster_rank("")) return {};
    for (const ColumnSummary& column : column_summaries(Table{table->rows, nullptr, {*best}}))
      return levels_text(column, "levels", std::string(name) + "/" + best->name);
  }
  return {};
} catch (const Error&) {
  return {};
}

// Returns "assays RNA, ADT" for a store with several matrices. main: the path of the main one (main_part.h).
std::string assays_of(const Store& store, const std::vector<std::string>& main, Context& context) try {
  std::vector<std::string> names;
  const bool has_main = main.size() == 2;
  if (has_main) {
    if (const GroupPtr group = find_group(*store.root.parts, main[0]))
      for (const Member& member : group->members()) names.push_back(printable(member.name));
    if (names.size() < 2) return {};
  } else {
    for (const annotated::AlternativeExperiment& one :
         annotated::alternative_experiments(store.root, context))
      names.push_back(printable(one.name));
    if (names.empty()) return {};
  }
  const size_t shown = std::min(names.size(), kMaxAssays);
  return fmt::format("{} {}{}",
                     !has_main          ? "alternative experiments"
                     : main[0] == "mod" ? "modalities"
                                        : "assays",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < names.size() ? ", …" : "");
} catch (const Error&) {
  return {};
}

std::string annotated_text(const Store& store, Context& context) try {
  const std::optional<FoundAnnotatedMatrix> found = main_matrix(store.root, context);
  if (!found) return {};
  std::optional<uint64_t> cells = found->cells, genes = found->genes;
  if ((!cells || !genes) && !found->refusal && !is_remote(store)) {
    const AnnotatedMatrix matrix = found->make();
    cells = matrix.cells;
    genes = matrix.genes;
  }
  const std::vector<std::string> part = main_part(store.root);
  std::vector<std::string> texts;
  if (cells && genes) {
    texts.push_back(count_text(*cells, "cell") + kTimesSign + count_text(*genes, "gene"));
  }
  const std::string assays = assays_of(store, part, context);
  if (!assays.empty() && !texts.empty() && !part.empty()) texts.back() += " in " + printable(part.back());
  if (!assays.empty()) texts.push_back(assays);
  if (std::string types = cell_types_of(store, context); !types.empty()) texts.push_back(std::move(types));
  return fmt::format("{}", fmt::join(texts, ", "));
} catch (const Error&) {
  return {};
}

// Returns "a test session; from 2020-01-01T10:00:00; subject M1 (Mus musculus, M, P90D); 2 time series".
std::string recording_text(const Store& store, Context& context) {
  std::vector<std::string> texts;
  const auto value = [&](const std::vector<std::string>& path) {
    return text_at_path(store.root, path, context);
  };
  if (std::string text = value({"session_description"}); !text.empty()) texts.push_back(text);
  if (std::string text = value({"session_start_time"}); !text.empty()) texts.push_back("from " + text);
  std::vector<std::string> about;
  for (const char* const name : {"species", "sex", "age"})
    if (std::string text = value({"general", "subject", name}); !text.empty()) about.push_back(text);
  const std::string subject = value({"general", "subject", "subject_id"});
  if (!subject.empty() || !about.empty())
    texts.push_back(fmt::format("subject{}{}", subject.empty() ? "" : " " + subject,
                                about.empty() ? "" : fmt::format(" ({})", fmt::join(about, ", "))));
  KindCount kinds(context);
  kinds.add(store.root);
  if (const uint64_t series = kinds["time series"]; kinds.is_complete() && series > 0)
    texts.push_back(count_text(series, "time series"));
  for (const auto& [path, what] : {std::pair{std::vector<std::string>{"units"}, "unit"},
                                   {std::vector<std::string>{"intervals", "trials"}, "trial"}}) {
    try {
      const std::optional<Node> node = store.root.parts ? find_path(*store.root.parts, path) : std::nullopt;
      const Node found = node ? refine(*node, context) : Node();
      if (const auto* const table = std::get_if<Table>(&found.content))
        texts.push_back(count_text(table->rows, what));
    } catch (const Error&) {
      // the line about the table names the error
    }
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string image_text(const Image& image) {
  const ContentFacts facts = facts_of(image);
  std::string text;
  for (const ContentFacts::Extent& extent : facts.extents)
    text += fmt::format("{}{} {}", text.empty() ? "" : kTimesSign, extent.name, count_text(extent.length));
  for (const ContentFacts::Detail& fact : facts.details)
    if (fact.name == "channels") text += ", channels " + shortened(fact.value, kMaxTextBytes);
  return printable(text);
}

// Returns "images tissue, cells; tables table": what the format states.
std::string stated_text(const Store& store) {
  std::string text;
  for (const StoreFact& fact : store.facts)
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", fact.name, shortened(fact.value, kMaxTextBytes));
  return printable(text);
}

std::string run_text(const Store& store) {
  const Json* const run = stated_detail(store, "run");
  std::vector<std::string> texts;
  for (const char* const name : {"library", "region_name", "chemistry_description", "software_version"})
    if (std::string text = text_of_detail(run, name); !text.empty())
      texts.push_back(shortened(text, kMaxTextBytes));
  return printable(fmt::format("{}", fmt::join(texts, ", ")));
}

}  // namespace

Described describe_store(const std::string& path, Context& context) try {
  const Store store = open_store(path, context);
  return {kind_of_store(store), contents_of_store(store, context)};
} catch (const Error& error) {
  return {kDoesNotOpen, printable(reason(error))};
}

size_t cluster_rank(std::string_view name) {
  constexpr std::string_view kClusters[] = {"cell_type",       "celltype", "leiden", "louvain",
                                            "seurat_clusters", "cluster",  "label"};
  const auto is_begun = [&](std::string_view word) {
    return lower_case(name.substr(0, word.size())) == word;
  };
  return static_cast<size_t>(std::find_if(std::begin(kClusters), std::end(kClusters), is_begun) -
                             std::begin(kClusters));
}

std::string kind_of_store(const Store& store) {
  if (store.format == "R serialisation") return printable(kind_of_r_object(store));
  if (store.format == "h5Seurat")
    return with_version("Seurat", major_minor(store.version)) + " object in h5Seurat";
  if (store.format == "NWB")
    return with_version("NWB", major_minor(store.version)) + " recording" + container_text(store);
  if (store.format == "BPCells directory")
    return std::holds_alternative<Fragments>(store.root.content) ? "BPCells fragments" : "BPCells matrix";
  if (const Json* const variants = stated_detail(store, "vcf_zarr"))
    return with_version("VCF Zarr", text_of_detail(variants, "vcf_zarr_version"));
  if (const Json* const run = stated_detail(store, "run")) return text_of_detail(run, "kind") + " run";
  const std::string kind = format_text(store) + container_text(store);
  if (std::holds_alternative<Image>(store.root.content)) return kind + " image";
  return dataset_of(store) ? "CF data in " + kind : kind;
}

std::string contents_of_store(const Store& store, Context& context) {
  if (store.format == "NWB") return recording_text(store, context);
  if (stated_detail(store, "run")) return run_text(store);
  if (store.is_folder) return {};
  if (const auto* const image = std::get_if<Image>(&store.root.content)) return image_text(*image);
  if (const auto* const variants = std::get_if<Variants>(&store.root.content))
    return count_text(variants->count(), "variant") +
           (variants->samples ? kTimesSign + count_text(variants->samples->count(), "sample")
                              : std::string());
  if (const CfDatasetPtr dataset = dataset_of(store)) {
    try {
      return printable(dataset_text(*dataset));
    } catch (const Error&) {
      return {};
    }
  }
  if (std::string text = annotated_text(store, context); !text.empty()) return text;
  if (std::string text = stated_text(store); !text.empty()) return text;
  const Described described = describe(store.root);
  if (!described.kind.empty() && !described.what.empty()) return described_text(described);
  KindCount kinds(context);
  kinds.add(store.root);
  return kinds.text();
}

std::string headline(const Store& store, Context& context) {
  const std::string contents = contents_of_store(store, context);
  std::string text = kind_of_store(store);
  if (!store.joined.empty()) text.insert(0, fmt::format("{} stores as one: ", store.joined.size()));
  if (contents.empty()) return text;
  return text + (store.format == "NWB" ? ": " : ", ") + contents;
}

}  // namespace plainfs
