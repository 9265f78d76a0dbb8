#include "fs/views/grid_units.h"

#include "formats/core/base/checked.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

// The element that all of a unit's elements are, where its chunks are absent.
struct RepeatedElement {
  std::optional<Elements> one;
  size_t allocated_bytes() const { return one ? one->allocated_bytes() : 0; }
};

}  // namespace

GridUnits::GridUnits(ArrayPtr array, uint64_t element_text, Context& context)
    : array_(std::move(array)),
      context_(context),
      grid_(*array_, element_text, context),
      units_owner_(context.cache.new_owner()),
      repeated_owner_(context.cache.new_owner()) {}

GridUnits::~GridUnits() {
  context_.cache.drop(units_owner_, units_owner_ + 1);
  context_.cache.drop(repeated_owner_, repeated_owner_ + 1);
}

std::shared_ptr<const Elements> GridUnits::read(uint64_t unit) const {
  if (!grid_.units_are_shared()) return std::make_shared<const Elements>(grid_.read_unit(*array_, unit));
  return context_.cache.get<Elements>({units_owner_, unit}, [&] {
    const uint64_t elements = element_count(grid_.unit_box(unit).extent);
    // As stored and turned round.
    const auto room = context_.unit_room.take(checked_multiply(elements, 2 * decoded_size(array_->dtype())));
    return grid_.read_unit(*array_, unit);
  });
}

bool GridUnits::is_worth_keeping(uint64_t unit) const {
  constexpr uint64_t kPart = 16;  // of the cache's budget
  const uint64_t elements = element_count(grid_.unit_box(unit).extent);
  const uint64_t budget = context_.cache.statistics().budget_bytes;
  return elements <= budget / kPart / decoded_size(array_->dtype()) && !repeated(unit);
}

std::optional<Elements> GridUnits::repeated(uint64_t unit) const {
  const auto load = [&] { return RepeatedElement{array_->repeated(grid_.unit_box(unit))}; };
  if (!grid_.units_are_shared()) return load().one;
  return context_.cache.get<RepeatedElement>({repeated_owner_, unit}, load)->one;
}

}  // namespace plainfs
