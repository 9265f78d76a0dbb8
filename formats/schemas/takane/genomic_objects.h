// Objects of genomics: experiments, data sets of several experiments, ranges on the sequences of a genome,
// and the sequences themselves. Source: takane 0.10.0, include/takane/.
#pragma once

#include <string_view>

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

inline constexpr std::string_view kExperiment = "summarized_experiment";

// Opens a summarized_experiment 1.x or an object of any derived type (ranged, single-cell, spatial).
// Assays, reduced dimensions and alternative experiments are saved without names of their own and get those
// of row_data and column_data. opening.sides: the names of an experiment that has none itself. Requires:
// opening.object has the properties of a summarized_experiment. Source: summarized_experiment.hpp;
// alabaster.se, R/saveSummarizedExperiment.R.
Node open_experiment(const Opening& opening);

// Returns the details of an experiment for info.json: its dimensions and the names of its parts.
Json describe_experiment(const std::string& directory, const ObjectFile& object, Context& context);

// Returns a link FOLDER.csv for each of folders in the object at place that exists. It leads to the data
// frame in the folder.
std::vector<Member> frame_links(const ObjectPlace& place, std::initializer_list<const char*> folders,
                                Context& context);

// Opens a multi_sample_dataset 1.x (MultiAssayExperiment): a data frame of samples and a list of
// experiments. Source: multi_sample_dataset.hpp.
Node open_multi_sample_dataset(const Opening& opening);

// genomic_ranges 1.x: ranges in ranges.h5 on the sequences of sequence_information/, with range_annotations/,
// which has a row for each range. Source: genomic_ranges.hpp.

// Opens genomic ranges. A fault makes only the affected views damaged.
Node open_genomic_ranges(const Opening& opening);

// sequence_information 1.x: the sequences of a genome, their lengths, and whether they are circular, in
// info.h5. Source: sequence_information.hpp.

// Opens sequence information. Throws if the file or its group is absent; any other fault makes only the
// affected part damaged.
Node open_sequence_information(const Opening& opening);

// Returns the names of the sequences at place. Throws if they cannot be read.
ArrayPtr sequence_names(const ObjectPlace& place, Context& context);

}  // namespace plainfs::takane
