#include "formats/schemas/takane/multi_sample_dataset.h"

#include "formats/schemas/takane/object.h"
#include "formats/schemas/takane/summarized_experiment.h"

namespace plainfs::takane {

Node open_multi_sample_dataset(const Opening& opening) {
  check_version(opening.object, "multi_sample_dataset");
  DirectoryGroup::Rules rules;
  rules.added = [place = opening.place, &context = opening.context](const GroupPtr&) {
    return frame_links(place, {"sample_data"}, context);
  };
  return Node{.parts = std::make_shared<DirectoryGroup>(opening.place, std::move(rules), opening.context)};
}

}  // namespace plainfs::takane
