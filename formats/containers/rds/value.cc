#include "formats/containers/rds/value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/core/model/elements/r_missing.h"

namespace plainfs::rds {
namespace {

constexpr uint64_t kMaxHeld = uint64_t{1} << 20;
constexpr int64_t kMissing = std::numeric_limits<int64_t>::min();

void check_can_be_held(const Array& vector) {
  if (vector.count() > kMaxHeld)
    throw unsupported("an R vector of {} elements, expected a few", vector.count());
}

}  // namespace

ValuePtr Value::attribute(std::string_view wanted) const {
  for (const NamedValue& attribute : attributes)
    if (attribute.name == wanted) {
      const RType kind = attribute.value->type;
      return kind == RType::null || kind == RType::symbol ? nullptr : attribute.value;
    }
  return nullptr;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> all;
  if (type != RType::text) return all;
  vector->check();
  check_can_be_held(*vector);
  const Elements elements = read_all(*vector);
  for (uint64_t i = 0; i < elements.count; ++i)
    all.emplace_back(elements.is_missing(i) ? std::string_view("NA") : elements.text(i));
  return all;
}

std::vector<std::string> Value::classes() const {
  const ValuePtr stored = attribute("class");
  return stored ? stored->texts() : std::vector<std::string>();
}

bool Value::is_a(std::string_view class_name) const {
  const std::vector<std::string> all = classes();
  return std::find(all.begin(), all.end(), class_name) != all.end();
}

std::optional<std::string> Value::single_text() const {
  if (type != RType::text || vector->count() != 1) return std::nullopt;
  const Elements elements = read_all(*vector);
  if (elements.is_missing(0)) return std::nullopt;
  return std::string(elements.text(0));
}

std::optional<std::vector<int64_t>> Value::whole_numbers() const {
  if (type != RType::integer && type != RType::logical && type != RType::real) return std::nullopt;
  vector->check();
  check_can_be_held(*vector);
  const Elements elements = read_all(*vector);
  std::vector<int64_t> all;
  if (type != RType::real) {
    for (const int32_t value : elements.values<int32_t>())
      all.push_back(value == kRMissingInteger ? kMissing : value);
    return all;
  }
  for (const double value : elements.values<double>()) {
    if (!(std::fabs(value) <= 0x1p53) || value != std::trunc(value)) return std::nullopt;
    all.push_back(static_cast<int64_t>(value));
  }
  return all;
}

std::optional<std::vector<std::string>> Value::item_names() const {
  const ValuePtr stored = attribute("names");
  if (!stored || stored->type != RType::text) return std::vector<std::string>(items.size());
  if (stored->length() != items.size()) return std::nullopt;
  stored->vector->check();
  const Elements elements = read_all(*stored->vector);
  std::vector<std::string> names;
  for (uint64_t i = 0; i < elements.count; ++i)
    names.emplace_back(elements.is_missing(i) ? std::string_view() : elements.text(i));
  return names;
}

ValuePtr Value::item(std::string_view wanted) const {
  const std::optional<std::vector<std::string>> names = item_names();
  if (!names) return nullptr;
  for (size_t i = 0; i < items.size(); ++i)
    if ((*names)[i] == wanted) return items[i];
  return nullptr;
}

}  // namespace plainfs::rds
