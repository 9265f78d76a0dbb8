// multi_sample_dataset 1.x (MultiAssayExperiment): a data frame of samples and a list of experiments. Source:
// takane 0.10.0, include/takane/multi_sample_dataset.hpp.
#pragma once

#include "formats/schemas/takane/object.h"

namespace plainfs::takane {

Node open_multi_sample_dataset(const Opening& opening);

}  // namespace plainfs::takane
