#include "formats/annotated/slides/slides.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/model/arrays/turned_array.h"

namespace plainfs::annotated {

std::vector<double> reals_of(const Array& values) {
  const Elements elements = as_type(values.dtype(), read_all(values), number_type(Kind::real, 8));
  std::vector<double> reals(elements.values<double>().begin(), elements.values<double>().end());
  for (uint64_t i = 0; i < elements.count; ++i)
    if (elements.is_missing(i)) reals[i] = Slide::kUnknown;
  return reals;
}

std::vector<Column> plain_coordinates(const ArrayPtr& x, const ArrayPtr& y) {
  const uint64_t count = x->count();
  const DType type = number_type(Kind::integer, 4);
  Elements tissue = zero_elements(type, count), unknown = zero_elements(type, count);
  std::fill(tissue.mutable_values<int32_t>().begin(), tissue.mutable_values<int32_t>().end(), 1);
  unknown.missing.assign(count, 1);
  const auto array = [&](Elements elements) {
    return std::make_shared<MemoryArray>(type, Shape{count}, std::move(elements));
  };
  return {{"tissue", array(tissue)},
          {"row", array(unknown)},
          {"col", array(unknown)},
          {"imagerow", y},
          {"imagecol", x}};
}

ArrayPtr pixels_of(const Content& content) {
  const auto* array = std::get_if<LabelledArray>(&content);
  if (!array || array->values->is_null() || array->values->shape().size() != 3) return nullptr;
  ArrayPtr pixels = in_row_order(array->values);
  const Shape& shape = pixels->shape();
  const DType& type = pixels->dtype();
  const bool has_colors = (shape[2] == 3 || shape[2] == 4) && shape[0] > 0 && shape[1] > 0;
  const bool is_bright = type.kind == Kind::real || (type.kind == Kind::unsigned_integer && type.size <= 2);
  return has_colors && is_bright ? pixels : nullptr;
}

double factor_in(const Table& factors, std::string_view name) {
  const ArrayPtr values = column_values(factors.columns, "value");
  if (!factors.row_names || !values) return Slide::kUnknown;
  const Elements names = read_all(*frames::as_written(factors.row_names));
  if (values->count() != names.count)
    throw damaged("{} scale factors, expected {}, one for each name", values->count(), names.count);
  for (uint64_t i = 0; i < names.count; ++i)
    if (names.text(i) == name) return reals_of(*values)[i];
  return Slide::kUnknown;
}

ArrayPtr coordinates_of(const std::vector<Slide>& slides, uint64_t cells) {
  std::vector<double> places(checked_size(cells, 2), Slide::kUnknown);
  std::vector<bool> is_known(cells);
  bool any = false;
  for (const Slide& slide : slides) {
    const std::vector<double> x = reals_of(*column_values(slide.coordinates, "imagecol")),
                              y = reals_of(*column_values(slide.coordinates, "imagerow"));
    for (size_t i = 0; i < slide.cells.size(); ++i) {
      const uint64_t cell = slide.cells[i];
      if (is_known[cell]) continue;
      is_known[cell] = any = true;
      places[2 * cell] = x[i];
      places[2 * cell + 1] = y[i];
    }
  }
  if (!any) return nullptr;
  Elements elements = zero_elements(number_type(Kind::real, 8), places.size());
  std::copy(places.begin(), places.end(), elements.mutable_values<double>().begin());
  return std::make_shared<MemoryArray>(number_type(Kind::real, 8), Shape{cells, 2}, std::move(elements));
}

std::vector<Slide> with_cells(std::vector<Slide> slides, const std::vector<uint64_t>& chosen) {
  for (Slide& slide : slides) {
    std::vector<uint64_t> rows, cells;
    for (uint64_t row = 0; row < slide.cells.size(); ++row) {
      const auto place = std::lower_bound(chosen.begin(), chosen.end(), slide.cells[row]);
      if (place == chosen.end() || *place != slide.cells[row]) continue;
      rows.push_back(row);
      cells.push_back(static_cast<uint64_t>(place - chosen.begin()));
    }
    for (Column& column : slide.coordinates) {
      const DType type = column.values->dtype();
      column.values = std::make_shared<MemoryArray>(type, Shape{rows.size()},
                                                    gather(type, read_all(*column.values), rows));
    }
    slide.cells = std::move(cells);
  }
  std::erase_if(slides, [](const Slide& slide) { return slide.cells.empty(); });
  return slides;
}

std::optional<Spots> spots_in(const LabelledArray& matrix, uint64_t x, uint64_t y, const Table& obs) {
  const ArrayPtr values = in_row_order(labelled_values(matrix).values);
  const Shape& shape = values->shape();
  const DType& type = values->dtype();
  if (shape.size() != 2 || shape[0] != obs.rows || std::max(x, y) >= shape[1] || !type.is_integer_or_real())
    return std::nullopt;
  const std::vector<double> all = reals_of(*values);
  Spots spots{{}, {}, obs};
  for (uint64_t row = 0; row < shape[0]; ++row) {
    spots.x.push_back(all[row * shape[1] + x]);
    spots.y.push_back(all[row * shape[1] + y]);
  }
  return spots;
}

void put_on(const Spots& spots, const std::vector<uint64_t>& cells, Slide& slide) {
  std::vector<double> x, y;
  for (const uint64_t cell : cells) {
    if (std::isnan(spots.x[cell]) || std::isnan(spots.y[cell])) continue;
    slide.cells.push_back(cell);
    x.push_back(spots.x[cell]);
    y.push_back(spots.y[cell]);
  }
  slide.coordinates = plain_coordinates(number_array(x), number_array(y));
  for (const auto& [ours, theirs] :
       {std::pair("tissue", "in_tissue"), {"row", "array_row"}, {"col", "array_col"}}) {
    ArrayPtr known = column_values(spots.obs.columns, theirs);
    if (known && known->dtype().is_truth()) known = with_type(known, number_type(Kind::integer, 4));
    if (!known || known->count() != spots.obs.rows || !known->dtype().is_numeric()) continue;
    Elements chosen = gather(known->dtype(), read_all(*known), slide.cells);
    for (Column& column : slide.coordinates)
      if (column.name == ours)
        column.values =
            std::make_shared<MemoryArray>(known->dtype(), Shape{slide.cells.size()}, std::move(chosen));
  }
}

namespace {

using CellsOfSlides = std::vector<std::vector<uint64_t>>;

// Returns the cells of each name. has_others: whether cells may have other names, which are on no slide.
// Nullopt if they may not and some have.
std::optional<CellsOfSlides> cells_by_name(const std::vector<std::string>& names, const ArrayPtr& column,
                                           bool has_others) {
  const Elements texts = read_all(*frames::as_written(column));
  CellsOfSlides cells(names.size());
  for (uint64_t i = 0; i < texts.count; ++i) {
    const auto name = std::find(names.begin(), names.end(), texts.text(i));
    if (!texts.is_missing(i) && name != names.end())
      cells[static_cast<size_t>(name - names.begin())].push_back(i);
    else if (!has_others)
      return std::nullopt;
  }
  return cells;
}

}  // namespace

std::optional<CellsOfSlides> cells_of_slides(const std::vector<std::string>& names, const Table& obs,
                                             std::string_view preferred) {
  const auto is_list_of_texts = [&](const ArrayPtr& values) {
    return values && values->dtype().is_text() && values->count() == obs.rows;
  };
  if (const ArrayPtr column = column_values(obs.columns, preferred); is_list_of_texts(column)) {
    std::optional<CellsOfSlides> cells = cells_by_name(names, column, true);
    const auto is_used = [](const std::vector<uint64_t>& some) { return !some.empty(); };
    if (std::any_of(cells->begin(), cells->end(), is_used)) return cells;
  }
  if (names.size() == 1) {
    std::vector<uint64_t> all(obs.rows);
    std::iota(all.begin(), all.end(), uint64_t{0});
    return CellsOfSlides{std::move(all)};
  }
  for (const Column& column : obs.columns)
    if (is_list_of_texts(column.values))
      if (auto cells = cells_by_name(names, column.values, false)) return cells;
  return std::nullopt;
}

}  // namespace plainfs::annotated
