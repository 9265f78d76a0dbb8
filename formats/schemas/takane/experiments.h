// Experiments, and data sets of several experiments. Source: takane 0.10.0, include/takane/.
#pragma once

#include <string_view>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

inline constexpr std::string_view kExperiment = "summarized_experiment";

// Opens a summarized_experiment 1.x or an object of any derived type (ranged, single-cell, spatial). Assays,
// reduced dimensions and alternative experiments are saved without names of their own and get those of
// row_data and column_data. opening.sides: the names of an experiment that has none itself. Requires:
// opening.object has the properties of a summarized_experiment. Source: summarized_experiment.hpp;
// alabaster.se, R/saveSummarizedExperiment.R.
Node open_experiment(const Opening& opening);

// Returns the details of an experiment for info.json: its dimensions and the names of its parts.
Json describe_experiment(const std::string& directory, const ObjectFile& object, Context& context);

// Returns a link FOLDER.csv for each of folders in the object at place that exists. It leads to the data
// frame in the folder.
std::vector<Member> frame_links(const ObjectPlace& place, std::initializer_list<const char*> folders,
                                Context& context);

// Opens a multi_sample_dataset 1.x (MultiAssayExperiment): a data frame of samples and a list of experiments.
// Source: multi_sample_dataset.hpp.
Node open_multi_sample_dataset(const Opening& opening);

}  // namespace plainfs::takane
