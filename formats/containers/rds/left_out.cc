#include "formats/containers/rds/left_out.h"

#include <fmt/ranges.h>

#include <map>
#include <set>
#include <vector>

namespace plainfs::rds {
namespace {

// The number of parts of one kind and the places of the first ones.
struct Found {
  uint64_t count = 0;
  std::vector<std::string> places;

  void add(const std::string& place) {
    constexpr size_t kMostPlaces = 3;
    if (count++ < kMostPlaces) places.push_back(place);
  }
  // Returns "2 functions (/a, /b)".
  std::string text(const std::string& kind) const {
    return fmt::format("{} {}{} ({}{})", count, kind, count == 1 ? "" : "s", fmt::join(places, ", "),
                       count > places.size() ? ", …" : "");
  }
};

class LeftOut {
 public:
  explicit LeftOut(const Value& root) { look_at(root, ""); }

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    std::string aliens;
    for (const auto& [kind, found] : aliens_) aliens += (aliens.empty() ? "" : ", ") + found.text(kind);
    if (!aliens.empty()) all.push_back("without data, left out: " + aliens);
    if (attributes_.count > 0) all.push_back("not vectors, left out: " + attributes_.text("attribute"));
    return all;
  }

 private:
  void look_at(const Value& value, const std::string& place) {
    if (value.type != RType::s4) look_at_attributes(value, place);
    if (value.type == RType::other) {
      aliens_[value.name].add(place);
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
  // Finds attributes that are not shown. Vectors are shown as attributes, and names and dimnames with the
  // value.
  void look_at_attributes(const Value& value, const std::string& place) {
    for (const NamedValue& attribute : value.attributes) {
      const bool is_shown = attribute.name == "names" || attribute.name == "dimnames";
      const RType type = attribute.value->type;
      if (!is_shown && (type == RType::list || type == RType::s4))
        attributes_.add(place + "/" + attribute.name);
    }
  }
  // Looks at the fields of an object of a reference class. Skips the object itself and its class, which stand
  // among its fields. Also skips the functions by which R accesses a field x, which has its value in .->x.
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
    const bool is_plain = value.attributes.empty() && value.type != RType::other && value.type != RType::list;
    if (!is_plain) look_at(value, place + "/" + name);
  }

  std::map<std::string, Found> aliens_;  // by kind
  Found attributes_;
};

}  // namespace

std::vector<std::string> left_out_of(const Value& value) {
  return LeftOut(value).messages();
}

}  // namespace plainfs::rds
