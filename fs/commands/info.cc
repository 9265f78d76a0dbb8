#include <cstdio>
#include <nlohmann/json.hpp>

#include "fs/commands/commands.h"
#include "fs/exit_code.h"
#include "fs/info.h"
#include "fs/session.h"

namespace plainfs {

int info_command(Arguments arguments) {
  const Options options = parse_options(arguments, 1);
  Session session(options);
  const std::string text = info_text(*session.filesystem().store(), describe(options));
  std::puts(nlohmann::ordered_json::parse(text).dump(2).c_str());
  return kSuccess;
}

}  // namespace plainfs
