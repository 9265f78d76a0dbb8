// summarized_experiment 1.x and every type that derives from it (ranged, single-cell, spatial): assays,
// reduced dimensions and alternative experiments, which are saved without names of their own, take those of
// row_data and column_data. Source: takane 0.10.0, include/takane/summarized_experiment.hpp;
// alabaster.se, R/saveSummarizedExperiment.R.
#pragma once

#include <string_view>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

inline constexpr std::string_view kExperiment = "summarized_experiment";

// Requires: opening.object has the properties of a summarized_experiment. opening.sides: the names of an
// experiment that has none itself.
Node open_experiment(const Opening& opening);

// Adds to info.json what an experiment is made of.
Json describe_experiment(const std::string& directory, const ObjectFile& object, Context& context);

// A link FOLDER.csv to the data frame in a folder of the object at place; empty where it is not there.
std::vector<Member> frame_links(const ObjectPlace& place, std::initializer_list<const char*> folders,
                                Context& context);

}  // namespace plainfs::takane
