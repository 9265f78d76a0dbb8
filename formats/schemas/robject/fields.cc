// Objects that keep their data in an environment: those of reference classes (methods: setRefClass), of
// classes that contain "environment", and of the package R6.
#include <algorithm>

#include "formats/schemas/robject/meaning.h"

namespace plainfs::robject {
namespace {

constexpr std::string_view kTyped = ".->";  // before the name of a field that has a class of its own

// A builder of a named list.
class ListOfFields {
 public:
  void add(std::string_view name, const ValuePtr& item) {
    names_.add(name);
    list_->items.push_back(item);
  }
  // Returns the list, with the class of object.
  ValuePtr finish(const Value& object) {
    auto names = std::make_shared<Value>();
    names->type = RType::text;
    names->vector = std::make_shared<MemoryArray>(text_type(), Shape{list_->items.size()}, names_.finish());
    list_->type = RType::list;
    list_->attributes.push_back({"names", std::move(names)});
    if (const ValuePtr classes = object.attribute("class")) list_->attributes.push_back({"class", classes});
    return list_;
  }

 private:
  std::shared_ptr<Value> list_ = std::make_shared<Value>();
  TextBuilder names_;
};

// Adds the variables of an environment that are data of its object: neither methods nor the class.
void add_variables(const Value& environment, ListOfFields& fields) {
  const std::vector<std::string> names = *environment.item_names();
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_of_class = names[i] == ".self" || names[i] == ".refClassDef";
    if (is_of_class || environment.items[i]->type == RType::other) continue;
    const std::string_view name = names[i];
    fields.add(name.starts_with(kTyped) ? name.substr(kTyped.size()) : name, environment.items[i]);
  }
}

// Returns the fields of a reference object, and its slots.
ValuePtr reference_fields(const Value& object) {
  const ValuePtr environment = object.attribute(".xData");
  if (!environment || environment->type != RType::list || !environment->item_names()) return nullptr;
  ListOfFields fields;
  add_variables(*environment, fields);
  for (const rds::NamedValue& slot : object.attributes)
    if (slot.name != "class" && slot.name != ".xData") fields.add(slot.name, slot.value);
  return fields.finish(object);
}

// Returns the public fields of an R6 object, and the private ones, which are found through the environment of
// its methods.
ValuePtr r6_fields(const Value& object) {
  const ValuePtr enclosing = object.item(".__enclos_env__");
  if (!enclosing) return nullptr;
  const std::vector<std::string> names = *object.item_names();
  ListOfFields fields;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] != ".__enclos_env__") fields.add(names[i], object.items[i]);
  if (const ValuePtr hidden = enclosing->item("private"); hidden && hidden->type == RType::list)
    fields.add("private", hidden);
  return fields.finish(object);
}

}  // namespace

ValuePtr fields_of(const Value& object) {
  if (object.type == RType::s4) return reference_fields(object);
  if (object.type == RType::list && object.is_a("R6")) return r6_fields(object);
  return nullptr;
}

}  // namespace plainfs::robject
