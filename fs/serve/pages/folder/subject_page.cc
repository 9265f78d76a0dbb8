#include "fs/serve/pages/folder/subject_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "formats/registry.h"
#include "fs/report/columns.h"
#include "fs/report/facts.h"
#include "fs/report/headline.h"
#include "fs/report/outside_links.h"
#include "fs/report/ranked_files.h"
#include "fs/report/summary.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/array/array_page.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/markers.h"
#include "fs/serve/pages/folder/chosen_cells.h"
#include "fs/serve/pages/folder/elements_page.h"
#include "fs/serve/pages/folder/instructions.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/folder/store_cards.h"
#include "fs/serve/pages/image/image_page.h"
#include "fs/serve/pages/image/plate_page.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/recording/recording_page.h"
#include "fs/serve/pages/recording/session_facts.h"
#include "fs/serve/pages/table/chosen_rows.h"
#include "fs/serve/pages/table/table_work.h"
#include "fs/serve/pages/variable/dataset_page.h"
#include "fs/serve/pages/variable/variable_page.h"
#include "fs/serve/pages/variants/bars.h"
#include "fs/serve/pages/variants/variants_page.h"
#include "fs/views/file_forms.h"
#include "fs/views/parts/group_sums.h"
#include "fs/views/parts/part_files.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxAttributes = 100;
constexpr size_t kMaxAttributeBytes = 600;
constexpr size_t kMaxNames = 12;
constexpr size_t kMaxLeftOut = 50;
// The memory that a large array takes.
constexpr uint64_t kMaxFactElements = uint64_t{1} << 22;  // of an array that are held at once
constexpr uint64_t kBytesAnElement = 16;
constexpr std::string_view kCsv = forms::kTableCsv.ending;

// Returns the facts about a content as words.
std::vector<Fact> fact_text(const ContentFacts& facts) {
  std::vector<Fact> rows;
  std::string shape;
  for (const ContentFacts::Extent& extent : facts.extents)
    if (extent.name.empty())
      shape += (shape.empty() ? "" : " × ") + count_text(extent.length);
    else
      rows.push_back({(facts.format.empty() ? "" : "along ") + extent.name, count_text(extent.length)});
  if (facts.kind == "array" && facts.values) rows.push_back({"shape", shape.empty() ? "one value" : shape});
  for (const ContentFacts::Count& count : facts.counts)
    rows.push_back({count.name, count_text(count.number)});
  if (std::string density = density_text(facts); !density.empty())
    rows.push_back({"density", std::move(density)});
  if (facts.values) rows.push_back({"type", type_text(*facts.values)});
  for (const ContentFacts::Detail& detail : facts.details)
    if (!detail.name.empty()) rows.push_back({detail.name, detail.value});
  return rows;
}

class PageMaker {
 public:
  PageMaker(const Exchange& exchange, const Subject& subject, const WhenSlow& when_slow)
      : exchange_(exchange), subject_(subject), when_slow_(when_slow) {}

  PageModel make() {
    add_heading();
    std::vector<FolderEntry> others = subject_.inside;
    if (subject_.has_folder) part([&] { add_stores(exchange_, subject_, others, page_); });
    if (!subject_.meaning) return finish();
    if (subject_.has_folder) part([&] { add_outside_links(); });
    bool is_plate = false;
    part([&] { is_plate = add_plate(exchange_, subject_, page_); });
    if (subject_.has_folder && !shows_data() && !is_plate)
      part([&] { offers_.contents = contents_of(exchange_, others); });
    part([&] { add_forms(); });
    part([&] { add_dataset(); });
    add_pairs();
    if (is_store_root()) {
      add_stated_facts();
      part([&] { add_session(subject_.node(), page_); });
    }
    part([&] { has_rows_asked_ = add_elements(exchange_, subject_, page_) || has_rows_asked_; });
    part([&] { add_annotated(); });
    part([&] { add_lone_member(); });
    add_data(subject_.node());
    part([&] { add_attributes(); });
    add_instructions(exchange_, subject_, offers_);
    add_viewers();
    return finish();
  }

 private:
  // Adds the sections below the data. Without data, the contents come first. If there is a picture, rows that
  // the address does not ask for are below the downloads.
  PageModel finish() {
    std::vector<Section>& sections = page_.sections;
    const bool has_data = std::any_of(sections.begin(), sections.end(), [](const Section& section) {
      return !section.is<Form>() && !section.is<std::vector<Picks>>();
    });
    std::vector<Section> below;
    if (has_picture() && !has_rows_asked_) {
      const auto rows = std::stable_partition(sections.begin(), sections.end(), [](const Section& section) {
        return !section.is<Grid>() && !section.is<Pager>();
      });
      std::move(rows, sections.end(), std::back_inserter(below));
      sections.erase(rows, sections.end());
    }
    if (!has_data) add_contents();
    if (!offers_.views.empty())
      page_.add(Forms{are_some_cells_ ? "Download all cells as" : "Download as", std::move(offers_.views),
                      "take_it_as"});
    if (left_out_) page_.add(*std::move(left_out_));
    if (!by_name_.empty()) page_.add(Forms{"More files and folders", std::move(by_name_), "by_name"});
    if (!offers_.open_with.lines.empty() || !offers_.open_with.viewers.empty())
      page_.add(std::move(offers_.open_with));
    std::move(below.begin(), below.end(), std::back_inserter(sections));
    if (!columns_.empty()) page_.add(std::move(columns_));
    if (has_data) add_contents();
    if (!attributes_.empty()) page_.add(std::move(attributes_));
    page_.add(subject_.has_folder ? subject_.inside : subject_.beside);
    return std::move(page_);
  }

  bool has_picture() const {
    const auto* sides = page_.find<SideBySide>();
    const auto is_figure = [](const Section& section) { return section.is<Figure>(); };
    return page_.find<Figure>() ||
           (sides && std::any_of(sides->first.begin(), sides->first.end(), is_figure));
  }

  bool has_rows() const { return page_.find<Grid>() != nullptr; }

  void add_rows(std::optional<Grid> rows, const char* of = "") {
    if (!rows) return;
    rows->caption += of;
    page_.add(*std::move(rows));
  }

  void add_contents() {
    if (!offers_.contents.rows.empty()) page_.add(std::move(offers_.contents));
  }

  // Adds a note if a part cannot be read, and goes on with the rest. A store that has changed is reopened.
  template <class Make>
  void part(Make&& make) {
    try {
      make();
    } catch (const Error& error) {
      note(error);
    }
  }

  // Returns a share of the budget of all clients, for a large part. The part must take no other.
  WorkBudget::Share take_share(uint64_t count, uint64_t bytes_each) {
    return exchange_.pages.work->take_for(count, bytes_each);
  }

  void add_recording_of(const Node& node) {
    const WorkBudget::Share share = take_share(recorded_values(node), kBytesARecordedValue);
    add_recording(Query(exchange_.target.query), node, page_);
  }

  // Requires: the error is being handled.
  void note(const Error& error) {
    if (error.code() == Errc::changed) throw;
    if (subject_.place.filesystem) subject_.place.filesystem->report(subject_.place.inode, error);
    page_.notes.push_back(public_message(exchange_.site, error));
  }

  void add_outside_links() {
    if (subject_.context().options.follow_outside) return;
    Filesystem& filesystem = *subject_.place.filesystem;
    const ListingPtr listing = filesystem.list(subject_.place.inode);
    std::vector<Walked> links;
    if (!listing->is_of_parts())
      for (const Listing::Entry& entry : listing->entries())
        if (entry.kind == FileKind::link) links.push_back({entry.name, entry.inode, entry.kind});
    const std::string text = outside_links_text(count_outside_links(filesystem, links));
    if (!text.empty()) page_.notes.push_back(text);
  }

  bool shows_data() const {
    const Content& content = subject_.node().content;
    return !std::holds_alternative<std::monostate>(content) && !std::holds_alternative<Image>(content);
  }

  bool is_store_root() const { return subject_.has_folder && subject_.meaning->what.is_store; }

  // Adds the facts that the store's format states.
  void add_stated_facts() {
    for (const StoreFact& fact : subject_.meaning->what.store->facts)
      page_.facts.push_back({fact.name, fact.value});
  }

  void add_heading() {
    page_.title = !exchange_.names.empty()        ? exchange_.names.back()
                  : exchange_.site.is_one_store() ? exchange_.site.stores()[0].name
                                                  : "stores";
    // "3" alone does not name the cells of by/leiden/3/.
    const size_t depth = exchange_.names.size();
    const bool is_level = subject_.meaning && subject_.has_folder && subject_.node().role == Role::level;
    if (is_level && depth >= 2) page_.title.insert(0, exchange_.names[depth - 2] + " ");
    if (!subject_.meaning) {
      page_.kind = "stores";
      page_.sub = count_text(subject_.inside.size(), "store");
      return;
    }
    const Described described = describe(subject_.node());
    page_.kind = described.kind;
    const StorePtr store = subject_.meaning->what.store;
    page_.sub = is_store_root() ? kind_of_store(*store) : described.kind;
    if (is_store_root() && !described.kind.empty() && !page_.sub.ends_with(" " + described.kind))
      page_.sub += " · " + described.kind;
    std::string what = public_message(exchange_.site, damaged("{}", described.what));
    const auto* image = std::get_if<Image>(&subject_.node().content);
    const std::string format = image ? image->format : std::string();  // `what` begins with it
    if (image && page_.sub.starts_with(format) && what.starts_with(format + ", "))
      what.erase(0, format.size() + 2);
    if (!what.empty()) page_.sub += (page_.sub.empty() ? "" : " · ") + what;
    if (page_.sub.empty()) page_.sub = is_level ? "the cells of one level" : "folder";
  }

  // Adds the member's files beside its folder and in it. Files found by name only form a list of their own.
  void add_forms() {
    const std::string up = subject_.has_folder ? "../" : "";
    std::vector<FolderEntry> beside = subject_.beside;
    std::stable_partition(beside.begin(), beside.end(), is_of_variable);
    offers_.views = forms_of(exchange_, beside, up, subject_.name);
    std::vector<FolderEntry> files;
    for (const FolderEntry& entry : subject_.inside) {
      if (entry.is_link || entry.is_store || !entry.error.empty() || is_of_variable(entry)) continue;
      if (!entry.place.filesystem->meaning(entry.place.inode).what.member.empty()) continue;
      const bool has_parts = entry.is_unlisted && entry.is_folder;
      if (has_parts)
        by_name_.push_back({entry.name + "/", percent_encoded(entry.name) + "/"});
      else
        files.push_back(entry);
      if (entry.is(forms::kGenes)) add_names_of(entry);
    }
    for (TakeAs& form : forms_of(exchange_, files, "", "")) offers_.views.push_back(std::move(form));
  }

  // Adds the first files of a very large folder.
  void add_names_of(const FolderEntry& folder) {
    const ListingPtr listing = folder.place.filesystem->list(folder.place.inode);
    size_t shown = 0;
    for (size_t i = 0; i < listing->size() && shown < kMaxNames; ++i) {
      const std::string& name = listing->at(i).name;
      if (!name.ends_with(kCsv)) continue;
      by_name_.push_back({name.substr(0, name.size() - kCsv.size()),
                          percent_encoded(folder.name) + "/" + percent_encoded(name)});
      ++shown;
    }
  }

  // Adds the sums by two columns, which pseudobulk/ has by name.
  void add_pairs() {
    if (!subject_.has_folder || !has_form(subject_.meaning->what.identity.row, forms::kPseudobulk)) return;
    std::vector<std::string> columns;
    for (const FolderEntry& entry : subject_.inside)
      if (entry.name.ends_with(kNumbersOfCells))
        columns.push_back(entry.name.substr(0, entry.name.size() - kNumbersOfCells.size()));
    for (size_t i = 0; i < columns.size(); ++i)
      for (size_t k = i + 1; k < columns.size() && by_name_.size() < kMaxNames; ++k) {
        const std::string pair = columns[i] + "+" + columns[k];
        by_name_.push_back({pair, percent_encoded(pair).append(kCsv)});
      }
    part([&] { add_notice_of_sums(); });
  }

  void add_notice_of_sums() {
    Filesystem& filesystem = *subject_.place.filesystem;
    const OpenMeaning above = filesystem.meaning(filesystem.parent(subject_.place.inode));
    const auto found = annotated_matrix_of(above.what.node, *above.what.context);
    if (!found) return;
    if (std::optional<std::string> notice = notice_of_sums(choose_counts(found->make())))
      page_.notes.push_back(std::move(*notice));
  }

  // Measures the files of an empty store: some programs require cells.
  void measure_forms() {
    for (TakeAs& form : offers_.views)
      for (const FolderEntry& entry : subject_.inside)
        if (!entry.is_folder && percent_encoded(entry.name) == form.href && form.fault.empty())
          measure(exchange_, entry, form);
  }

  void add_annotated() {
    std::optional<CellsPlace> place = cells_place(exchange_, subject_);
    if (!place) return;
    place->assay_of = [this, &place](const std::string& gene) { return assay_of(gene, *place); };
    const PageCellsPtr all = exchange_.pages.cells.of(*subject_.place.filesystem, place->directory);
    if (!all) return;
    PageCellsPtr cells = all;
    part([&] { cells = chosen_cells(exchange_, *place, *subject_.place.filesystem, all, page_); });
    are_some_cells_ = cells->chosen_from().has_value();
    const AnnotatedMatrix& matrix = cells->matrix();
    if (matrix.cells == 0 || matrix.genes == 0) measure_forms();
    page_.facts.push_back({"cells", count_text(matrix.cells) +
                                        (are_some_cells_ ? " of " + count_text(*cells->chosen_from()) : "")});
    page_.facts.push_back({"genes", count_text(matrix.genes)});
    if (std::holds_alternative<SparseMatrix>(matrix.x) && !are_some_cells_) {
      const ContentFacts x = facts_of(matrix.x);
      for (const ContentFacts::Count& count : x.counts)
        page_.facts.push_back({count.name, count_text(count.number)});
      if (std::string density = density_text(x); !density.empty())
        page_.facts.push_back({"density", std::move(density)});
    }
    part([&] {
      const MarkersPtr markers = wait_for_markers_asked(cells);
      const WorkBudget::Share share =
          exchange_.pages.work->take(work_of_cells(Query(exchange_.target.query), *cells));
      add_cells(exchange_, subject_, *place, *cells, markers, page_);
    });
    if (page_.find<Grid>()) has_rows_asked_ = true;  // markers
    if (matrix.obs.rows > 0 && !matrix.obs.columns.empty() && !has_rows_asked_)
      part([&] { add_rows(first_rows({matrix.obs}), ", one for each cell"); });
    part([&] { add_left_out(*place, *all); });
    if (place->href.empty())
      add_zarr(matrix);
    else
      add_assay(*place);
  }

  // Returns another assay that has the gene, or an empty text.
  std::string assay_of(const std::string& gene, const CellsPlace& place) {
    Filesystem& filesystem = *subject_.place.filesystem;
    const std::string folder = filesystem.path(filesystem.parent(place.directory));
    for (const std::string& assay : place.assays) {
      if (assay == place.assay) continue;
      const Inode directory = filesystem.resolve(fmt::format("{}/{}", folder, assay));
      const PageCellsPtr cells = exchange_.pages.cells.of(filesystem, directory);
      if (cells && matrix_with_gene(*cells, gene)) return assay;
    }
    return {};
  }

  MarkersPtr wait_for_markers_asked(const PageCellsPtr& cells) {
    const Query query(exchange_.target.query);
    if (!query.value("markers")) return nullptr;
    page_.has_script = true;
    PageState& state = exchange_.pages;
    return wait_for_markers(query, cells, state.markers, state.work, [&](const RunProgress& progress) {
      when_slow_(page_, text_for_waiting(query, *cells), progress.share());
    });
  }

  // Adds the first parts that the .h5ad of the shown matrix leaves out.
  void add_left_out(const CellsPlace& place, const PageCells& cells) {
    const std::vector<std::string>& lines = cells.left_out();
    if (lines.empty()) return;
    const size_t shown = std::min(lines.size(), kMaxLeftOut);
    const std::string ending(forms::kH5ad.ending);
    left_out_ = LeftOut{place.href.empty() ? std::string(file_name(forms::kH5ad)) : place.assay + ending,
                        {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(shown)},
                        lines.size() - shown};
  }

  // Adds the AnnData of the shown assay, which is beside its folder, or of the shown modality, which is in
  // it.
  void add_assay(const CellsPlace& place) {
    Filesystem& filesystem = *subject_.place.filesystem;
    const std::string folder = filesystem.path(place.directory).substr(1);
    std::vector<WalkFailure> failures;  // the page of that folder reports them
    const std::vector<RankedFile> files = ranked_files(filesystem, std::string(path_above(folder)), failures);
    const auto file = std::find_if(files.begin(), files.end(), [&](const RankedFile& one) {
      const char next = one.path.starts_with(folder) ? one.path[folder.size()] : '\0';
      return has_form(one.row, forms::kH5ad) && (next == '/' || next == '.');
    });
    if (file == files.end()) return;
    const bool is_root = subject_.place.inode == kRootInode;
    const size_t above = is_root ? 0 : filesystem.path(subject_.place.inode).size();
    const std::string href = percent_encoded(file->path.substr(above), true);
    offers_.views.push_back({place.assay + std::string(forms::kH5ad.ending), href});
    offers_.open_with.lines.push_back(
        {"Python, " + place.assay,
         fmt::format("import anndata, fsspec\nx = anndata.read_h5ad(fsspec.open(\"{}{}\").open())",
                     exchange_.address(subject_.place.names, true), href)});
  }

  void add_zarr(const AnnotatedMatrix& matrix) {
    const auto zarr = std::find_if(subject_.inside.begin(), subject_.inside.end(),
                                   [](const FolderEntry& entry) { return entry.is(forms::kAnnDataZarr); });
    if (zarr == subject_.inside.end()) return;
    std::vector<std::string> path = subject_.place.names;
    path.push_back(zarr->name);
    std::string address = exchange_.address(path, true);
    address.pop_back();
    if (std::optional<TakeAs> link = vitessce_link(matrix, address))
      offers_.open_with.viewers.push_back(*std::move(link));
    offers_.open_with.lines.push_back(
        {"Python, by chunks", fmt::format("import anndata\nx = anndata.read_zarr(\"{}\")", address)});
  }

  // Adds the array or table of a store that consists of one. Its root has nothing else.
  void add_lone_member() {
    if (!subject_.has_folder || subject_.place.inode != kRootInode || offers_.contents.rows.size() != 1)
      return;
    if (!std::holds_alternative<std::monostate>(subject_.node().content)) return;
    for (const FolderEntry& entry : subject_.inside) {
      if (entry.is_unlisted || entry.is_link || !entry.error.empty()) continue;
      const OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
      if (meaning.what.member != offers_.contents.rows[0].name) continue;
      return add_data(meaning.what.node);
    }
  }

  void add_data(const Node& node) {
    if (page_.facts.empty()) add_facts(node.content);
    if (const auto* table = std::get_if<Table>(&node.content)) part([&] { columns_ = column_facts(*table); });
    if (is_embedding()) add_link_to_cells();
    if (const auto* array = std::get_if<LabelledArray>(&node.content))
      part([&] {
        const WorkBudget::Share share =
            take_share(std::min(element_count(array->values->shape()), kMaxFactElements), kBytesAnElement);
        if (!add_cf_variable())
          add_array(Query(exchange_.target.query), *array, page_.title, is_embedding(), page_);
      });
    part([&] { add_recording_of(node); });
    if (subject_.has_folder && subject_.meaning->what.is_store && !has_picture())
      part([&] { add_units(node); });
    if (const auto* fragments = std::get_if<Fragments>(&node.content))
      part([&] { add(chromosome_bars(*fragments)); });
    if (const auto* variants = std::get_if<Variants>(&node.content))
      part([&] { add_sites(*variants, node); });
    if (const auto* image = std::get_if<Image>(&node.content); image && has_picture_of(*image))
      part([&] {
        if (std::optional<std::string> title = field_title(subject_)) page_.title = *std::move(title);
        add_image(Query(exchange_.target.query), *image, page_);
      });
    if (const auto* table = std::get_if<Table>(&node.content); table && !has_rows())
      part([&] { add_rows_of(*table); });
    if (!has_rows() && !std::holds_alternative<std::monostate>(node.content))
      part([&] { add_rows(first_rows(node)); });
  }

  void add_dataset() {
    const CfDatasetPtr dataset = subject_.has_folder ? cf_dataset(subject_.node()) : nullptr;
    if (dataset) add_dataset_facts(*dataset, page_);
  }

  // Adds the subject, or the only member of its folder, as a variable. Returns false if it is not one.
  bool add_cf_variable() {
    Filesystem& filesystem = *subject_.place.filesystem;
    const bool is_folder_of_member = subject_.has_folder && !subject_.name.empty();
    const Inode folder = is_folder_of_member ? filesystem.parent(subject_.place.inode) : subject_.place.inode;
    const CfDatasetPtr dataset = cf_dataset(filesystem.meaning(folder).what.node);
    if (!dataset) return false;
    const CfVariable* const variable =
        dataset->find(subject_.name.empty() ? offers_.contents.rows[0].name : subject_.name);
    if (!variable || variable->dimensions.empty()) return false;
    add_variable(Query(exchange_.target.query), *dataset, *variable, page_);
    return true;
  }

  // An error is in the heading; if the store has changed, the page is made again.
  void add_facts(const Content& content) {
    const ContentFacts facts = facts_of(content);
    if (facts.error && facts.error->code() == Errc::changed) throw *facts.error;
    page_.facts = fact_text(facts);
  }

  // Adds the spikes of an NWB recording.
  void add_units(const Node& root) {
    const std::optional<Node> units = root.parts ? root.parts->find("units") : std::nullopt;
    if (units) add_recording_of(refine(*units, subject_.context()));
  }

  bool is_embedding() const { return subject_.node().role == Role::embedding; }

  // Links to the page of the store, which colours the points.
  void add_link_to_cells() {
    const bool is_of_seurat = subject_.name == "cell.embeddings";
    const std::string name = is_of_seurat ? "X_" + subject_.place.names.back() : subject_.name;
    page_.add(std::vector{Picks{"Colour by",
                                {{"a gene or a column", (is_of_seurat ? "../../" : "../") +
                                                            Query("").with("embedding", name).href()}}}});
  }

  void add(std::optional<Figure> figure) {
    if (figure) page_.add(*std::move(figure));
  }

  void add_rows_of(const Table& table) {
    const uint64_t opening = subject_.meaning ? subject_.meaning->opening->number() : 0;
    const std::string key = fmt::format("{} {}?{}", exchange_.tag(subject_.place, opening), subject_.name,
                                        exchange_.target.query);
    const Query query(exchange_.target.query);
    exchange_.pages.tables.add(key, query, table, page_);
    if (!chooses_rows(query) || !page_.problems.empty()) return;
    Forms files{"Download these rows", files_of_rows(query, subject_), "these_rows"};
    if (!files.forms.empty()) page_.add(std::move(files));
  }

  // Adds the sites in pages, and their number on each contig.
  void add_sites(const Variants& variants, const Node& node) {
    std::optional<Node> sites = node.parts ? node.parts->find("sites") : std::nullopt;
    if (sites) sites = refine(*std::move(sites), subject_.context());
    if (const auto* table = sites ? std::get_if<Table>(&sites->content) : nullptr)
      part([&] {
        const auto report = [this](const Error& error) { note(error); };
        const Query query(exchange_.target.query);
        const WorkBudget::Share share = exchange_.pages.work->take(table_work_bytes(query, *table));
        has_rows_asked_ = add_variants(query, variants, *table, report, page_);
      });
    add(contig_bars(variants));
  }

  // An image of any size has one, or a note about what the page shows of it.
  static bool has_picture_of(const Image& image) {
    return !image.error && has_brightness(image.levels.front().values->dtype());
  }

  void add_attributes() {
    Filesystem& filesystem = *subject_.place.filesystem;
    const Inode inode = subject_.has_folder ? subject_.place.inode : subject_.beside[0].place.inode;
    for (const std::string& name : filesystem.attribute_names(inode)) {
      if (attributes_.size() >= kMaxAttributes) break;
      if (const std::optional<std::string> value = filesystem.attribute(inode, name))
        attributes_.push_back(
            {name.substr(std::string_view("user.").size()), shortened(*value, kMaxAttributeBytes)});
    }
  }

  void add_viewers() {
    if (is_store_root()) add_source_instructions(exchange_, subject_, offers_);
    if (!subject_.has_folder || !std::holds_alternative<Fragments>(subject_.node().content)) return;
    for (const FolderEntry& entry : subject_.inside)
      if (entry.row && !entry.row->form.companions.empty() && !has_no_reader(offers_, entry.name))
        offers_.open_with.viewers.push_back(igv_link(exchange_.address(subject_.place.names, true)));
  }

  const Exchange& exchange_;
  const Subject& subject_;
  const WhenSlow& when_slow_;
  PageModel page_;
  bool are_some_cells_ = false;
  bool has_rows_asked_ = false;  // the address asks for certain rows
  Offers offers_;
  std::optional<LeftOut> left_out_;
  std::vector<TakeAs> by_name_;  // parts found by name: genes, cells, by, …
  std::vector<ColumnFact> columns_;
  std::vector<Fact> attributes_;
};

}  // namespace

PageModel page_of(const Exchange& exchange, const Subject& subject, const WhenSlow& when_slow) {
  return PageMaker(exchange, subject, when_slow).make();
}

}  // namespace plainfs::serve
