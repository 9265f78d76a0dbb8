// A tree of unstructured data (`uns`), assembled from several places of a store.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"

namespace plainfs::annotated {

// A tree of named values. For one thread at a time, until members() is called.
class UnsTree {
 public:
  using Path = std::vector<std::string>;
  // Adds a value at a path, in new groups if they are missing. Returns false if the path has a value already,
  // or a name along the path is no group. An existing group gets further members.
  bool add(const Path& path, Node node);
  bool has(const Path& path) const;

  // Returns the members of the root. Groups have their members in the order in which they were added.
  std::vector<Member> members() const;

 private:
  struct Item {
    std::string name;
    Node node;                  // a value, or a group that is not divided
    std::vector<Item> members;  // of a group that is divided
    bool is_divided = false;
  };
  Item* find(std::vector<Item>& items, std::string_view name) const;
  void divide(Item& item) const;
  static std::vector<Member> members_of(const std::vector<Item>& items, const std::string& path);

  std::vector<Item> items_;
};

// Return nodes of single values and lists.
Node text_node(const std::string& text);
Node whole_node(int64_t number);
Node real_node(double number);
Node reals_node(const std::vector<double>& numbers);
Node texts_node(const std::vector<std::string>& texts);

// Returns the node as unstructured data of AnnData: a vector of R with one element is a single value. Reads
// nothing.
Node as_uns(Node node, Context& context);

}  // namespace plainfs::annotated
