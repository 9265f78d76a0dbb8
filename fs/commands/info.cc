#include <cstdio>
#include <nlohmann/json.hpp>

#include "fs/commands/commands.h"
#include "fs/commands/summary.h"
#include "fs/exit_code.h"
#include "fs/info.h"
#include "fs/session.h"

namespace plainfs {
namespace {

constexpr size_t kMostSummaryLines = 200;

// "n_obs      2700": a line for each thing that the format says of itself, what is in it below and indented.
void print_details(const Json::Object& details, int indent = 0) {
  for (const auto& [name, value] : details) {
    const Json::Object* const inner = value.object();
    const std::string text = inner ? "" : value.text() ? *value.text() : to_json_text(value);
    std::printf("%*s%-10s %s\n", indent, "", name.c_str(), text.c_str());
    if (inner) print_details(*inner, indent + 2);
  }
}

}  // namespace

int info_command(Arguments arguments) {
  const bool is_json = take_flag(arguments, "--json");
  const Options options = parse_options(arguments, 1);
  Session session(options);
  const StorePtr store = session.filesystem().store();
  if (is_json) {
    const std::string text = info_text(*store, describe(options));
    std::puts(nlohmann::ordered_json::parse(text).dump(2).c_str());
    return kSuccess;
  }
  print_details({{"store", store->path}, {"format", store->format}});
  if (!store->version.empty()) print_details({{"version", store->version}});
  print_details(store->details);
  std::printf("\n%s", summary_of(*store, session.context(), kMostSummaryLines).c_str());
  return kSuccess;
}

}  // namespace plainfs
