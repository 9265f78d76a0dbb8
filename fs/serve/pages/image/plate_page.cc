#include "fs/serve/pages/image/plate_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/base/checked.h"
#include "formats/core/base/location.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/printable.h"
#include "formats/schemas/ome/plate.h"
#include "fs/report/words.h"
#include "fs/serve/http/entity_tag.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/image/image_page.h"
#include "fs/serve/pages/model/html_table.h"
#include "fs/serve/plots/pixels.h"
#include "fs/views/images/picture.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

using FieldPath = std::vector<std::string>;

constexpr size_t kMaxPlateRows = 64, kMaxPlateColumns = 96, kMaxFields = 1'000;
constexpr uint64_t kMinSide = 16, kSide = 96;  // of a thumbnail, in pixels
constexpr double kPlateWidth = 1100, kMinShown = 24, kMaxShown = 96, kFieldShown = 160;
constexpr size_t kMaxTries = 4;  // wells that are opened to find an image

std::string joined_names(const FieldPath& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : "/") + encode_name(name);
  return text;
}

struct OpenImage {
  OpenMeaning meaning;

  const Image& image() const { return std::get<Image>(meaning.what.node.content); }
};
// Returns the image in a folder of the store; nullopt if it has no image that can be shown.
std::optional<OpenImage> image_at(Filesystem& filesystem, const std::string& path) {
  OpenImage open{filesystem.meaning(filesystem.resolve(path))};
  const auto* image = std::get_if<Image>(&open.meaning.what.node.content);
  return image && !image->error ? std::optional(std::move(open)) : std::nullopt;
}

std::optional<ome::Plate> plate_in(const Node& node) {
  return node.parts && is_plain_group(node) ? ome::plate_of(*node.parts) : std::nullopt;
}

std::optional<std::vector<FieldPath>> fields_in(const Node& node) {
  return node.parts && is_plain_group(node) ? ome::fields_of_well(*node.parts) : std::nullopt;
}

// The thumbnails of a page: one choice of channels and contrast for all.
class Thumbnails {
 public:
  Thumbnails(const Query& query, PageModel& page) : query_(query), page_(page) {}

  // Adds the form, with the channels and the contrast of an image as the default. `more`: other fields.
  void add_form(const Image& image, std::vector<FormField> more) {
    const size_t known = page_.problems.size();
    const ImageChoice choice = image_choice(query_, image, page_.problems);
    const bool is_whole = page_.problems.size() == known;
    shown_ =
        with_contrast(is_whole ? picture_query(query_) : Query(""), image, is_whole ? choice : ImageChoice{});
    caption_ = contrast_text(image, is_whole ? choice : ImageChoice{}, "the values of each picture");
    const Shape& shape = image.levels.front().values->shape();
    width_ = static_cast<double>(shape[shape.size() - 1]);
    height_ = static_cast<double>(shape[shape.size() - 2]);
    Form form = image_form(query_, image, choice);
    std::vector<std::string> names;
    for (const FormField& field : more) names.push_back(field.name);
    std::erase_if(form.hidden, [&](const auto& hidden) {
      return std::find(names.begin(), names.end(), hidden.first) != names.end();
    });
    form.fields.insert(form.fields.end(), more.begin(), more.end());
    page_.add(std::move(form));
  }

  const std::string& caption() const { return caption_; }
  std::string href(const std::string& folder) const {
    const std::string query = shown_.href();
    return percent_encoded(folder, true) + "/" + (query == "?" ? "" : query);
  }
  // Returns a link to a folder with the thumbnail in it. name: for screen readers.
  std::string html(const std::string& folder, const std::string& name, double side,
                   const Query& field) const {
    Query picture = shown_;
    for (const auto& [key, value] : field.rest({})) picture = picture.with(key, value);
    const std::string source =
        percent_encoded(folder, true) + "/" +
        picture.with("thumbnail", "1").with("side", fmt::format("{:.0f}", side)).href();
    return link(href(folder),
                fmt::format("<img loading=\"lazy\"{} alt=\"{}\" src=\"{}\">", size_attributes_of(side),
                            escaped(printable(name)), escaped(source)));
  }

 private:
  std::string size_attributes_of(double side) const {
    return fmt::format(" width=\"{:.0f}\" height=\"{:.0f}\"",
                       std::max(1.0, side * std::min(1.0, width_ / height_)),
                       std::max(1.0, side * std::min(1.0, height_ / width_)));
  }

  const Query query_;
  PageModel& page_;
  Query shown_{""};
  std::string caption_;
  double width_ = 1, height_ = 1;
};

class PlatePage {
 public:
  PlatePage(const Exchange& exchange, const Subject& subject, ome::Plate plate, PageModel& page)
      : filesystem_(*subject.place.filesystem),
        root_(filesystem_.path(subject.place.inode)),
        plate_(std::move(plate)),
        page_(page),
        query_(exchange.target.query),
        thumbnails_(query_, page) {}

  void add() {
    std::sort(plate_.wells.begin(), plate_.wells.end(), [](const ome::PlateWell& a, const ome::PlateWell& b) {
      return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    });
    remove_absent();
    page_.kind = "plate";
    if (!page_.sub.ends_with("plate")) page_.sub = page_.sub == "folder" ? "plate" : page_.sub + " · plate";
    if (!plate_.name.empty()) page_.facts.push_back({"name", plate_.name});
    page_.facts.push_back({"rows", count_text(plate_.rows.size())});
    page_.facts.push_back({"columns", count_text(plate_.columns.size())});
    page_.facts.push_back({"wells", count_text(plate_.wells.size())});
    if (plate_.wrong > 0)
      page_.notes.push_back(
          fmt::format("{} well{} left out: not in a row and column of the plate, or there twice",
                      count_text(plate_.wrong), plate_.wrong == 1 ? " is" : "s are"));
    add_form();
    add_grid();
  }

 private:
  // Removes the wells that the plate lists and the store does not have. At a URL that would be a request
  // each.
  void remove_absent() {
    if (is_url(filesystem_.store()->path)) return;
    std::erase_if(plate_.wells, [&](const ome::PlateWell& well) {
      try {
        filesystem_.resolve(root_ + "/" + joined_names(well.path));
        return false;
      } catch (const Error& error) {
        if (error.code() != Errc::not_found) throw;
        return true;
      }
    });
  }

  void add_form() {
    for (size_t i = 0; i < std::min(plate_.wells.size(), kMaxTries); ++i) {
      const std::string well = root_ + "/" + joined_names(plate_.wells[i].path);
      const OpenMeaning meaning = filesystem_.meaning(filesystem_.resolve(well));
      const std::optional<std::vector<FieldPath>> fields = fields_in(meaning.what.node);
      if (!fields || fields->empty()) continue;
      choose_field(fields->size());
      const std::optional<OpenImage> open =
          image_at(filesystem_, well + "/" + joined_names((*fields)[std::min(field_, fields->size() - 1)]));
      if (!open) continue;
      page_.facts.push_back({"fields of a well", count_text(fields->size())});
      std::vector<FormField> more;
      if (fields->size() > 1) {
        more.push_back({fmt::format("Field, 0 to {}", fields->size() - 1), "field", std::to_string(field_)});
        more.back().is_number = true;
      }
      return thumbnails_.add_form(open->image(), std::move(more));
    }
  }

  void choose_field(size_t fields) {
    const std::optional<std::string> text = query_.value("field");
    const std::optional<uint64_t> field = query_.number("field");
    if (!text) return;
    if (field && *field < fields)
      field_ = *field;
    else
      page_.problems.push_back(
          {fmt::format("field: '{}' is not from 0 to {}.", shortened(*text, 60), fields - 1),
           {{"0", query_.with("field", "0").href()}}});
  }

  void add_grid() {
    const size_t rows = std::min(plate_.rows.size(), kMaxPlateRows),
                 columns = std::min(plate_.columns.size(), kMaxPlateColumns);
    if (rows == 0 || columns == 0) return;
    const double side =
        std::clamp(std::floor(kPlateWidth / static_cast<double>(columns + 1)) - 8, kMinShown, kMaxShown);
    HtmlTable table{"Wells", "plate", {}, {{""}}};
    for (size_t column = 0; column < columns; ++column)
      table.columns.push_back({escaped(printable(plate_.columns[column]))});
    for (size_t row = 0; row < rows; ++row) {
      table.rows.emplace_back(columns + 1);
      table.rows.back()[0] = escaped(printable(plate_.rows[row]));
    }
    const Query field = field_ == 0 ? Query("") : Query("").with("field", std::to_string(field_));
    for (const ome::PlateWell& well : plate_.wells)
      if (well.row < rows && well.column < columns)
        table.rows[well.row][well.column + 1] = thumbnails_.html(
            joined_names(well.path), plate_.rows[well.row] + plate_.columns[well.column], side, field);
    std::string caption = thumbnails_.caption();
    if (rows < plate_.rows.size() || columns < plate_.columns.size())
      caption += fmt::format(". The first {} of {} rows and {} of {} columns", rows,
                             count_text(plate_.rows.size()), columns, count_text(plate_.columns.size()));
    page_.add(Figure{"Wells", table.html(), std::move(caption)});
  }

  Filesystem& filesystem_;
  const std::string root_;
  ome::Plate plate_;
  PageModel& page_;
  const Query query_;
  Thumbnails thumbnails_;
  size_t field_ = 0;
};

// Adds the wells before and after this one, as far as its plate has them.
void add_neighbours(const Exchange& exchange, const Subject& subject, PageModel& page) {
  Filesystem& filesystem = *subject.place.filesystem;
  const std::vector<std::string>& names = subject.place.names;
  if (names.size() < 2) return;
  const OpenMeaning above = filesystem.meaning(filesystem.parent(filesystem.parent(subject.place.inode)));
  std::optional<ome::Plate> plate = plate_in(above.what.node);
  if (!plate) return;
  const FieldPath path{names[names.size() - 2], names.back()};
  const auto here = std::find_if(plate->wells.begin(), plate->wells.end(), [&](const ome::PlateWell& well) {
    return encode_name(well.path[0]) == path[0] && encode_name(well.path[1]) == path[1];
  });
  if (here == plate->wells.end()) return;
  page.title = plate->rows[here->row] + plate->columns[here->column];
  const std::string query = picture_query(Query(exchange.target.query)).href();
  Picks wells{"Wells", {}};
  const auto add = [&](const ome::PlateWell& well, bool is_before) {
    const std::string name = plate->rows[well.row] + plate->columns[well.column];
    wells.links.push_back(
        {is_before ? "← " + name : name + " →",
         "../../" + percent_encoded(joined_names(well.path), true) + "/" + (query == "?" ? "" : query)});
  };
  if (here != plate->wells.begin()) add(*(here - 1), true);
  if (here + 1 != plate->wells.end()) add(*(here + 1), false);
  if (!wells.links.empty()) page.add(std::vector{std::move(wells)});
}

void add_well(const Exchange& exchange, const Subject& subject, const std::vector<FieldPath>& fields,
              PageModel& page) {
  Filesystem& filesystem = *subject.place.filesystem;
  page.kind = "well";
  page.sub = "well of a plate";
  page.facts.push_back({"fields", count_text(fields.size())});
  add_neighbours(exchange, subject, page);
  Thumbnails thumbnails(Query(exchange.target.query), page);
  const std::string root = filesystem.path(subject.place.inode);
  for (size_t i = 0; i < std::min(fields.size(), kMaxTries); ++i)
    if (const std::optional<OpenImage> open = image_at(filesystem, root + "/" + joined_names(fields[i]))) {
      thumbnails.add_form(open->image(), {});
      break;
    }
  std::string html = "<ul class=\"fields\">";
  const size_t shown = std::min(fields.size(), kMaxFields);
  for (size_t i = 0; i < shown; ++i)
    html += fmt::format(
        "<li>{}<p>{}</p></li>",
        thumbnails.html(joined_names(fields[i]), "field " + joined_names(fields[i]), kFieldShown, Query("")),
        escaped(printable("field " + joined_names(fields[i]))));
  std::string caption = thumbnails.caption();
  if (shown < fields.size())
    caption += fmt::format(". The first {} of {} fields", count_text(shown), count_text(fields.size()));
  page.add(Figure{"Fields", html + "</ul>", std::move(caption)});
}

// Returns the image at a place, or the field of a well there that the query chooses.
std::optional<OpenImage> image_of_place(const Query& query, const Site::Place& place) {
  Filesystem& filesystem = *place.filesystem;
  const std::string root = filesystem.path(place.inode);
  const OpenMeaning meaning = filesystem.meaning(place.inode);
  if (std::holds_alternative<Image>(meaning.what.node.content)) {
    std::optional<OpenImage> open = image_at(filesystem, root);
    if (!open) throw *std::get<Image>(meaning.what.node.content).error;
    return open;
  }
  const std::optional<std::vector<FieldPath>> fields = fields_in(meaning.what.node);
  if (!fields || fields->empty()) return std::nullopt;
  const uint64_t field = query.value("field") ? query.number("field").value_or(fields->size()) : 0;
  if (field >= fields->size()) throw InvalidQuery{fmt::format("field: not from 0 to {}", fields->size() - 1)};
  const std::string path = root + "/" + joined_names((*fields)[field]);
  std::optional<OpenImage> open = image_at(filesystem, path);
  if (!open) throw not_found("{}: no image that can be shown", path);
  return open;
}

}  // namespace

bool add_plate(const Exchange& exchange, const Subject& subject, PageModel& page) {
  if (!subject.has_folder || !subject.meaning) return false;
  if (std::optional<ome::Plate> plate = plate_in(subject.node())) {
    PlatePage(exchange, subject, *std::move(plate), page).add();
    return true;
  }
  const std::optional<std::vector<FieldPath>> fields = fields_in(subject.node());
  if (!fields || fields->empty()) return false;
  add_well(exchange, subject, *fields, page);
  return true;
}

std::optional<std::string> field_title(const Subject& subject) {
  const std::vector<std::string>& names = subject.place.names;
  if (!subject.has_folder || names.size() < 3 || subject.place.inode == kRootInode) return std::nullopt;
  Filesystem& filesystem = *subject.place.filesystem;
  const OpenMeaning well = filesystem.meaning(filesystem.parent(subject.place.inode));
  if (!fields_in(well.what.node)) return std::nullopt;
  return fmt::format("{}{}, field {}", names[names.size() - 3], names[names.size() - 2], names.back());
}

bool answer_image_thumbnail(const Exchange& exchange, const Site::Place& place) {
  const Query query(exchange.target.query);
  if (!place.filesystem || place.kind != FileKind::directory || !query.has("thumbnail")) return false;
  const std::optional<OpenImage> open = image_of_place(query, place);
  if (!open) return false;
  const std::string tag = exchange.tags.of(place.store, open->meaning.opening->number(),
                                           place.filesystem->path(place.inode) + "?" + exchange.target.query);
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.add("ETag", tag);
  if (!place.filesystem->has_changed() && lists_tag(exchange.request.field("If-None-Match"), tag))
    return exchange.reply.whole(304, "", ""), true;
  std::vector<Problem> problems;
  ImageChoice choice = image_choice(query, open->image(), problems);
  if (!problems.empty()) throw InvalidQuery{problems[0].text};
  const uint64_t side = std::clamp(query.number("side").value_or(kSide), kMinSide, kMaxThumbnailSide);
  choice.least_side = side;
  std::optional<Picture> picture = chosen_picture(open->image(), choice);
  if (!picture && !choice.region && has_brightness(open->image().levels.front().values->dtype())) {
    choice.region = middle_of(open->image());
    picture = chosen_picture(open->image(), choice);
  }
  if (!picture) throw unsupported("{}: no level is small enough", open->image().name);
  WorkBudget::Share share = exchange.settings.work->take(kMaxPictureWork);
  const uint64_t step = divide_up(std::max(picture->width(), picture->height()), side);
  const std::string png =
      rgb_png(static_cast<uint32_t>(divide_up(picture->width(), step)),
              static_cast<uint32_t>(divide_up(picture->height(), step)),
              reduced_rgb(picture_pixels(*picture), picture->width(), picture->height(), step));
  share.reduce(png.size());
  exchange.reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
  exchange.reply.whole(200, "image/png", png);
  return true;
}

}  // namespace plainfs::serve
