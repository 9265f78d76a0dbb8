// Experiments, and data sets of several of them. Source: takane 0.10.0, include/takane/.
#pragma once

#include <string_view>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

inline constexpr std::string_view kExperiment = "summarized_experiment";

// summarized_experiment 1.x and every type that derives from it (ranged, single-cell, spatial): assays,
// reduced dimensions and alternative experiments, which are saved without names of their own, take those of
// row_data and column_data. opening.sides: the names of an experiment that has none itself. Requires:
// opening.object has the properties of a summarized_experiment. Source: summarized_experiment.hpp;
// alabaster.se, R/saveSummarizedExperiment.R.
Node open_experiment(const Opening& opening);

// Adds to info.json what an experiment is made of.
Json describe_experiment(const std::string& directory, const ObjectFile& object, Context& context);

// A link FOLDER.csv to the data frame in a folder of the object at place; empty where it is not there.
std::vector<Member> frame_links(const ObjectPlace& place, std::initializer_list<const char*> folders,
                                Context& context);

// multi_sample_dataset 1.x (MultiAssayExperiment): a data frame of samples and a list of experiments. Source:
// multi_sample_dataset.hpp.
Node open_multi_sample_dataset(const Opening& opening);

}  // namespace plainfs::takane
