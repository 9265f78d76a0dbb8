// The images of Seurat objects and h5Seurat files. Sources: Seurat 4.3.0 and 5.5 `R/objects.R` (VisiumV1,
// VisiumV2, SlideSeq, STARmap and their GetTissueCoordinates), `R/preprocessing.R` (Read10X_Image);
// SeuratObject 5.4.0 `R/fov.R`.
#include <algorithm>
#include <unordered_map>

#include "formats/annotated/parts.h"
#include "formats/annotated/slides/slides.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

Elements texts_of_array(const ArrayPtr& names) {
  return read_all(*frames::as_written(names));
}

// The places of cells by name.
class CellPlaces {
 public:
  explicit CellPlaces(const ArrayPtr& cells) : names_(texts_of_array(cells)) {
    places_.reserve(names_.count);
    for (uint64_t i = 0; i < names_.count; ++i)
      if (!names_.is_missing(i)) places_.emplace(names_.text(i), i);
  }
  std::optional<uint64_t> of(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  const Elements names_;
  std::unordered_map<std::string_view, uint64_t> places_;
};

bool is_number(const ArrayPtr& values) {
  return values && values->dtype().is_integer_or_real();
}

// The columns with the coordinates of a cell, across and down.
struct Axes {
  ArrayPtr x, y;
};

// Returns the columns of coordinates: Visium's, else x and y, else the first two of numbers, since SlideSeq's
// may have any name.
std::optional<Axes> axes_of(const Table& table) {
  for (const auto& [x, y] : {std::pair("imagecol", "imagerow"), {"x", "y"}}) {
    const Axes axes{column_values(table.columns, x), column_values(table.columns, y)};
    if (is_number(axes.x) && is_number(axes.y)) return axes;
  }
  std::vector<ArrayPtr> numbers;
  for (const Column& column : table.columns)
    if (is_number(column.values)) numbers.push_back(column.values);
  return numbers.size() < 2 ? std::nullopt : std::optional(Axes{numbers[0], numbers[1]});
}

// Returns whether x and y are exchanged. Until Seurat 5.3, x of a VisiumV2 ran down the picture; since then
// it runs across, which a slot declares.
bool is_turned(const Node& image, Context& context) {
  const Attributes attributes = attributes_of(image);
  const std::vector<std::string> classes = attributes.texts("class");
  const bool is_visium_v2 = std::find(classes.begin(), classes.end(), "VisiumV2") != classes.end();
  if (!is_visium_v2 && attributes.text("s4class") != "VisiumV2") return false;
  const auto axis = content_of<LabelledArray>(member_of(image.parts, "coords_x_orientation", context));
  if (!axis || axis->values->count() != 1 || !axis->values->dtype().is_text()) return true;
  return texts_of_array(axis->values).text(0) != "horizontal";
}

class SlideMaker {
 public:
  SlideMaker(const ArrayPtr& cells, Context& context)
      : count_(cells->count()), places_(cells), context_(context) {}

  // Returns the slide of an image; nullopt if it holds no coordinates.
  std::optional<Slide> make(const std::string& name, const Node& image) const;

 private:
  // Takes the rows that are cells of the object. Returns false if it finds no such row.
  bool take_rows(const Table& table, std::vector<Column> columns, Slide& slide) const;
  void take_picture(const GroupPtr& image, Slide& slide) const;
  std::string text_in(const GroupPtr& image, const Attributes& attributes, const char* name) const;

  const uint64_t count_;
  const CellPlaces places_;
  Context& context_;
};

bool SlideMaker::take_rows(const Table& table, std::vector<Column> columns, Slide& slide) const {
  if (!table.row_names) return false;
  const Elements names = texts_of_array(table.row_names);
  std::vector<uint64_t> rows;
  std::vector<bool> is_known(count_);
  for (uint64_t row = 0; row < names.count; ++row) {
    const std::optional<uint64_t> cell = names.is_missing(row) ? std::nullopt : places_.of(names.text(row));
    if (!cell || is_known[*cell]) continue;
    is_known[*cell] = true;
    slide.cells.push_back(*cell);
    rows.push_back(row);
  }
  if (rows.empty()) return false;
  for (Column& column : columns) {
    column.values->check();
    if (column.values->shape() != Shape{names.count})
      throw damaged("coordinates: column {} has {} values, expected {}, one for each cell", column.name,
                    column.values->count(), names.count);
    const DType& type = column.values->dtype();
    if (rows.size() < names.count)
      column.values = std::make_shared<MemoryArray>(type, Shape{rows.size()},
                                                    gather(type, read_all(*column.values), rows));
    slide.coordinates.push_back(std::move(column));
  }
  return true;
}

std::string SlideMaker::text_in(const GroupPtr& image, const Attributes& attributes, const char* name) const {
  if (const std::optional<std::string> text = attributes.text(name)) return *text;
  const auto stored = content_of<LabelledArray>(member_of(image, name, context_));
  const bool is_one = stored && stored->values->dtype().is_text() && stored->values->count() == 1;
  return is_one ? std::string(texts_of_array(stored->values).text(0)) : "";
}

void SlideMaker::take_picture(const GroupPtr& image, Slide& slide) const {
  const std::optional<Node> pixels = member_of(image, "image", context_);
  if (!pixels) return;
  slide.pixels = pixels_of(pixels->content);
  if (const auto factors = content_of<Table>(member_of(image, "scale.factors", context_))) {
    slide.spot = factor_in(*factors, "spot");
    slide.fiducial = factor_in(*factors, "fiducial");
    slide.hires = factor_in(*factors, "hires");
    slide.lowres = factor_in(*factors, "lowres");
  }
  const auto radius = content_of<LabelledArray>(member_of(image, "spot.radius", context_));
  if (radius && radius->values->count() == 1 && is_number(radius->values))
    slide.spot_radius = reals_of(*radius->values).front();
}

std::optional<Slide> SlideMaker::make(const std::string& name, const Node& image) const {
  const auto table = content_of<Table>(member_of(image.parts, "coordinates", context_));
  std::optional<Axes> axes = table ? axes_of(*table) : std::nullopt;
  if (!axes) return std::nullopt;
  if (is_turned(image, context_)) std::swap(axes->x, axes->y);
  const bool is_visium = column_values(table->columns, "imagecol") == axes->x &&
                         column_values(table->columns, "imagerow") == axes->y;
  Slide slide;
  slide.name = name;
  if (!take_rows(*table, is_visium ? table->columns : plain_coordinates(axes->x, axes->y), slide))
    return std::nullopt;
  const Attributes attributes = attributes_of(image);
  slide.assay = text_in(image.parts, attributes, "assay");
  slide.key = text_in(image.parts, attributes, "key");
  take_picture(image.parts, slide);
  return slide;
}

}  // namespace

std::vector<Slide> seurat_slides(const GroupPtr& root, const ArrayPtr& cells, Context& context) {
  const std::optional<Node> images = member_of(root, "images", context);
  if (!images || !images->parts) return {};
  std::vector<Member> members = images->parts->members();
  if (members.empty()) return {};
  const SlideMaker maker(cells, context);
  std::vector<Slide> slides;
  for (Member& member : members) {
    const Node image = readable(std::move(member.node), context);
    if (!image.parts) continue;
    if (std::optional<Slide> slide = maker.make(member.name, image)) slides.push_back(*std::move(slide));
  }
  return slides;
}

}  // namespace plainfs::annotated
