#include "formats/containers/rds/left_out.h"

#include <fmt/ranges.h>

#include <map>
#include <set>
#include <vector>

namespace plainfs::rds {
namespace {

// By kind, the places of the first ones and how many there are.
class LeftOut {
 public:
  explicit LeftOut(const Value& root) { look_at(root, ""); }

  // Empty where there is nothing.
  std::string message() const {
    std::string all;
    for (const auto& [kind, found] : kinds_)
      all += fmt::format("{}{} {}{} ({}{})", all.empty() ? "" : ", ", found.count, kind,
                         found.count == 1 ? "" : "s", fmt::join(found.places, ", "),
                         found.count > found.places.size() ? ", …" : "");
    return all.empty() ? all : "no data, and left out: " + all;
  }

 private:
  static constexpr size_t kMostPlaces = 3;
  struct Found {
    uint64_t count = 0;
    std::vector<std::string> places;
  };

  void look_at(const Value& value, const std::string& place) {
    if (value.type == RType::other) {
      Found& found = kinds_[value.name];
      if (found.count++ < kMostPlaces) found.places.push_back(place);
    } else if (value.type == RType::list) {
      const auto names = value.item_names();
      for (size_t i = 0; i < value.items.size(); ++i) {
        const bool is_named = names && !(*names)[i].empty();
        look_inside(*value.items[i], place, is_named ? (*names)[i] : std::to_string(i + 1));
      }
    } else if (value.type == RType::s4) {
      for (const NamedValue& slot : value.attributes)
        if (slot.name == ".xData")
          look_at_fields(*slot.value, place);
        else if (slot.name != "class")
          look_inside(*slot.value, place, slot.name);
    }
  }
  // Of an object of a reference class: not at the object itself and its class, which stand among its fields,
  // nor at the functions by which R reaches a field x, whose value is called .->x.
  void look_at_fields(const Value& environment, const std::string& place) {
    const auto names = environment.item_names();
    if (environment.type != RType::list || !names) return look_inside(environment, place, ".xData");
    const std::set<std::string> all(names->begin(), names->end());
    for (size_t i = 0; i < names->size(); ++i) {
      const std::string& name = (*names)[i];
      if (name != ".self" && name != ".refClassDef" && !all.contains(".->" + name))
        look_inside(*environment.items[i], place, name);
    }
  }
  void look_inside(const Value& value, const std::string& place, const std::string& name) {
    const bool is_of_use = value.type == RType::other || value.type == RType::list || value.type == RType::s4;
    if (is_of_use) look_at(value, place + "/" + name);
  }

  std::map<std::string, Found> kinds_;
};

}  // namespace

std::string left_out_of(const Value& value) {
  return LeftOut(value).message();
}

}  // namespace plainfs::rds
