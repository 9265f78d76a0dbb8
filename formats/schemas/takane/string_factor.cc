#include "formats/schemas/takane/string_factor.h"

#include "formats/schemas/takane/atomic_vector.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {

Node open_string_factor(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, "string_factor");
  const GroupPtr group = open_file_group(place, "contents.h5", "string_factor", context);
  try {
    const ArrayPtr values = factor_values(*group, {"factor", place.path}, context);
    return open_contents(place, *group, values, context);
  } catch (const Error& error) {
    return broken_contents(place, error, context);
  }
}

}  // namespace plainfs::takane
