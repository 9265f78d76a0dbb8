#include "fs/serve/pages/cells/cells_page.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "formats/annotated/annotated_matrices.h"
#include "formats/annotated/main_part.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/base/location.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "fs/report/main_part.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/cell_colour.h"
#include "fs/serve/pages/cells/cells_files.h"
#include "fs/serve/pages/cells/distribution.h"
#include "fs/serve/pages/cells/markers.h"
#include "fs/serve/pages/cells/region.h"
#include "fs/serve/pages/cells/scatter.h"
#include "fs/serve/pages/cells/several_genes.h"
#include "fs/serve/pages/cells/stored_markers.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/number_table.h"
#include "fs/views/file_forms.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxColumnLinks = 12, kMaxGeneLinks = 8;
constexpr uint64_t kMaxSplitLevels = 10'000;
constexpr uint64_t kMaxSortedAhead = 100'000'000;  // entries: some seconds
constexpr size_t kMaxShownBytes = 60;
constexpr uint64_t kMaxFreeBytes = uint64_t{4} << 20;
constexpr size_t kMaxLevelsLinked = 12;

bool exists(Filesystem& filesystem, const std::string& path) {
  try {
    filesystem.resolve(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> folders_in(Filesystem& filesystem, const std::string& path) {
  std::vector<std::string> names;
  try {
    const ListingPtr listing = filesystem.list(filesystem.resolve(path));
    filesystem.give(*listing);
    if (listing->is_of_parts()) return names;
    for (size_t i = 0; i < listing->once(); ++i)
      if (listing->at(i).kind == FileKind::directory) names.push_back(listing->at(i).name);
  } catch (const Error&) {
    return {};  // the page has a note for a part that cannot be read
  }
  return names;
}

// Returns the embedding that a query chooses, by its name or by Seurat's name for it, otherwise the first;
// empty if the matrix has no embedding.
std::string shown_embedding(const Query& query, const AnnotatedMatrix& matrix) {
  const std::vector<std::string> names = embedding_names(matrix);
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::optional<std::string> chosen = query.value("embedding");
  if (chosen && has(*chosen)) return *chosen;
  if (chosen && has("X_" + *chosen)) return "X_" + *chosen;
  return names.empty() ? std::string() : names[0];
}

// Returns the place of the slide that a query chooses, otherwise the first. Requires: there are some.
size_t shown_slide(const SlidesFound& found, const Query& query) {
  const std::optional<std::string> name = query.value("slide");
  for (size_t i = 0; name && i < found.slides.size(); ++i)
    if (found.slides[i].name == *name) return i;
  return 0;
}

class CellsSection {
 public:
  CellsSection(const Exchange& exchange, const Subject& subject, const CellsPlace& place,
               const PageCells& cells, MarkersPtr markers, PageModel& page)
      : exchange_(exchange),
        filesystem_(*subject.place.filesystem),
        place_(place),
        cells_(cells),
        markers_(std::move(markers)),
        store_(*subject.meaning->what.store),
        matrix_(cells.matrix()),
        page_(page),
        query_(exchange.target.query) {}

  void add() {
    // The next question is likely to be about a gene. A remote matrix is fetched for the first one only.
    choose_matrix();
    if (cells_.has_genes() && !is_remote(store_)) cells_.sort_ahead(listed_matrix(), kMaxSortedAhead);
    choose_embedding();
    choose_slide();
    choose_tissue();
    choose_outlines();
    choose_region();
    choose_colour();
    choose_split();
    add_form();
    add_picks();
    if (query_.value("markers") && cells_.has_genes()) return add_markers(query_, cells_, markers_, page_);
    if (query_.value("stored")) return add_stored_markers(query_, cells_, page_);
    add_chosen();
    if (!genes_.empty()) return add_several();
    add_scatter();
    add_distribution();
    add_downloads();
    if (!sides_.first.empty() || !sides_.second.empty()) page_.add(std::move(sides_));
  }

 private:
  std::string href(std::string_view name, std::string_view value) const {
    return query_.with(name, value).href();
  }

  void add_problem(std::string text, const std::vector<std::string>& near, std::string_view name) {
    Problem problem{std::move(text)};
    for (const std::string& each : near) problem.near.push_back({each, href(name, each)});
    page_.problems.push_back(std::move(problem));
  }

  void choose_matrix() {
    for (const auto& matrix : cells_.matrices()) matrices_.push_back(matrix->name());
    const std::optional<std::string> asked = query_.value("matrix");
    if (!asked) return;
    matrix_chosen_ = cells_.matrix_of(*asked);
    if (!matrix_chosen_)
      add_problem(fmt::format("There is no matrix '{}'.", shortened(*asked, kMaxShownBytes)),
                  nearest_of(*asked, matrices_, matrices_), "matrix");
  }

  // Returns the matrix with the genes to count and to link to. Requires: cells_.has_genes().
  const GeneMatrix& listed_matrix() const {
    return matrix_chosen_ ? *matrix_chosen_ : *cells_.searched().front();
  }

  void choose_embedding() {
    embeddings_ = embedding_names(matrix_);
    embedding_ = shown_embedding(query_, matrix_);
    const std::optional<std::string> chosen = query_.value("embedding");
    if (chosen && embedding_ != *chosen && embedding_ != "X_" + *chosen)
      add_problem(fmt::format("No embedding '{}'.", shortened(*chosen, kMaxShownBytes)), embeddings_,
                  "embedding");
  }

  // A slide is always shown whole.
  void choose_region() {
    page_.has_script = true;
    const std::optional<std::string> asked = query_.value("region");
    if (!asked || slide_) return;
    region_ = region_in(*asked);
    if (region_) return;
    page_.status = 400;
    add_problem(fmt::format("'{}' is no region; expected region=X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1.",
                            shortened(*asked, kMaxShownBytes)),
                {}, "region");
  }

  // Chooses a slide with a picture if the cells lie in tissue. A picture that cannot be read becomes a note.
  void choose_slide() {
    const std::optional<std::string> asked = query_.value("slide");
    if (embedding_ != annotated::kSpatial) {
      if (asked)
        add_problem(fmt::format("Slides are shown with the embedding {} alone.", annotated::kSpatial), {},
                    {});
      return;
    }
    try {
      const std::vector<Slide>& slides = cells_.slides().slides;
      const std::vector<std::string>& left_out = cells_.slides().left_out;
      page_.notes.insert(page_.notes.end(), left_out.begin(), left_out.end());
      if (slides.empty()) {
        if (asked) add_problem("There are no slides with a picture.", {}, {});
        return;
      }
      for (const Slide& slide : slides) slides_.push_back(slide.name);
      const size_t shown = shown_slide(cells_.slides(), query_);
      slide_ = &slides[shown];
      if (asked && *asked != slide_->name)
        add_problem(fmt::format("There is no slide '{}'.", shortened(*asked, kMaxShownBytes)),
                    nearest_of(*asked, slides_, first_slides()), "slide");
      outlines_ = cells_.slides().outlines[shown];
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      page_.notes.push_back(public_message(exchange_.site, error));
    }
  }

  void choose_tissue() {
    const std::optional<std::string> tissue = query_.value("tissue");
    shows_tissue_ = tissue != "off";
    if (tissue && *tissue != "off")
      add_problem(fmt::format("tissue: '{}' is not 'off'.", shortened(*tissue, kMaxShownBytes)), {"off"},
                  "tissue");
  }

  void choose_outlines() {
    const std::optional<std::string> asked = query_.value("outlines");
    if (!asked || asked->empty()) return;
    if (std::find(outlines_.begin(), outlines_.end(), *asked) != outlines_.end())
      outlined_ = *asked;
    else
      add_problem(fmt::format("There are no outlines '{}' over a slide.", shortened(*asked, kMaxShownBytes)),
                  nearest_of(*asked, outlines_, outlines_), "outlines");
  }

  // Returns the names nearest to a name, or `others` if none is near.
  static std::vector<std::string> nearest_of(const std::string& name, const std::vector<std::string>& names,
                                             const std::vector<std::string>& others) {
    std::vector<std::string> near = nearest_names(name, names);
    return near.empty() ? others : near;
  }

  std::vector<std::string> first_slides() const {
    return {slides_.begin(), slides_.begin() + static_cast<ptrdiff_t>(std::min(slides_.size(), kMaxNearest))};
  }

  void choose_colour() {
    columns_ = colour_names(matrix_);
    const std::optional<std::string> chosen = query_.value("color");
    colour_name_ = chosen.value_or("");
    if (chosen && is_list(*chosen)) {
      genes_ = names_in_list(*chosen);
      page_.shown = shortened(fmt::format("{}", fmt::join(genes_, ", ")), kMaxShownBytes);
      return;
    }
    if (chosen && find_colour(*chosen)) return void(page_.shown = colour_->title());
    for (const std::string& column : columns_) {
      try {
        std::optional<CellColour> found = cell_colour(cells_, column);
        const bool separates_cells = found && (!found->groups || found->groups->levels.size() > 1);
        if (!separates_cells && colour_) continue;
        colour_ = std::move(found);
        if (!chosen) colour_name_ = column;
        if (separates_cells) return;
      } catch (const Error& error) {
        if (error.code() == Errc::changed) throw;  // any other error omits the column
      }
    }
  }

  // A gene or a column may have a comma or a blank in its name.
  bool is_list(const std::string& text) const {
    if (names_in_list(text).size() < 2) return false;
    try {
      return !cell_colour(cells_, text, matrix_chosen_);
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      return false;  // it exists, and the error becomes a problem
    }
  }

  void add_several() {
    std::optional<CellPlaces> places;
    if (!embedding_.empty() && matrix_.cells > 0 && region_) {
      if (auto part = places_in_region(matrix_, embedding_, *region_, kMaxPoints))
        places = std::move(part->places);
    } else if (!embedding_.empty() && matrix_.cells > 0) {
      places = places_of(matrix_, embedding_, kMaxPoints);
    }
    GenesBy by{places ? &*places : nullptr};
    if (!split_name_.empty()) by = {by.places, split_name_, &split_};
    add_genes(query_, cells_, genes_, matrix_chosen_, by, page_);
  }

  bool find_colour(const std::string& name) {
    const std::string shown = shortened(name, kMaxShownBytes);
    try {
      colour_ = cell_colour(cells_, name, matrix_chosen_);
      if (colour_) {
        colour_name_ = colour_->name;
        return true;
      }
      const GeneMatrix* const other = matrix_chosen_ ? matrix_with_gene(cells_, name) : nullptr;
      if (other)
        page_.problems.push_back(
            {fmt::format("The matrix {} has no gene '{}'.", matrix_chosen_->name(), shown),
             {{shown + " in " + other->name(), href("matrix", other->name())}}});
      else if (!find_in_other_assay(name))
        add_problem(fmt::format("No gene or column '{}'.", shown),
                    nearest_colours(cells_, name, matrix_chosen_), "color");
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      add_problem(public_message(exchange_.site, error), {}, "color");
    }
    return false;
  }

  // Adds a problem with a link if another assay has the gene.
  bool find_in_other_assay(const std::string& name) {
    const std::string assay = place_.assay_of ? place_.assay_of(name) : std::string();
    if (assay.empty()) return false;
    const std::string shown = shortened(name, kMaxShownBytes);
    page_.problems.push_back({fmt::format("The assay {} has no gene or column '{}'.", place_.assay, shown),
                              {{shown + " in " + assay, href("assay", assay)}}});
    return true;
  }

  void choose_split() {
    splits_ = split_names(matrix_);
    const std::optional<std::string> chosen = query_.value("split");
    if (chosen && find_split(*chosen)) return;
    if (chosen)
      add_problem(fmt::format("No column '{}' with levels to split by.", shortened(*chosen, kMaxShownBytes)),
                  nearest_of(*chosen, splits_, splits_), "split");
    if (colour_ && colour_->groups) {
      split_name_ = colour_->name;
      split_ = *colour_->groups;
      return;
    }
    for (const std::string& column : splits_)
      if (find_split(column)) return;
  }

  bool find_split(const std::string& name) {
    try {
      std::optional<CellGroups> groups = groups_of_column(matrix_, name, kMaxSplitLevels);
      if (!groups) return false;
      split_ = *std::move(groups);
      split_name_ = name;
      return true;
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      return false;
    }
  }

  void add_form() {
    Form form;
    FormField colour{cells_.has_genes() ? "Colour by genes or a column" : "Colour by column", "color",
                     colour_name_};
    if (cells_.has_genes())
      for (const std::string& gene : cells_.first_genes()) colour.options.push_back({gene, {}});
    for (const std::string& column : columns_) colour.options.push_back({column, {}});
    form.fields.push_back(std::move(colour));
    add_choice(form, "Matrix", "matrix", matrices_, matrix_chosen_ ? matrix_chosen_->name() : "",
               default_matrix_text());
    add_choice(form, "Embedding", "embedding", embeddings_, embedding_);
    add_choice(form, "Slide", "slide", slides_, slide_ ? slide_->name : "");
    if (!outlines_.empty()) {
      FormField outlines{"Outlines", "outlines", outlined_};
      outlines.is_choice = true;
      outlines.options.push_back({{}, "none"});
      for (const std::string& each : outlines_) outlines.options.push_back({each, each});
      form.fields.push_back(std::move(outlines));
    }
    add_choice(form, "Split by", "split", splits_, shows_panels() ? split_name_ : "", "no split");
    add_choice(form, "Assay", "assay", place_.assays, place_.assay);
    add_condition(form);
    if (!embedding_.empty() && !slide_)
      form.fields.push_back({"Region x0,y0,x1,y1", "region", query_.value("region").value_or("")});
    form.hidden = query_.rest({"color", "matrix", "embedding", "slide", "outlines", "split", "assay", "where",
                               "region", "take", "stored", "markers", "from", "numbers"});
    const std::vector<std::string> conditions = query_.values("where");
    for (size_t i = 0; i + 1 < conditions.size(); ++i) form.hidden.emplace_back("where", conditions[i]);
    page_.add(std::move(form));
  }

  // Returns the text of the option that leaves the choice of the matrix to the page: "raw, otherwise X".
  std::string default_matrix_text() const {
    std::string text;
    for (const GeneMatrix* const matrix : cells_.searched())
      text += (text.empty() ? "" : ", otherwise ") + matrix->name();
    return text;
  }

  // The field has the last condition, and the others go along.
  void add_condition(Form& form) const {
    if (matrix_.obs.columns.empty()) return;
    const std::vector<std::string> conditions = query_.values("where");
    FormField field{"Only cells with", "where", conditions.empty() ? "" : conditions.back()};
    for (size_t i = 0; i < std::min(split_.levels.size(), kMaxLevelsLinked); ++i)
      field.options.push_back({split_name_ + ":" + split_.levels[i], {}});
    form.fields.push_back(std::move(field));
  }

  // none: the text of an option without a value; empty: there is no such option.
  static void add_choice(Form& form, const char* label, const char* name, const std::vector<std::string>& all,
                         const std::string& chosen, const std::string& none = {}) {
    if (all.size() < 2) return;
    FormField field{label, name, chosen};
    field.is_choice = true;
    if (!none.empty()) field.options.push_back({{}, none});
    for (const std::string& each : all) field.options.push_back({each, each});
    form.fields.push_back(std::move(field));
  }

  void add_picks() {
    Picks columns{"Columns", {}, colour_ ? colour_->name : std::string()};
    for (size_t i = 0; i < std::min(columns_.size(), kMaxColumnLinks); ++i)
      columns.links.push_back({columns_[i], href("color", columns_[i])});
    std::vector<Picks> picks;
    if (!columns.links.empty()) picks.push_back(std::move(columns));
    if (cells_.has_genes()) picks.push_back(gene_links());
    if (cells_.has_genes() && colour_ && colour_->groups) picks.push_back(marker_links());
    if (slide_)
      picks.push_back({"Tissue",
                       {{"shown", href("tissue", "")}, {"hidden", href("tissue", "off")}},
                       shows_tissue_ ? "shown" : "hidden"});
    add_stored_links(picks);
    if (!split_name_.empty()) picks.push_back(level_links());
    if (!query_.values("where").empty()) picks.push_back(condition_links());
    if (region_) picks.push_back({"Region", {{"all cells", href("region", {})}}, {}});
    if (!picks.empty()) page_.add(std::move(picks));
  }

  void add_stored_links(std::vector<Picks>& picks) {
    try {
      const StoredMarkersFound& found = cells_.stored_markers();
      for (Picks& stored : stored_marker_links(found, query_)) picks.push_back(std::move(stored));
      for (const std::string& fault : found.faults)
        page_.notes.push_back(public_message(exchange_.site, damaged("{}", fault)));
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      page_.notes.push_back(public_message(exchange_.site, error));
    }
  }

  // Returns links to the page of the cells of one level.
  Picks level_links() const {
    Picks levels{"Only " + split_name_, {}, {}};
    for (size_t i = 0; i < std::min(split_.levels.size(), kMaxLevelsLinked); ++i) {
      const std::string condition = split_name_ + ":" + split_.levels[i];
      levels.links.push_back(
          {split_.levels[i], query_.with("from", {}).with_more("where", condition).href()});
    }
    return levels;
  }

  // Returns links that take a condition away.
  Picks condition_links() const {
    Picks conditions{"Without", {}, {}};
    const std::vector<std::string> all = query_.values("where");
    for (const std::string& taken : all) {
      Query query = query_.with("where", {});
      for (const std::string& each : all)
        if (&each != &taken) query = query.with_more("where", each);
      conditions.links.push_back({taken, query.href()});
    }
    return conditions;
  }

  // Adds the files of the chosen cells.
  void add_chosen() {
    if (cells_.chosen_from())
      page_.add(Forms{"Download these cells", files_of_chosen_cells(query_), "these_cells"});
  }

  Picks marker_links() const {
    Picks markers{"Markers of " + colour_->name, {}};
    const std::vector<std::string>& levels = colour_->groups->levels;
    for (size_t i = 0; i < std::min(levels.size(), kMaxPanels); ++i)
      markers.links.push_back({levels[i], query_.only({"matrix", "embedding", "assay", "color"})
                                              .with("markers", colour_->name + ":" + levels[i])
                                              .href()});
    return markers;
  }

  Picks gene_links() const {
    Picks genes{"Genes", {}, colour_ ? colour_->name : std::string()};
    const std::vector<std::string>& first = cells_.first_genes();
    for (size_t i = 0; i < std::min(first.size(), kMaxGeneLinks); ++i)
      genes.links.push_back({first[i], href("color", first[i])});
    if (const std::optional<std::string> folder = gene_folder(listed_matrix()))
      genes.links.push_back({fmt::format("all {}", count_text(listed_matrix().genes()->count())),
                             percent_encoded(*folder, true)});
    return genes;
  }

  // Returns the path from the page to the folder of gene files of a matrix; nullopt if it is missing.
  std::optional<std::string> gene_folder(const GeneMatrix& matrix) const {
    if (matrix.kind() == GeneMatrix::Kind::x) return gene_folder_of_x();
    const bool is_raw = matrix.kind() == GeneMatrix::Kind::raw;
    const std::string& name = matrix.name();
    const std::string layer = encode_name(name.substr(std::min(name.find('/') + 1, name.size())));
    const std::string places[] = {is_raw ? "raw/X" : "layers/" + layer, layer};  // an assay has the latter
    for (const std::string& place : places) {
      const std::string folder = fmt::format("{}/{}/", place, file_name(forms::kGenes));
      if (is_folder_of_genes(fmt::format("{}/{}", filesystem_.path(place_.directory), folder)))
        return place_.href + folder;
    }
    return std::nullopt;
  }

  // Returns that of the main matrix, Seurat's normalised one, counts, or another one.
  std::optional<std::string> gene_folder_of_x() const {
    const ListingPtr listing = filesystem_.list(place_.directory);
    const std::string path = filesystem_.path(place_.directory);
    std::optional<std::pair<int, std::string>> best;
    for (size_t i = 0; i < listing->size(); ++i) {
      const Listing::Entry entry = listing->at(i);
      if (entry.row || filesystem_.kind(entry.inode) != FileKind::directory) continue;
      const OpenMeaning meaning = filesystem_.meaning(entry.inode);
      const Role role = meaning.what.node.role;
      const int rank = role == Role::main_matrix ? 0
                       : entry.name == "data"    ? 1
                       : role == Role::counts    ? 2
                                                 : 3;
      std::string folder = fmt::format("{}/{}/", entry.name, file_name(forms::kGenes));
      if ((!best || rank < best->first) && is_folder_of_genes(fmt::format("{}/{}", path, folder)))
        best = {rank, place_.href + folder};
    }
    return best ? std::optional(std::move(best->second)) : std::nullopt;
  }

  bool is_folder_of_genes(const std::string& path) const try {
    const OpenMeaning meaning = filesystem_.meaning(filesystem_.resolve(path));
    return has_form(meaning.what.identity.row, forms::kGenes);
  } catch (const Error&) {
    return false;
  }

  void add_scatter() {
    if (embedding_.empty() || matrix_.cells == 0) return;
    const CellColour* const colour = colour_ ? &*colour_ : nullptr;
    std::optional<CellPlaces> places = add_slide(colour);
    if (!places) {
      const CellGroups* const names = split_name_.empty() ? nullptr : &split_;
      if (region_) {
        std::optional<RegionPlaces> part = places_in_region(matrix_, embedding_, *region_, kMaxPoints);
        if (!part) return;
        sides_.first.push_back({scatter(*part, *region_, matrix_.cells, embedding_, colour, names)});
        places = std::move(part->places);
      } else {
        places = places_of(matrix_, embedding_, kMaxPoints);
        if (!places) return;
        sides_.first.push_back({scatter(*places, matrix_.cells, embedding_, colour, names)});
      }
    }
    if (shows_panels() && split_.levels.size() > 1)
      sides_.first.push_back({panels(*places, split_name_, split_, colour)});
  }

  bool shows_panels() const { return query_.value("split") == split_name_; }

  // Adds the cells over the picture of their slide. Returns their places; nullopt without a picture.
  std::optional<CellPlaces> add_slide(const CellColour* colour) {
    if (!slide_) return std::nullopt;
    try {
      SlideView view = view_of(*slide_, cells_.backdrop(*slide_), matrix_.cells, kMaxPoints);
      add_outlines(view);
      sides_.first.push_back({scatter(view, slide_->cells.size(), colour, shows_tissue_)});
      return std::move(view.places);
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      page_.notes.push_back(public_message(exchange_.site, error));
      return std::nullopt;
    }
  }

  // Outlines that cannot be drawn become a note.
  void add_outlines(SlideView& view) {
    if (outlined_.empty()) return;
    try {
      view.outlines = cells_.outlines(*slide_, outlined_);
      view.outlined = outlined_;
    } catch (const Error& error) {
      if (error.code() == Errc::changed) throw;
      page_.notes.push_back(public_message(exchange_.site, error));
    }
  }

  void add_distribution() {
    if (!colour_) return;
    if (!colour_->groups)
      (sides_.first.empty() ? sides_.first : sides_.second).push_back({histogram_of(*colour_)});
    if (split_name_.empty()) return;
    Distribution distribution = distribution_of(*colour_, split_name_, split_);
    add_level_links(distribution);
    sides_.second.push_back({std::move(distribution)});
    if (!colour_->groups) add_numbers();
  }

  // Adds the numbers of the levels as files.
  void add_numbers() {
    if (query_.has("numbers"))
      page_.add(Attachment{"genes_by_level",
                           numbers_by_level({distribution_in_order(*colour_, split_name_, split_)})});
    sides_.second.push_back({Forms{"Download the numbers", number_files(query_)}});
  }

  // Links each level to the page of its cells, by/COLUMN/LEVEL/.
  void add_level_links(Distribution& distribution) const {
    if (cells_.chosen_from()) return;
    const std::string column =
        std::string(file_name(forms::kBy)) + "/" + PartNames("column", {split_name_}).file(0) + "/";
    if (!exists(filesystem_, filesystem_.path(place_.directory) + "/" + column)) return;
    const PartNames levels("level", split_.levels);
    for (LevelRow& row : distribution.rows) {
      if (row.is_missing) continue;
      const auto level = std::find(split_.levels.begin(), split_.levels.end(), row.name);
      row.href = percent_encoded(
                     place_.href + column + levels.file(static_cast<uint64_t>(level - split_.levels.begin())),
                     true) +
                 "/";
    }
  }

  void add_downloads() {
    if (!colour_ || !colour_->is_gene || cells_.chosen_from()) return;
    const std::optional<std::string> folder =
        gene_folder(colour_->matrix ? *colour_->matrix : *cells_.matrices().front());
    if (!folder) return;
    Forms files{fmt::format("Download {} as", shortened(colour_->name, kMaxShownBytes)), {}};
    const PartNames name("gene", {colour_->name});
    for (const std::string_view extension : {forms::kArrayCsv.ending, forms::kNpy.ending})
      if (exists(filesystem_, filesystem_.path(place_.directory) + "/" + folder->substr(place_.href.size()) +
                                  name.file(0, extension)))
        files.forms.push_back(
            {name.file(0, extension), percent_encoded(*folder + name.file(0, extension), true)});
    if (!files.forms.empty()) sides_.second.push_back({std::move(files)});
  }

  const Exchange& exchange_;
  Filesystem& filesystem_;
  const CellsPlace& place_;
  const PageCells& cells_;
  const MarkersPtr markers_;
  const Store& store_;
  const AnnotatedMatrix& matrix_;
  PageModel& page_;
  const Query query_;
  const GeneMatrix* matrix_chosen_ = nullptr;  // null: the first that has the gene
  std::vector<std::string> matrices_, embeddings_, slides_, outlines_, columns_, splits_;
  std::optional<PlaneRegion> region_;
  const Slide* slide_ = nullptr;  // if the page shows its picture
  bool shows_tissue_ = true;
  std::string embedding_, colour_name_, split_name_;
  std::string outlined_;  // empty: no outlines
  std::optional<CellColour> colour_;
  CellGroups split_;
  std::vector<std::string> genes_;  // if the page shows several
  SideBySide sides_;
};

}  // namespace

std::optional<CellsPlace> cells_place(const Exchange& exchange, const Subject& subject) {
  if (!subject.has_folder || !subject.meaning) return std::nullopt;
  Filesystem& filesystem = *subject.place.filesystem;
  if (annotated_matrix_of(subject.node(), subject.context())) return CellsPlace{subject.place.inode};
  // Another folder of stores has no cells of its own, and a search would open all stores.
  if (subject.meaning->what.store->is_folder) return std::nullopt;
  const bool is_root = subject.place.inode == kRootInode || subject.meaning->what.is_store;
  if (!is_root || !subject.node().parts) return std::nullopt;
  const std::string path = filesystem.path(subject.place.inode);
  for (const std::string_view folder : folders_of_matrices()) {
    CellsPlace place{};
    for (const std::string& name : folders_in(filesystem, fmt::format("{}/{}", path, folder))) {
      const Inode inode = filesystem.resolve(fmt::format("{}/{}/{}", path, folder, name));
      const OpenMeaning meaning = filesystem.meaning(inode);
      if (annotated_matrix_of(meaning.what.node, *meaning.what.context)) place.assays.push_back(name);
    }
    if (place.assays.empty()) continue;
    const std::string main = main_part(filesystem);
    const std::string wanted =
        Query(exchange.target.query).value("assay").value_or(std::string(last_name(main)));
    const auto found = std::find(place.assays.begin(), place.assays.end(), wanted);
    place.assay = found == place.assays.end() ? place.assays[0] : *found;
    place.href = std::string(folder) + "/" + percent_encoded(place.assay) + "/";
    place.directory = filesystem.resolve(fmt::format("{}/{}/{}", path, folder, place.assay));
    return place;
  }
  return std::nullopt;
}

void add_cells(const Exchange& exchange, const Subject& subject, const CellsPlace& place,
               const PageCells& cells, const MarkersPtr& markers, PageModel& page) {
  const std::optional<std::string> assay = Query(exchange.target.query).value("assay");
  if (assay && *assay != place.assay) {
    Problem problem{fmt::format("No assay '{}'.", shortened(*assay, kMaxShownBytes))};
    for (const std::string& name : place.assays)
      problem.near.push_back({name, Query(exchange.target.query).with("assay", name).href()});
    page.problems.push_back(std::move(problem));
  }
  CellsSection(exchange, subject, place, cells, markers, page).add();
}

uint64_t work_of_slide(const Query& query, const PageCells& cells) {
  const SlidesFound* const found = cells.known_slides();
  if (found && found->slides.empty()) return 0;
  const uint64_t count = cells.matrix().cells;
  const std::string outlines = query.value("outlines").value_or("");
  uint64_t work = count > WorkBudget::kMaxFreeValues ? count * kBytesACellOnSlide : 0;
  if (!found) return work + kMaxSlideWork + (outlines.empty() ? 0 : kMaxOutlineWork);
  const Slide& shown = found->slides[shown_slide(*found, query)];
  if (!cells.keeps_picture(shown)) work += kMaxSlideWork;
  if (!outlines.empty() && !cells.keeps_picture(shown, outlines)) work += kMaxOutlineWork;
  return work;
}

uint64_t work_of_cells(const Query& query, const PageCells& cells) {
  const uint64_t of_stored =
      query.value("stored") ? bytes_of_stored_markers(cells.stored_markers(), query) : 0;
  const bool has_several = names_in_list(query.value("color").value_or("")).size() > 1;
  const uint64_t of_a_cell = has_several ? kBytesACellOfGenes : kBytesACellShown;
  const uint64_t count = cells.matrix().cells;
  const uint64_t of_slide =
      shown_embedding(query, cells.matrix()) == annotated::kSpatial ? work_of_slide(query, cells) : 0;
  return std::max(count > WorkBudget::kMaxFreeValues ? count * of_a_cell : 0,
                  of_stored > kMaxFreeBytes ? of_stored : 0) +
         of_slide;
}

std::string cells_thumbnail(const PageCells& cells) {
  const std::vector<std::string> embeddings = embedding_names(cells.matrix());
  if (embeddings.empty() || cells.matrix().cells == 0) return {};
  const std::optional<CellPlaces> places = places_of(cells.matrix(), embeddings[0], kMaxThumbnailPoints);
  const std::vector<std::string> colours = split_names(cells.matrix());
  std::optional<CellColour> colour;
  if (!colours.empty()) colour = cell_colour(cells, colours[0]);
  return scatter_thumbnail(*places, colour ? &*colour : nullptr);
}

}  // namespace plainfs::serve
