#include "formats/annotated/chosen_parts.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "formats/annotated/left_out.h"

namespace plainfs::annotated {

namespace {

std::string names_of_parts(const std::vector<AnnotatedPart>& parts) {
  std::vector<std::string> names;
  for (const AnnotatedPart& part : parts) names.push_back(part.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void choose_x(const std::string& layer, AnnotatedMatrix& generated, Origins* origins) {
  if (layer == "X" || layer == generated.x_name) return;
  const auto found = std::find_if(generated.layers.begin(), generated.layers.end(),
                                  [&](const AnnotatedPart& part) { return part.name == layer; });
  if (found == generated.layers.end())
    throw unsupported("there is no layer {}; layers: {}", layer, names_of_parts(generated.layers));
  std::swap(generated.x, found->content);
  found->name = generated.x_name.empty() ? "X" : generated.x_name;
  if (!generated.x_name.empty()) generated.x_name = layer;
  if (std::holds_alternative<std::monostate>(found->content)) generated.layers.erase(found);
  if (!origins) return;
  const std::vector<std::string> of_x = origins->of("/X"), of_layer = origins->of("/layers/" + layer);
  origins->replace("/X", of_layer);
  origins->replace("/layers/" + (generated.x_name.empty() ? "X" : found->name), of_x);
}

template <class Parts>
bool erase_named(Parts& parts, const std::string& name) {
  if (!name.empty()) return std::erase_if(parts, [&](const auto& part) { return part.name == name; }) > 0;
  parts.clear();
  return true;
}

// Removes "uns", "uns/x" or "obs/x". Returns whether there was such a part.
bool remove(const std::string& part, AnnotatedMatrix& generated) {
  const size_t slash = std::min(part.find('/'), part.size());
  const std::string room = part.substr(0, slash), name = part.substr(std::min(slash + 1, part.size()));
  if (room == "layers") return erase_named(generated.layers, name);
  if (room == "obsm") return erase_named(generated.obsm, name);
  if (room == "varm") return erase_named(generated.varm, name);
  if (room == "obsp") return erase_named(generated.obsp, name);
  if (room == "varp") return erase_named(generated.varp, name);
  if (room == "obs") return erase_named(generated.obs.columns, name);
  if (room == "var") return erase_named(generated.var.columns, name);
  if (room == "uns") {
    if (name.empty() || name == "spatial") generated.pictures = nullptr;
    erase_named(generated.stored_uns, name);
    return erase_named(generated.uns, name);
  }
  if (part != "raw") return false;
  generated.raw.reset();
  return true;
}

}  // namespace

AnnotatedMatrix chosen_parts(AnnotatedMatrix generated, const ReadOptions& options) {
  if (options.x_layer.empty() && options.without.empty()) return generated;
  std::shared_ptr<Origins> origins =
      generated.origins ? std::make_shared<Origins>(*generated.origins) : nullptr;
  if (!options.x_layer.empty()) choose_x(options.x_layer, generated, origins.get());
  for (const std::string& part : options.without) {
    if (!remove(part, generated))
      throw unsupported("there is no part {}; expected obs/NAME, uns, layers/NAME or similar", part);
    if (origins)
      for (const std::string& stored : origins->of("/" + part)) origins->add_implied(stored);
  }
  generated.origins = origins;
  return generated;
}

}  // namespace plainfs::annotated
