#include "fs/serve/pages/folder/elements_page.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "fs/report/summary.h"
#include "fs/report/words.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/scatter.h"
#include "fs/serve/pages/cells/slide_view.h"
#include "fs/serve/pages/cells/spatial_maps.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/model/html_table.h"
#include "fs/views/images/picture.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxElementsShown = 200, kMaxThumbnails = 24;
constexpr int kThumbnailSide = 160;

struct Element {
  std::string kind;  // "images"
  std::string name;
  OpenMeaning meaning;

  std::string href() const { return kind + "/" + percent_encoded(encode_name(name)) + "/"; }
};

class ElementsPage {
 public:
  ElementsPage(const Exchange& exchange, const Subject& subject, PageModel& page)
      : exchange_(exchange),
        filesystem_(*subject.place.filesystem),
        root_(filesystem_.path(subject.place.inode)),
        page_(page) {}

  void add(const Node& root) {
    for (const char* const kind : {"images", "labels", "points", "shapes", "tables", "table"})
      find(root, kind);
    part([&] { add_cells_over_image(); });
    add_thumbnails();
    add_table();
  }

 private:
  template <class Make>
  void part(Make&& make) try {
    make();
  } catch (const Error& error) {
    if (error.code() == Errc::changed) throw;
    page_.notes.push_back(public_message(exchange_.site, error));
  }

  void find(const Node& root, const char* kind) {
    part([&] {
      const std::optional<Node> folder = root.parts->find(kind);
      if (!folder || !folder->parts) return;
      for (const Member& member : folder->parts->members()) {
        if (!member.node.parts || std::holds_alternative<PlainFile>(member.node.content)) continue;
        if (elements_.size() == kMaxElementsShown) {
          is_cut_ = true;
          return;
        }
        part([&] {
          const std::string path = joined_path(joined_path(root_, kind), encode_name(member.name));
          elements_.push_back({kind, member.name, filesystem_.meaning(filesystem_.resolve(path))});
        });
      }
    });
  }

  // Adds the cells of the first table that shares a coordinate system with an image.
  void add_cells_over_image() {
    for (const Element& element : elements_) {
      if (!element.kind.starts_with("table")) continue;
      const Inode inode =
          filesystem_.resolve(joined_path(joined_path(root_, element.kind), encode_name(element.name)));
      const PageCellsPtr cells = exchange_.pages.cells.of(filesystem_, inode);
      if (!cells) continue;
      const uint64_t count = cells->matrix().cells;
      const WorkBudget::Share share = exchange_.pages.work->take(work_of_slide(Query(""), *cells));
      const SlidesFound& found = cells->slides();
      page_.notes.insert(page_.notes.end(), found.left_out.begin(), found.left_out.end());
      if (found.slides.empty()) continue;
      const Slide& slide = found.slides.front();
      const SlideView view = view_of(slide, cells->backdrop(slide), count, kMaxPoints);
      page_.add(
          std::vector{Picks{"Colour the cells by a gene or a column", {{element.name, element.href()}}}});
      page_.add(scatter(view, slide.cells.size(), nullptr, true));
      return;
    }
  }

  void add_thumbnails() {
    std::string html;
    size_t shown = 0, all = 0;
    for (const Element& element : elements_) {
      const auto* image = std::get_if<Image>(&element.meaning.what.node.content);
      if (!image || image->error || ++all > kMaxThumbnails) continue;
      if (!preview_of(*image))
        page_.notes.push_back(
            fmt::format("{}/{} has no level that is small enough for a picture of it: its middle is shown "
                        "here, and other "
                        "parts on its page.",
                        element.kind, element.name));
      ++shown;
      const std::string name = shown_text(element.kind + "/" + element.name), href = element.href();
      html +=
          fmt::format("<li>{}<p>{}</p></li>",
                      link(href, fmt::format("<img loading=\"lazy\" width=\"{0}\" height=\"{0}\" alt=\"{1}\" "
                                             "src=\"{2}?thumbnail&amp;side={0}\">",
                                             kThumbnailSide, name, escaped(href))),
                      name);
    }
    if (shown > 0)
      page_.add(Figure{"Images and labels", "<ul class=\"fields\">" + html + "</ul>",
                       shown < all ? fmt::format("The first {} of {}", shown, all) : std::string()});
  }

  void add_table() {
    if (elements_.empty()) return;
    Grid grid{is_cut_ ? fmt::format("The first {} elements", kMaxElementsShown)
                      : count_text(elements_.size(), "element")};
    grid.heading = "Elements";
    grid.key = "elements";
    for (const char* const name : {"element", "kind", "contents", "coordinate systems"})
      grid.header.push_back({name});
    for (const Element& element : elements_)
      part([&] {
        const Node& node = element.meaning.what.node;
        grid.rows.push_back(
            {{element.name, false, element.href()},
             {element.kind == "table" ? "tables" : element.kind},
             {contents_of_element(node)},
             {node.parts ? fmt::format("{}", fmt::join(system_names(*node.parts), ", ")) : ""}});
      });
    page_.add(std::move(grid));
  }

  // Returns the pixels of an image, or the rows of the tables of points, shapes and cells.
  static std::string contents_of_element(const Node& node) {
    const std::string what = describe(node).what;
    if (!what.empty() || !node.parts) return what;
    std::string text;
    for (const Member& member : node.parts->members())
      if (const auto* table = std::get_if<Table>(&member.node.content))
        text += fmt::format("{}{}: {} rows × {} columns", text.empty() ? "" : ", ", member.name,
                            count_text(table->rows), table->columns.size());
    return text;
  }

  const Exchange& exchange_;
  Filesystem& filesystem_;
  const std::string root_;
  PageModel& page_;
  std::vector<Element> elements_;
  bool is_cut_ = false;
};

}  // namespace

bool add_elements(const Exchange& exchange, const Subject& subject, PageModel& page) {
  if (!subject.has_folder || !subject.meaning || !subject.meaning->what.is_store || !subject.node().parts ||
      subject.meaning->what.store->format != "SpatialData")
    return false;
  ElementsPage(exchange, subject, page).add(subject.node());
  return true;
}

}  // namespace plainfs::serve
