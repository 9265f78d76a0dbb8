#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "formats/core/text/printable.h"
#include "fs/commands/commands.h"
#include "fs/commands/progress.h"
#include "fs/commands/summary.h"
#include "fs/commands/walk.h"
#include "fs/exit_code.h"
#include "fs/info.h"
#include "fs/session.h"
#include "fs/store_path.h"

namespace plainfs {
namespace {

constexpr size_t kMostInfoLines = 200;

// "n_obs      2700": a line for each thing that the format says of itself, what is in it below and indented.
void print_details(const Json::Object& details, int indent = 0) {
  for (const auto& [name, value] : details) {
    const Json::Object* const inner = value.object();
    const std::string text = inner ? "" : value.text() ? *value.text() : to_json_text(value);
    std::printf("%*s%-10s %s\n", indent, "", printable(name).c_str(), printable(text).c_str());
    if (inner) print_details(*inner, indent + 2);
  }
}

// Of a store elsewhere, of which a listing shows the files alone whose sizes it need not fetch.
std::string found_by_name_text(Filesystem& filesystem, const std::vector<Walked>& all) {
  size_t unsized = 0;
  for (const Walked& walked : all)
    if (walked.kind == FileKind::directory) try {
        unsized += filesystem.list(walked.inode)->unsized;
      } catch (const Error&) {
        // the summary has told
      }
  if (unsized == 0) return {};
  return fmt::format(
      "{} found by name and not listed, as telling their sizes reads the store: plainfs ls -a shows them; "
      "listed after plainfs index or with -o views=all\n",
      count_text(unsized, "name"));
}

// The files that there are for it, and how large they are where that takes no pass over the content.
void print_sizes(Filesystem& filesystem, const std::string& path) {
  std::vector<WalkFailure> failures;  // the summary has told
  size_t files = 0, known = 0;
  std::string lines;
  const std::vector<Walked> all = walk(filesystem, path, failures);
  for (const Walked& walked : all) {
    if (walked.kind != FileKind::file) continue;
    ++files;
    try {
      const Status status = filesystem.status_so_far(walked.inode);
      if (!status.is_whole) continue;
      if (++known <= kMostInfoLines)
        lines += fmt::format("{:>10}  {}\n", byte_text(static_cast<double>(status.stat.st_size)),
                             printable(walked.path));
    } catch (const Error&) {
      // The summary has told, or stat will.
    }
  }
  if (known > kMostInfoLines) lines += "… and more: plainfs ls -lR lists all of them\n";
  const std::string others =
      known < files ? ", the sizes of others after plainfs index or the first ls -l" : std::string();
  std::printf("\n%s%s\n%s%s", count_text(files, "file").c_str(), others.c_str(),
              found_by_name_text(filesystem, all).c_str(), lines.c_str());
}

std::string summary_at(const Store& store, Context& context, const std::string& path) try {
  return summary_of(store, context, path, kMostInfoLines);
} catch (const Error& error) {
  throw Failure(exit_code_of(error.code()), fmt::format("{}: {}", store.path, reason(error)));
}

}  // namespace

int info_command(Arguments arguments) {
  const bool is_json = take_flag(arguments, "--json");
  Options options = parse_options(arguments, 2);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  const std::string path = plain_path(options.names.size() > 1 ? options.names[1] : options.subdir);
  if (is_json && options.names.size() > 1)
    throw Failure(kUsage, "info: --json is of a whole store, without a path in it");
  if (!is_json) options.subdir.clear();
  Session session(options);
  const StorePtr store = session.filesystem().store();
  if (is_json) {
    const std::string text = info_text(*store, describe(options));
    // On a terminal all but ASCII is escaped, and with it what controls one.
    std::puts(nlohmann::ordered_json::parse(text).dump(2, ' ', ::isatty(STDOUT_FILENO) == 1).c_str());
    return kSuccess;
  }
  const std::string summary = summary_at(*store, session.context(), path);
  print_details({{"store", store->path}, {"format", store->format}});
  if (!store->version.empty()) print_details({{"version", store->version}});
  print_details(store->details);
  std::printf("\n%s", summary.c_str());
  print_sizes(session.filesystem(), path);
  return kSuccess;
}

}  // namespace plainfs
