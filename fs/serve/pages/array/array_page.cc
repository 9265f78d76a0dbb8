#include "fs/serve/pages/array/array_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formats/core/model/elements/number_cast.h"
#include "fs/report/words.h"
#include "fs/serve/pages/array/heat_map.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/cells/scatter.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/serve/pages/model/samples.h"
#include "fs/serve/pages/model/statistics.h"

namespace plainfs::serve {
namespace {

constexpr uint64_t kMaxLineElements = uint64_t{1} << 22;
constexpr uint64_t kLineSteps = 1'200;  // about one per pixel
constexpr uint64_t kLeastPlaces = 4;    // rows of an array that is a plane of points

class ArrayPage {
 public:
  ArrayPage(const Query& query, const LabelledArray& array, std::string name, PageModel& page)
      : query_(query),
        array_(array),
        values_(shown_array(array)),
        shape_(values_.shape()),
        name_(std::move(name)),
        page_(page) {
    if (values_.column_major()) std::reverse(shape_.begin(), shape_.end());
  }

  void add(bool is_embedding) {
    const bool has_picture = values_.dtype().is_numeric() && !values_.is_null() && element_count(shape_) > 1;
    if (has_picture && shape_.size() == 1) return add_line();
    if (has_picture && shape_.size() == 2 && is_plane_of_points(is_embedding)) return add_points();
    Plane plane = choose_plane();
    if (has_picture && shape_.size() >= 2)
      if (std::optional<Figure> figure = heat_map(array_, plane)) page_.add(*std::move(figure));
    add_rows(first_rows(array_, plane));
  }

 private:
  // Returns the labels if their shape is another (text of a matrix of characters), else the values.
  static const Array& shown_array(const LabelledArray& array) {
    return array.labels && array.labels->shape() != array.values->shape() ? *array.labels : *array.values;
  }

  bool is_plane_of_points(bool is_embedding) const {
    return shape_[0] >= kLeastPlaces && shape_[1] >= 2 && (shape_[1] <= 3 || is_embedding);
  }

  // Returns an index from the address, or 0 with a problem.
  uint64_t index_of(const std::string& field, uint64_t otherwise, uint64_t length) {
    const std::optional<std::string> text = query_.value(field);
    if (!text) return std::min(otherwise, length - 1);
    const std::optional<uint64_t> number = query_.number(field);
    if (number && *number < length) return *number;
    page_.problems.push_back(
        {fmt::format("'{}' is not an index from 0 to {}.", shortened(*text, 60), length - 1),
         {{std::to_string(length - 1), query_.with(field, std::to_string(length - 1)).href()}}});
    return std::min(otherwise, length - 1);
  }

  void add_field(Form& form, const std::string& label, const std::string& field, uint64_t value) const {
    form.fields.push_back({label, field, std::to_string(value)});
    form.fields.back().is_number = true;
  }

  void finish(Form form) {
    std::vector<std::string> names;
    for (const FormField& field : form.fields) names.push_back(field.name);
    form.hidden = query_.rest(names);
    page_.add(std::move(form));
  }

  void add_rows(std::optional<Grid> rows) {
    if (rows) page_.add(*std::move(rows));
  }

  // Draws a window of a long array, by the greatest and the least value of each step.
  void add_line() {
    const uint64_t all = shape_[0];
    uint64_t first = 0, count = all;
    if (all > kLineSteps) {
      first = index_of("from", 0, all);
      count = std::min(
          {all - first, kMaxLineElements, std::max<uint64_t>(query_.number("count").value_or(all), 2)});
      Form form;
      add_field(form, "From element", "from", first);
      add_field(form, "Elements", "count", count);
      finish(std::move(form));
    }
    std::vector<double> numbers;
    append_doubles(values_.dtype(), values_.read(range(first, count)), numbers);
    const Statistics statistics = statistics_of(numbers);
    Plot plot{"line",
              fmt::format("{} of {} elements of {}", count_text(count), count_text(all), name_),
              range_sentence(statistics),
              {"element", {}},
              {name_, {statistics.least, statistics.greatest}}};
    plot.width = 1000;
    plot.height = 300;
    plot.x.range = {static_cast<double>(first), static_cast<double>(first + count - 1)};
    plot.marks.emplace_back(
        Line{envelope(numbers, static_cast<double>(first), 1, kLineSteps), Ink::group(0)});
    page_.add(Figure{"Values", svg_of(plot), plot.title + ". " + plot.description});
    add_rows(first_rows({array_}));
  }

  void add_points() {
    uint64_t x = 0, y = 1;
    if (shape_[1] > 2) {
      x = index_of("x", 0, shape_[1]);
      y = index_of("y", 1, shape_[1]);
      Form form;
      add_field(form, "Column along x", "x", x);
      add_field(form, "Column along y", "y", y);
      finish(std::move(form));
    }
    const CellPlaces places = places_of(array_, name_, x, y, kMaxPoints);
    page_.add(scatter(places, shape_[0], name_, nullptr));
    add_rows(first_rows({array_}));
  }

  // Returns the plane of the last two axes, at the indices that the address gives along the others. If the
  // last two axes are long, the address also gives the first row and column.
  Plane choose_plane() {
    Plane plane{Shape(shape_.size(), 0)};
    if (shape_.size() < 2 || std::find(shape_.begin(), shape_.end(), 0) != shape_.end()) return plane;
    Form form;
    for (size_t axis = 0; axis < shape_.size(); ++axis) {
      const bool is_shown = axis + 2 >= shape_.size();
      if (is_shown ? shape_[axis] <= kMaxRows : shape_[axis] == 1) continue;
      const std::string field = "i" + std::to_string(axis);
      plane.origin[axis] = index_of(field, 0, shape_[axis]);
      add_field(
          form,
          fmt::format("{} along axis {} (0 to {})", is_shown ? "From" : "Index", axis, shape_[axis] - 1),
          field, plane.origin[axis]);
    }
    if (!form.fields.empty()) finish(std::move(form));
    return plane;
  }

  const Query& query_;
  const LabelledArray& array_;
  const Array& values_;
  Shape shape_;  // in the order users see
  const std::string name_;
  PageModel& page_;
};

}  // namespace

void add_array(const Query& query, const LabelledArray& array, const std::string& name, bool is_embedding,
               PageModel& page) {
  ArrayPage(query, array, name, page).add(is_embedding);
}

}  // namespace plainfs::serve
