#include "fs/report/active_assay.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "fs/views/names.h"

namespace plainfs {

std::string active_assay(Filesystem& filesystem) try {
  const std::optional<std::string> value = filesystem.attribute(kRootInode, "user.active.assay");
  if (!value) return {};
  // Stores contain it as a list of one.
  const nlohmann::json list = nlohmann::json::parse(*value, nullptr, false);
  const bool is_list = list.is_array() && list.size() == 1 && list[0].is_string();
  return encode_name(is_list ? list[0].get<std::string>() : *value);
} catch (const Error&) {
  return {};  // an unreadable part is reported where it is needed
}

}  // namespace plainfs
