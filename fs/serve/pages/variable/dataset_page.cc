#include "fs/serve/pages/variable/dataset_page.h"

#include <algorithm>
#include <cmath>

#include "formats/core/cf/decoded.h"
#include "fs/report/words.h"
#include "fs/serve/pages/variable/axis_values.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxDimensions = 12;

// Adds the earliest and the latest time, in whatever order they are. Times too many to read have none.
void add_times(const CfDataset& dataset, const CfVariable& variable, PageModel& page) {
  const uint64_t length = variable.values->shape()[0];
  if (length == 0 || length > kMaxCoordinate || !cf_times(variable, nullptr)) return;
  const AxisValues times(dataset, variable.name, length);
  std::optional<uint64_t> first, last;
  for (uint64_t i = 0; i < times.positions().size(); ++i) {
    const double position = times.positions()[i];
    if (!std::isfinite(position)) continue;
    if (!first || position < times.positions()[*first]) first = i;
    if (!last || position > times.positions()[*last]) last = i;
  }
  if (!first) return;
  page.facts.push_back({variable.name + " from", times.text(*first)});
  page.facts.push_back({variable.name + " to (" + times.calendar() + ")", times.text(*last)});
}

}  // namespace

void add_dataset_facts(const CfDataset& dataset, PageModel& page) {
  std::vector<std::string> known;
  for (const CfVariable& variable : dataset.variables) {
    if (variable.is_inherited) continue;
    for (size_t axis = 0; axis < variable.rank(); ++axis) {
      const std::string& dimension = variable.dimensions[axis];
      if (known.size() >= kMaxDimensions || std::find(known.begin(), known.end(), dimension) != known.end())
        continue;
      known.push_back(dimension);
      page.facts.push_back({dimension, count_text(variable.decoded->shape()[axis])});
    }
  }
  page.sub += (page.sub.empty() ? "" : " · ") + std::string("CF dataset");
  if (const std::string title = dataset.attributes.readable().text("title"); !title.empty())
    page.sub += " · " + title;
  for (const CfVariable& variable : dataset.variables)
    if (variable.is_coordinate() && !variable.is_inherited) add_times(dataset, variable, page);
}

}  // namespace plainfs::serve
