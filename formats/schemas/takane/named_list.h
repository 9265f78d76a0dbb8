// A folder of objects called 0, 1, … whose names are in names.json: assays, reduced dimensions, experiments.
// The objects stand under their numbers; each has a link of its name as well, and a link NAME.csv to its
// table or array. Source: takane 0.10.0, include/takane/utils_summarized_experiment.hpp.
#pragma once

#include <string>
#include <vector>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

// Whether there is a names.json and no OBJECT.
bool is_named_list(const ObjectPlace& place, Context& context);
// sides: what its items are given.
GroupPtr open_named_list(const ObjectPlace& place, const SideNames& sides, Context& context);

// The names of the items in order, for describing a list; empty where they cannot be read.
std::vector<std::string> names_of_list(const std::string& directory, Context& context);

}  // namespace plainfs::takane
