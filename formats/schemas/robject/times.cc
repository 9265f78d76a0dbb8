// POSIXlt: points in time as seconds, minutes, …, years, each in a vector of its own (R: ?DateTimeClasses).
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/core/base/checked.h"
#include "formats/core/base/civil_date.h"
#include "formats/core/model/arrays/counted_times.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/elements/r_missing.h"
#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

// The parts of a time, in the order in which they are added up.
enum Part : size_t { kSecond, kMinute, kHour, kDay, kMonth, kYear, kOffset, kParts };
constexpr const char* kNames[kParts] = {"sec", "min", "hour", "mday", "mon", "year", "gmtoff"};

double instant_of(const std::array<double, kParts>& parts) {
  for (const size_t part : {kMinute, kHour, kDay, kMonth, kYear, kOffset})
    if (std::isnan(parts[part])) return std::isfinite(parts[kSecond]) ? r_missing_real() : parts[kSecond];
  // Years count from 1900 and months from 0. A month beyond a year belongs to another one, as in R's
  // mktime().
  const auto month = static_cast<int64_t>(parts[kMonth]), years = floor_divide<int64_t>(month, 12);
  const int64_t before = days_before_month(1900 + static_cast<int64_t>(parts[kYear]) + years,
                                           static_cast<unsigned>(month - 12 * years + 1));
  const double days = static_cast<double>(before) + parts[kDay] - 1;
  return days * 86400 + parts[kHour] * 3600 + parts[kMinute] * 60 + parts[kSecond] - parts[kOffset];
}

// The seconds since 1970. A part with fewer elements than there are times is recycled; a null part is 0
// throughout.
class Instants final : public Array {
 public:
  Instants(std::array<ArrayPtr, kParts> parts, uint64_t count)
      : Array(number_type(Kind::real, 8), {count}), parts_(std::move(parts)) {}

  Elements read(const Box& box) const override {
    check_inside(box, shape());
    const uint64_t first = box.origin[0], some = box.extent[0];
    std::array<std::vector<double>, kParts> values;
    for (size_t part = 0; part < kParts; ++part) values[part] = values_of(parts_[part], first, some);
    Elements elements = zero_elements(dtype(), some);
    const auto instants = elements.mutable_values<double>();
    for (size_t i = 0; i < some; ++i) {
      std::array<double, kParts> one{};
      for (size_t part = 0; part < kParts; ++part) one[part] = values[part][i];
      instants[i] = instant_of(one);
    }
    mark_missing_reals(elements);
    return elements;
  }
  Shape chunk_shape() const override { return {std::min<uint64_t>(count(), 1 << 15)}; }
  void check() const override {
    for (const ArrayPtr& part : parts_)
      if (part) part->check();
  }

 private:
  // Returns the values as doubles, NA for missing ones.
  std::vector<double> values_of(const ArrayPtr& part, uint64_t first, uint64_t some) const {
    std::vector<double> values(checked_size(some, 1));
    if (!part || some == 0) return values;
    const bool is_whole = part->count() == count();
    const Elements stored = is_whole ? part->read(range(first, some)) : read_all(*part);
    for (uint64_t i = 0; i < some; ++i) {
      const uint64_t at = is_whole ? i : (first + i) % stored.count;
      values[i] = part->dtype().kind == Kind::real                   ? stored.values<double>()[at]
                  : stored.values<int32_t>()[at] == kRMissingInteger ? r_missing_real()
                                                                     : stored.values<int32_t>()[at];
    }
    return values;
  }

  const std::array<ArrayPtr, kParts> parts_;
};

bool is_in_utc(const Value& times) {
  const ValuePtr zone = times.attribute("tzone");
  if (!zone || zone->type != RType::text || zone->length() == 0) return false;
  const std::string name = zone->texts().front();
  static constexpr std::string_view kNamesOfUtc[] = {
      "UTC",   "GMT",   "Etc/UTC", "Etc/GMT",  "UCT",      "Etc/UCT",   "GMT0",
      "GMT-0", "GMT+0", "Zulu",    "Etc/Zulu", "Etc/GMT0", "Universal", "Etc/Universal"};
  return std::find(std::begin(kNamesOfUtc), std::end(kNamesOfUtc), name) != std::end(kNamesOfUtc);
}

// Returns whether each time that is not missing has its offset to UTC.
bool are_offsets_known(const Array& offsets, const Array& days) {
  if (offsets.count() != days.count()) return false;
  const Elements all = read_all(offsets), given = read_all(days);
  for (uint64_t i = 0; i < all.count; ++i)
    if (all.values<int32_t>()[i] == kRMissingInteger && given.values<int32_t>()[i] != kRMissingInteger)
      return false;
  return true;
}

// Returns the attributes that as.POSIXct() sets: the time zone alone, without the names of standard and
// summer time.
std::shared_ptr<const TextAttributes> instant_class(const Value& times) {
  TextAttributes attributes{{"class", {"POSIXct", "POSIXt"}}};
  const ValuePtr zone = times.attribute("tzone");
  if (zone && zone->type == RType::text && zone->length() > 0)
    attributes.push_back({"tzone", {zone->texts().front()}});
  return std::make_shared<const TextAttributes>(std::move(attributes));
}

}  // namespace

bool is_broken_down(const Value& value) {
  return value.type == RType::list && value.is_a("POSIXlt");
}

BrokenDown broken_down(const Value& times) {
  std::array<ArrayPtr, kParts> parts;
  uint64_t count = 0;
  bool is_empty = false;
  for (size_t part = kSecond; part < kOffset; ++part) {
    const ValuePtr item = times.item(kNames[part]);
    const bool is_number =
        item && (item->type == RType::integer || (item->type == RType::real && part == kSecond));
    if (!is_number) return {nullptr, fmt::format("the numbers {} are missing", kNames[part])};
    parts[part] = item->vector;
    count = std::max(count, item->length());
    is_empty |= item->length() == 0;
  }
  if (!is_in_utc(times)) {
    const ValuePtr offsets = times.item(kNames[kOffset]);
    if (!offsets || offsets->type != RType::integer || !are_offsets_known(*offsets->vector, *parts[kDay]))
      return {nullptr, "it is in local time without an offset to UTC"};
    parts[kOffset] = offsets->vector;
  }
  auto seconds = std::make_shared<Instants>(std::move(parts), is_empty ? 0 : count);
  return {counted_times(std::move(seconds), TimeUnit::second, instant_class(times)), ""};
}

}  // namespace plainfs::robject
