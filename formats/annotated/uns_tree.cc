#include "formats/annotated/uns_tree.h"

#include <algorithm>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/derived_group.h"
#include "formats/registry.h"

namespace plainfs::annotated {

namespace {

constexpr int kMaxTreeDepth = 64;

Node array_node(ArrayPtr values) {
  return {LabelledArray{std::move(values), nullptr, nullptr}};
}

// Returns the only element of a list.
ArrayPtr single(const ArrayPtr& values) {
  return slice(values, range(0, 1), {});
}

Node uns_of(Node node, int depth, Context& context) {
  node = refine(std::move(node), context);
  if (auto* array = std::get_if<LabelledArray>(&node.content)) {
    const ArrayPtr values = labelled_values(*array).values;
    const bool is_single = values->shape() == Shape{1} && !values->dtype().fields.size() && !array->row_names;
    const bool is_factor = node.parts != nullptr;
    return is_single && !is_factor ? array_node(single(values)) : node;
  }
  if (!is_plain_group(node) || depth > kMaxTreeDepth) return node;
  const auto list = [parts = node.parts, depth, &context](const GroupPtr&) {
    std::vector<Member> members = parts->members();
    for (Member& member : members) member.node = uns_of(std::move(member.node), depth + 1, context);
    return members;
  };
  return {{}, std::make_shared<ListedGroup>(nullptr, node.parts->path(), list)};
}

}  // namespace

UnsTree::Item* UnsTree::find(std::vector<Item>& items, std::string_view name) const {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

void UnsTree::divide(Item& item) const {
  if (item.is_divided || !is_plain_group(item.node)) return;
  for (Member& member : item.node.parts->members())
    item.members.push_back({std::move(member.name), std::move(member.node), {}, false});
  item.node = {};
  item.is_divided = true;
}

bool UnsTree::add(const Path& path, Node node) {
  std::vector<Item>* items = &items_;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    Item* item = find(*items, path[i]);
    if (!item) item = &items->emplace_back(Item{path[i], {}, {}, true});
    divide(*item);
    if (!item->is_divided) return false;
    items = &item->members;
  }
  if (Item* const known = find(*items, path.back())) {
    divide(*known);
    if (!known->is_divided || !is_plain_group(node)) return false;
    bool is_all = true;
    for (Member& member : node.parts->members()) {
      Path below = path;
      below.push_back(member.name);
      is_all &= add(below, std::move(member.node));
    }
    return is_all;
  }
  items->push_back({path.back(), std::move(node), {}, false});
  return true;
}

bool UnsTree::has(const Path& path) const {
  const std::vector<Item>* items = &items_;
  for (size_t i = 0; i < path.size(); ++i) {
    const auto found =
        std::find_if(items->begin(), items->end(), [&](const Item& item) { return item.name == path[i]; });
    if (found == items->end()) return false;
    if (!found->is_divided)
      return i + 1 == path.size() ||
             (found->node.parts && find_path(*found->node.parts, std::span(path).subspan(i + 1)).has_value());
    items = &found->members;
  }
  return true;
}

std::vector<Member> UnsTree::members_of(const std::vector<Item>& items, const std::string& path) {
  std::vector<Member> members;
  for (const Item& item : items) {
    if (!item.is_divided) {
      members.push_back({item.name, item.node});
      continue;
    }
    const std::string below = path + "/" + item.name;
    members.push_back(
        {item.name, {{}, std::make_shared<ListedGroup>(nullptr, below, members_of(item.members, below))}});
  }
  return members;
}

std::vector<Member> UnsTree::members() const {
  return members_of(items_, "/uns");
}

Node text_node(const std::string& text) {
  return array_node(std::make_shared<MemoryArray>(text_type(), Shape{}, read_all(*text_array({text}))));
}

Node whole_node(int64_t number) {
  return array_node(number_array(std::vector{number}, {}));
}

Node real_node(double number) {
  return array_node(number_array(std::vector{number}, {}));
}

Node reals_node(const std::vector<double>& numbers) {
  return array_node(number_array(numbers));
}

Node texts_node(const std::vector<std::string>& texts) {
  return array_node(text_array(texts));
}

Node as_uns(Node node, Context& context) {
  return uns_of(std::move(node), 0, context);
}

}  // namespace plainfs::annotated
