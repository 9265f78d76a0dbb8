#include "fs/serve/pages/folder/names_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "formats/annotated/annotated_matrices.h"
#include "formats/core/text/percent.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/page_frame.h"
#include "fs/serve/pages/model/page_html.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

// A name without its extension, and its files.
struct NamedFiles {
  std::string stem;
  std::vector<std::string> files;
};

bool is_of_genes(Filesystem& filesystem, Inode directory) {
  return has_form(filesystem.meaning(directory).what.identity.row, forms::kGenes);
}

class NamesPage {
 public:
  NamesPage(const Exchange& exchange, const Site::Place& place, const Listing& listing)
      : exchange_(exchange),
        filesystem_(*place.filesystem),
        place_(place),
        listing_(listing),
        query_(exchange.target.query) {}

  PageModel make() {
    find_ = query_.value("find").value_or("");
    from_ = query_.number("from").value_or(0);
    const std::vector<NamedFiles> shown = find_names();
    page_.title = exchange_.names.back();
    page_.kind = "names";
    page_.sub = count_text(all_, "name");
    add_form();
    if (matches_ == 0) add_nearest();
    const std::optional<PlaceOfCells> cells = place_of_cells();
    std::vector<ContentRow> rows;
    for (const NamedFiles& name : shown) rows.push_back(row_of(name, cells));
    if (!shown.empty()) page_.add(std::move(rows));
    if (matches_ > kNamesOnPage) page_.add(Pager{query_, "names", from_, kNamesOnPage, matches_});
    return std::move(page_);
  }

 private:
  // The files of one name are adjacent.
  std::vector<NamedFiles> find_names() {
    std::vector<NamedFiles> shown;
    std::string last;
    bool is_shown = false;
    for (size_t i = 0; i < listing_.size(); ++i) {
      std::string file = listing_.at(i).name;
      std::string stem = file.substr(0, std::min(file.rfind('.'), file.size()));
      if (i == 0 || stem != last) {
        ++all_;
        is_shown = false;
        if (find_.empty() || holds_in_any_case(stem, find_)) {
          is_shown = matches_ >= from_ && matches_ < from_ + kNamesOnPage;
          ++matches_;
        }
        if (is_shown) shown.push_back({stem, {}});
        last = std::move(stem);
      }
      if (is_shown) shown.back().files.push_back(std::move(file));
    }
    return shown;
  }

  void add_form() {
    Form form;
    form.fields.push_back({"Find by name", "find", find_});
    form.hidden = query_.rest({"find", "from"});
    page_.add(std::move(form));
  }

  void add_nearest() {
    std::vector<std::string> stems;
    for (size_t i = 0; i < listing_.size(); ++i) {
      const std::string file = listing_.at(i).name;
      stems.push_back(file.substr(0, std::min(file.rfind('.'), file.size())));
    }
    stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
    Problem problem{fmt::format("No name contains '{}'.", shortened(find_, 60))};
    for (const std::string& name : nearest_names(find_, stems))
      problem.near.push_back({name, query_.with("from", {}).with("find", name).href()});
    page_.problems.push_back(std::move(problem));
  }

  // The page that colours cells by a gene.
  struct PlaceOfCells {
    std::string href;
    std::string matrix;  // its name there; empty: the page chooses
  };

  // Returns nullopt if there is no such page.
  std::optional<PlaceOfCells> place_of_cells() {
    if (!is_of_genes(filesystem_, place_.inode)) return std::nullopt;
    Inode above = place_.inode;
    std::string href;
    for (int i = 0; i < 3 && above != kRootInode; ++i) {
      above = filesystem_.parent(above);
      href += "../";
      const OpenMeaning meaning = filesystem_.meaning(above);
      if (annotated_matrix_of(meaning.what.node, *meaning.what.context))
        return PlaceOfCells{href, matrix_below(above)};
    }
    return std::nullopt;
  }

  // Returns the name of the matrix of these genes on the page of `cells`, if another one could be meant.
  std::string matrix_below(Inode cells) {
    const Inode matrix = filesystem_.parent(place_.inode);
    if (matrix == cells) return {};
    const std::string room = filesystem_.name(filesystem_.parent(matrix));
    const OpenMeaning meaning = filesystem_.meaning(matrix);
    if (filesystem_.parent(matrix) == cells)
      return meaning.what.node.role == Role::main_matrix && exists(cells, "raw") ? "X" : "";
    if (meaning.what.node.role == Role::raw_matrix) return "raw";
    return room == "layers" ? room + "/" + meaning.what.member : "";
  }

  bool exists(Inode directory, const char* name) {
    try {
      filesystem_.lookup(directory, name);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  static ContentRow row_of(const NamedFiles& name, const std::optional<PlaceOfCells>& cells) {
    ContentRow row{name.stem, {}, {}, {}};
    row.href = percent_encoded(name.files[0]);
    if (cells)
      row.href = cells->href +
                 Query("").with("color", percent_decoded(name.stem)).with("matrix", cells->matrix).href();
    for (const std::string& file : name.files)
      row.views.push_back({file.substr(std::min(name.stem.size() + 1, file.size())), percent_encoded(file)});
    return row;
  }

  const Exchange& exchange_;
  Filesystem& filesystem_;
  const Site::Place& place_;
  const Listing& listing_;
  const Query query_;
  PageModel page_;
  std::string find_;
  uint64_t from_ = 0, all_ = 0, matches_ = 0;
};

}  // namespace

bool answer_names(const Exchange& exchange, const Site::Place& place) {
  if (!place.filesystem || exchange.names.empty()) return false;
  const ListingPtr listing = place.filesystem->list(place.inode);
  if (!listing->is_of_parts() ||
      (listing->size() <= kNamesOnPage && !is_of_genes(*place.filesystem, place.inode)))
    return false;
  const PageModel page = NamesPage(exchange, place, *listing).make();
  answer_page(exchange, {page.title, page.sub, html_of(page), false});
  return true;
}

}  // namespace plainfs::serve
