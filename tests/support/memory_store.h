// Stores that exist only in memory, for tests of the fs layer.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/model/store.h"

namespace plainfs {

class MemoryGroup : public Group {
 public:
  explicit MemoryGroup(std::string path = "/") : path_(std::move(path)) {}

  MemoryGroup& add(const std::string& name, Node node) {
    members_.push_back({name, std::move(node)});
    return *this;
  }
  std::shared_ptr<MemoryGroup> add_group(const std::string& name) {
    auto group = std::make_shared<MemoryGroup>(path_ == "/" ? "/" + name : path_ + "/" + name);
    add(name, {{}, group, {}, {}});
    return group;
  }
  // Adds integers, which have a .csv and a .npy.
  MemoryGroup& add_array(const std::string& name, const std::vector<int32_t>& values = {1, 2, 3}) {
    Elements elements = zero_elements(number_type(Kind::integer, 4), values.size());
    std::copy(values.begin(), values.end(), elements.mutable_values<int32_t>().begin());
    auto array = std::make_shared<MemoryArray>(number_type(Kind::integer, 4), Shape{values.size()},
                                               std::move(elements));
    return add(name, {LabelledArray{array, nullptr, nullptr}, nullptr, {}, {}});
  }
  // Adds text, which has only a .csv.
  MemoryGroup& add_text(const std::string& name, const std::vector<std::string>& values = {"x"}) {
    return add(name, {LabelledArray{text_array(values), nullptr, nullptr}, nullptr, {}, {}});
  }
  MemoryGroup& add_link(const std::string& name, std::vector<std::string> path, std::string source = {}) {
    return add(name, {Link{std::move(source), std::move(path), {}}, nullptr, {}, {}});
  }
  MemoryGroup& set_attributes(Attributes attributes) {
    attributes_ = std::move(attributes);
    return *this;
  }
  // Makes members() throw from now on, until this is called with nullopt.
  void break_with(std::optional<Error> error) { error_ = std::move(error); }
  int times_listed() const { return times_listed_; }
  int times_asked_for_attributes() const { return times_asked_for_attributes_; }

  std::vector<Member> members() const override {
    ++times_listed_;
    if (error_) throw *error_;
    return members_;
  }
  std::optional<Node> find(std::string_view name) const override {
    for (const Member& member : members_) {
      if (member.name == name) return member.node;
    }
    return std::nullopt;
  }
  Attributes attributes() const override {
    ++times_asked_for_attributes_;
    return attributes_;
  }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return path_; }

 private:
  const std::string path_;
  std::vector<Member> members_;
  Attributes attributes_;
  std::optional<Error> error_;
  mutable std::atomic<int> times_listed_{0};
  mutable std::atomic<int> times_asked_for_attributes_{0};
};

inline std::shared_ptr<const Store> memory_store(GroupPtr root,
                                                 const std::string& path = "/nowhere/store.h5") {
  auto store = std::make_shared<Store>();
  store->path = path;
  store->format = "memory";
  store->root.parts = std::move(root);
  return store;
}

}  // namespace plainfs
