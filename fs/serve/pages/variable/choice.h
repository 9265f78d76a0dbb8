// The choices in the address of a variable's page: `at=time:2020-01-07,latitude:47.5` and the fields of a
// form, which are the same one by one (`at.latitude=47.5`); `along=time`; `map=level,latitude`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/page_model.h"
#include "fs/serve/pages/variable/axis_values.h"

namespace plainfs::serve {

struct ChosenPlace {
  std::optional<uint64_t> index;  // null: not chosen
  std::string nearest_to{};       // the value of the address if no element has it
};

class VariableChoice {
 public:
  // Appends to problems what does not exist. The arguments must outlive this.
  VariableChoice(const Query& query, const std::vector<AxisValues>& axes, std::vector<Problem>& problems);

  const ChosenPlace& place(size_t axis) const { return places_[axis]; }
  // Returns the axis of a line; null if the address has none.
  std::optional<size_t> along() const { return along_; }
  // Returns the axes of the map, rows first; null if the address has none.
  const std::optional<std::pair<size_t, size_t>>& map() const { return map_; }

  // Returns the link to the same page with another index along some axes.
  std::string href_with(const std::vector<std::pair<size_t, uint64_t>>& indices) const;
  std::string href_along(size_t axis) const;
  std::string href_of_map(size_t row_axis, size_t column_axis) const;
  // Returns the query without the places, for a form that sends them.
  Query without_places() const;

 private:
  std::optional<size_t> axis_named(const std::string& dimension);
  // values: the text chosen for each axis, if any.
  void read_list(const std::string& text, std::vector<std::optional<std::string>>& values);
  void read_map(const std::string& text);
  void choose(size_t axis, const std::string& value);
  Query canonical(const std::vector<std::pair<size_t, uint64_t>>& indices) const;

  const Query& query_;
  const std::vector<AxisValues>& axes_;
  std::vector<Problem>& problems_;
  std::vector<ChosenPlace> places_;
  std::optional<size_t> along_;
  std::optional<std::pair<size_t, size_t>> map_;
};

}  // namespace plainfs::serve
