#include "formats/containers/rds/made_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/core/base/error.h"

namespace plainfs::rds {

std::shared_ptr<Value> value_of(RType type) {
  auto value = std::make_shared<Value>();
  value->type = type;
  return value;
}

const ValuePtr& nothing() {
  static const ValuePtr value = value_of(RType::null);
  return value;
}

const ValuePtr& no_data(Alien kind) {
  static const auto named = [](const char* name) -> ValuePtr {
    auto value = value_of(RType::other);
    value->name = name;
    return value;
  };
  static const std::array<ValuePtr, 5> all = {named("other value"), named("function"), named("environment"),
                                              named("pointer"), named("call or formula")};
  return all[static_cast<size_t>(kind)];
}

void add_names(Value& list, TextBuilder& names) {
  auto stored = value_of(RType::text);
  stored->vector = std::make_shared<MemoryArray>(text_type(), Shape{list.items.size()}, names.finish());
  list.attributes.push_back({"names", std::move(stored)});
}

std::shared_ptr<Value> list_of_variables(const ValuePtr& frame, const ValuePtr& table) {
  std::vector<NamedValue> all;
  const auto add = [&](const Value& pairs) {
    const std::optional<std::vector<std::string>> names = pairs.item_names();
    if (!names) throw damaged("the variables of an R environment have no names");
    for (size_t i = 0; i < pairs.items.size(); ++i) all.push_back({(*names)[i], pairs.items[i]});
  };
  for (const ValuePtr& part : {frame, table})
    if (part->type != RType::list && part->type != RType::null)
      throw damaged("the variables of an R environment are not a list");
  add(*frame);
  for (const ValuePtr& bucket : table->items) add(*bucket);
  std::sort(all.begin(), all.end(), [](const NamedValue& a, const NamedValue& b) { return a.name < b.name; });
  auto value = value_of(RType::list);
  TextBuilder names(all.size());
  for (NamedValue& variable : all) {
    names.add(variable.name);
    value->items.push_back(std::move(variable.value));
  }
  add_names(*value, names);
  return value;
}

}  // namespace plainfs::rds
