#include "formats/core/cf/dataset.h"

#include <algorithm>

namespace plainfs {

const CfVariable* CfDataset::find(std::string_view name) const {
  const auto found =
      std::lower_bound(variables.begin(), variables.end(), name,
                       [](const CfVariable& each, std::string_view wanted) { return each.name < wanted; });
  return found != variables.end() && found->name == name ? &*found : nullptr;
}

const CfVariable* CfDataset::coordinate(std::string_view dimension, uint64_t length) const {
  const auto fits = [&](const CfVariable& variable) {
    return variable.is_coordinate() && variable.dimensions[0] == dimension &&
           variable.values->shape()[0] == length;
  };
  if (const CfVariable* const variable = find(dimension); variable && fits(*variable)) return variable;
  const auto hidden = std::find_if(hidden_coordinates.begin(), hidden_coordinates.end(), fits);
  return hidden == hidden_coordinates.end() ? nullptr : &*hidden;
}

std::vector<std::string> names_referred_to(const CfVariable& variable) {
  std::vector<std::string> names;
  for (const char* attribute : {"coordinates", "grid_mapping", "bounds", "climatology", "ancillary_variables",
                                "cell_measures", "formula_terms"}) {
    const std::string text = variable.attributes.readable().text(attribute);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
      std::string word = text.substr(at, end - at);
      while (word.ends_with(':')) word.pop_back();
      if (!word.empty()) names.push_back(std::move(word));
      at = end + 1;
    }
  }
  return names;
}

}  // namespace plainfs
