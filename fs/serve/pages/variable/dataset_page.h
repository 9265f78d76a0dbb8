// The facts of a CF dataset on its page.
#pragma once

#include "formats/core/cf/dataset.h"
#include "fs/serve/pages/model/page_model.h"

namespace plainfs::serve {

// Adds the dimensions, the earliest and the latest time, and the title. Reads the coordinates of times.
// Throws what reading them throws.
void add_dataset_facts(const CfDataset& dataset, PageModel& page);

}  // namespace plainfs::serve
