#include "formats/schemas/robject/directory.h"

namespace plainfs::robject {

std::string MemberNames::take(const std::string& wanted, size_t position) {
  const std::string name = wanted.empty() ? std::to_string(position + 1) : wanted;
  std::string given = name;
  for (unsigned number = 2; !taken_.insert(given).second; ++number)
    given = name + "~" + std::to_string(number);
  return given;
}

}  // namespace plainfs::robject
