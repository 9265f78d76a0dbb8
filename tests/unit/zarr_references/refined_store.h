// Zarr stores as seen by the HDMF schema.
#pragma once

#include "formats/schemas/zarr_references/schema.h"
#include "tests/unit/zarr/store_writer.h"

namespace plainfs::zarr_references {

inline Node open_refined(const std::string& path, Context& context) {
  const Store store = zarr::open(look_at(path), context);
  return zarr_references::refine(store.root, context).value();
}

// Returns the node at "a/b" below root, or nullopt.
inline std::optional<Node> node_at(const Node& root, std::string_view path) {
  std::optional<Node> node = root;
  while (node && !path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    node = node->parts ? node->parts->find(path.substr(0, slash)) : std::nullopt;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return node;
}

inline ArrayPtr array_at(const Node& root, std::string_view path) {
  const auto node = node_at(root, path);
  return node ? array_of(*node) : nullptr;
}

// Returns texts, references or JSON values; "NA" for missing ones.
inline std::vector<std::string> texts_of(const Elements& elements) {
  std::vector<std::string> texts;
  for (uint64_t i = 0; i < elements.count; ++i) {
    texts.push_back(elements.is_missing(i) ? "NA" : std::string(elements.text(i)));
  }
  return texts;
}

inline std::vector<std::string> texts_at(const Node& root, std::string_view path) {
  return texts_of(read_all(*array_at(root, path)));
}

// Returns a field of an array of records.
inline std::vector<std::string> field_at(const Node& root, std::string_view path, size_t field) {
  return texts_of(read_all(*array_at(root, path)).children.at(field));
}

inline Link link_at(const Node& root, std::string_view path) {
  return std::get<Link>(node_at(root, path)->content);
}

inline std::string attribute_at(const Node& root, std::string_view path, std::string_view name) {
  const Attributes attributes = attributes_of(*node_at(root, path));
  const Json* value = attributes.find(name);
  return value ? to_json_text(*value) : "";
}

using Texts = std::vector<std::string>;

}  // namespace plainfs::zarr_references
