#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/location.h"
#include "formats/core/text/printable.h"
#include "formats/registry.h"
#include "formats/wrapped/wrapping.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/command_line/store_path.h"
#include "fs/commands/commands.h"
#include "fs/commands/mounted_store.h"
#include "fs/commands/one_file/file_form.h"
#include "fs/info.h"
#include "fs/report/facts.h"
#include "fs/report/outside_links.h"
#include "fs/report/progress.h"
#include "fs/report/ranked_files.h"
#include "fs/report/summary.h"
#include "fs/report/walk.h"
#include "fs/session.h"
#include "fs/views/anndata/anndata_files.h"
#include "fs/views/array/array_files.h"
#include "fs/views/file_forms.h"

namespace plainfs {
namespace {

constexpr size_t kMaxInfoLines = 200;

// Prints "n_obs      2700": one line for each detail that the format reports, with nested details indented.
void print_details(const Json::Object& details, int indent = 0) {
  for (const auto& [name, value] : details) {
    const Json::Object* const inner = value.object();
    const std::string text = inner ? "" : value.text() ? *value.text() : to_json_text(value);
    std::printf("%*s%-10s %s\n", indent, "", printable(name).c_str(), printable(text).c_str());
    if (inner) print_details(*inner, indent + 2);
  }
}

// Returns text for a remote store, which lists only files with sizes that need not be fetched.
std::string found_by_name_text(Filesystem& filesystem, const std::vector<Walked>& all) {
  size_t unsized = 0;
  for (const Walked& walked : all)
    if (walked.kind == FileKind::directory) try {
        unsized += filesystem.list(walked.inode)->unsized();
      } catch (const Error&) {
        // the summary reports it
      }
  if (unsized == 0) return {};
  return fmt::format(
      "{} found by name and not listed, because computing their sizes reads the store: plainfs ls -a shows "
      "them; "
      "listed after plainfs index or with -o views=all\n",
      count_text(unsized, "name"));
}

// Prints "  X/genes/  one gene: NAME.csv, NAME.npy": one line per form, with the best path and their number.
void print_found_by_name(const std::vector<RankedFile>& files) {
  struct Line {
    const FileRow* row;
    std::string path;
    size_t others = 0;
  };
  std::vector<Line> lines;
  for (const RankedFile& file : files) {
    if (file.is_listed || file.row->form.what.empty()) continue;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return line.row->form.ending == file.row->form.ending && line.row->form.what == file.row->form.what;
    });
    if (same != lines.end())
      ++same->others;
    else
      lines.push_back({file.row, printable(file.path) + (file.row->form.is_folder() ? "/" : "")});
  }
  if (lines.empty()) return;
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return is_before(a.row, b.row); });
  std::puts("\nfound by name and not listed; plainfs ls -a shows them:");
  for (const Line& line : lines)
    std::printf("  %-20s  %s%s\n", line.path.c_str(), std::string(line.row->form.what).c_str(),
                line.others == 0 ? "" : fmt::format(" (and {} more)", line.others).c_str());
}

// Prints the files, with sizes where these are known without a pass over the content.
void print_sizes(Filesystem& filesystem, const std::vector<Walked>& all) {
  size_t files = 0, known = 0;
  std::string lines;
  for (const Walked& walked : all) {
    if (walked.kind != FileKind::file) continue;
    ++files;
    try {
      const Status status = filesystem.status_so_far(walked.inode);
      if (!status.is_whole) continue;
      if (++known <= kMaxInfoLines)
        lines += fmt::format("{:>10}  {}\n", byte_text(static_cast<double>(status.stat.st_size)),
                             printable(walked.path));
    } catch (const Error&) {
      // The summary reports it, or stat will.
    }
  }
  if (known > kMaxInfoLines) lines += "… and more: plainfs ls -lR lists all of them\n";
  const std::string others =
      known < files ? "; other sizes are known after plainfs index or the first ls -l" : std::string();
  std::printf("\n%s%s\n%s%s", count_text(files, "file").c_str(), others.c_str(),
              found_by_name_text(filesystem, all).c_str(), lines.c_str());
}

std::string summary_at(const Store& store, Context& context, const std::string& path) try {
  return summary_of(store, context, path, kMaxInfoLines);
} catch (const Error& error) {
  throw Failure(exit_code_of(error.code()), fmt::format("{}: {}", store.path, reason(error)));
}

// Quotes text for R, Python and MATLAB. A line end becomes the escape sequence that R and Python read.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return printable(out + '"');
}

std::string quoted_for(std::string_view program, const std::string& path) {
  if (program == "shell") return shell_word(path);
  return program == "Fiji" ? printable(path) : quoted(path);
}

// Returns whether the file has no header; nullopt if it is known to fail.
std::optional<bool> is_without_header(Filesystem& filesystem, Inode file) try {
  const OpenMeaning meaning = filesystem.meaning(file);
  const auto* array = std::get_if<LabelledArray>(&meaning.what.node.content);
  const bool is_broken = array && dynamic_cast<const BrokenArray*>(array->values.get());
  return is_broken ? std::nullopt : std::optional(has_no_header(meaning.what));
} catch (const Error&) {
  return std::nullopt;
}

// Returns the lines to open the files with their usual tools: the best file for each program. Parts count
// only if there is nothing else. folder: the mountpoint, real or assumed.
std::string lines_to_open(Filesystem& filesystem, const std::vector<RankedFile>& files,
                          const std::string& folder) {
  std::string text;
  std::set<std::string> shown;  // "R", "shell head"
  for (const RankedFile& file : files) {
    if (file.is_part && !files.front().is_part) break;
    for (const OpenWith& with : file.row->form.opens) {
      const bool is_shell = with.program == "shell";
      const std::string tool(is_shell ? with.path.substr(0, with.path.find(' ')) : with.program);
      if (with.path.empty() || shown.contains(tool)) continue;
      const std::optional<bool> no_header = is_without_header(filesystem, file.inode);
      if (!no_header) break;
      shown.insert(tool);
      const std::string place = quoted_for(with.program, folder + "/" + file.path);
      text += fmt::format("  {:<8}{}\n", with.program, text_to_open(with, with.path, place, *no_header));
    }
  }
  return text;
}

// Prints where the store is or would be mounted, and how to get there.
void print_lines_to_open(const Store& store, Filesystem& filesystem, const std::vector<RankedFile>& files,
                         const Options& options, std::string mountpoint) {
  std::string how = "where it is mounted";
  if (mountpoint.empty() && options.read.join) {
    mountpoint = "MOUNTPOINT";
    how = fmt::format("after plainfs {}{} MOUNTPOINT", options_to_open(options), store_words(options));
  } else if (mountpoint.empty()) {
    mountpoint = usual_mountpoint(store.path);
    how = fmt::format("after plainfs {}{}", options_to_open(options), shell_word(store.path));
  }
  const std::string instructions = lines_to_open(filesystem, files, mountpoint);
  if (!instructions.empty()) std::printf("\nto open it, %s:\n%s", how.c_str(), instructions.c_str());
}

// Returns the files beside a member's directory that show it ("obs.csv" for "obs"), including unlisted ones.
std::vector<Walked> files_beside(Filesystem& filesystem, const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
  const std::string member = path.substr(slash == std::string::npos ? 0 : slash + 1);
  std::vector<Walked> files;
  try {
    const ListingPtr listing = filesystem.list(filesystem.find(folder));
    for (size_t i = 0; i < listing->size(); ++i) {
      const Listing::Entry entry = listing->at(i);
      if (!entry.name.starts_with(member) || filesystem.kind(entry.inode) != FileKind::file) continue;
      if (filesystem.meaning(entry.inode).what.member != member) continue;
      files.push_back({folder.empty() ? entry.name : folder + "/" + entry.name, entry.inode, FileKind::file});
    }
  } catch (const Error&) {
    // the summary reports it
  }
  return files;
}

// Returns all files that show the member at a path, or the whole store for "".
std::vector<Walked> files_of(Filesystem& filesystem, const std::string& path) {
  std::vector<WalkFailure> failures;  // the summary reports them
  if (path.empty()) return walk(filesystem, path, failures);
  std::vector<Walked> all = files_beside(filesystem, path);
  try {
    for (Walked& walked : walk(filesystem, path, failures)) all.push_back(std::move(walked));
  } catch (const Error&) {
    // it has no directory
  }
  return all;
}

// Prints notices of omitted or unusual data: the first lines, and how many there are.
void print_notices(const std::vector<std::string>& notices, const std::string& store) {
  constexpr size_t kMaxNotices = 10;
  if (notices.empty()) return;
  std::printf("\n%s:\n", count_text(notices.size(), "notice").c_str());
  for (size_t i = 0; i < std::min(notices.size(), kMaxNotices); ++i)
    std::printf("  %s\n", printable(notices[i]).c_str());
  if (notices.size() > kMaxNotices)
    std::printf("  … and %zu more: plainfs check %s\n", notices.size() - kMaxNotices,
                printable(store).c_str());
}

// Returns whether it is known without reading that the file cannot be generated, or would take hours.
bool is_refused(Filesystem& filesystem, const RankedFile& file) {
  const OpenMeaning meaning = filesystem.meaning(file.inode);
  const auto& node = meaning.what.identity.node;
  if (!node) return false;
  const auto* const array = std::get_if<LabelledArray>(&node->content);
  if (array && file.row && &file.row->form == &forms::kArrayCsv && is_too_long_to_list(*array)) return true;
  const std::optional<Error> error = facts_of(node->content).error;
  return error && error->code() == Errc::unsupported;
}

// A folder of stores has no store to choose.
void print_lines_to_write(Filesystem& filesystem, const std::vector<RankedFile>& files,
                          const Options& options, const std::string& path) {
  if (filesystem.store()->is_folder && path.empty()) return;
  const std::string instructions = lines_to_write(files, options, path);
  if (!instructions.empty()) std::printf("%s\n", instructions.c_str());
}

std::string json_text(const Store& store, const Options& options) {
  const std::string text = info_text(store, describe(options));
  // On a terminal, everything but ASCII is escaped, which includes control characters.
  return nlohmann::ordered_json::parse(text).dump(2, ' ', ::isatty(STDOUT_FILENO) == 1);
}

// options.store: for a mountpoint, its mounted store.
int show(Options options, const std::string& inside, bool is_json) {
  const std::optional<MountedStore> mounted =
      is_url(options.store) ? std::nullopt : mounted_at(options.store);
  const std::string mountpoint = mounted ? options.store : "";
  if (mounted) options.store = mounted->store;
  if (mounted && mounted->join) {
    options.read.join = mounted->join;
    options.join = mounted->join->is_outer ? "outer" : "inner";
    options.join_label = mounted->join->column;
  }
  const std::string given = inside.empty() && mounted ? mounted->subdir : inside;
  const std::string path = plain_path(given.empty() ? options.subdir : given);
  if (!is_json) options.subdir.clear();
  Session session(options, {}, shown_pass());
  const StorePtr store = session.filesystem().store();
  if (is_json) return std::puts(json_text(*store, options).c_str()), kSuccess;
  const std::string summary = summary_at(*store, session.context(), path);
  std::vector<WalkFailure> failures;  // the summary reports them
  std::vector<RankedFile> files = ranked_files(session.filesystem(), path, failures);
  std::erase_if(files, [&](const RankedFile& file) { return is_refused(session.filesystem(), file); });
  if (path.empty()) {
    if (!mounted || !mounted->join) print_lines_to_write(session.filesystem(), files, options, path);
    if (mounted) print_details({{"mounted", fmt::format("{}, process {}", mountpoint, mounted->process)}});
    if (store->joined.empty()) print_details({{"store", store->path}});
    print_details({{"format", store->format}});
    if (!store->version.empty()) print_details({{"version", store->version}});
    print_details(store->details);
    std::puts("");
  }
  std::fputs(summary.c_str(), stdout);
  const std::vector<Walked> all = files_of(session.filesystem(), path);
  if (!session.context().options.follow_outside)
    if (const size_t outside = count_outside_links(session.filesystem(), all); outside > 0)
      std::printf("\n%s\n", outside_links_text(outside).c_str());
  print_sizes(session.filesystem(), all);
  print_found_by_name(files);
  if (path.empty()) note_left_out_of_h5ad(refine(store->root, session.context()), session.context());
  print_notices(session.notices().lines(), store->path);
  if (!mounted || mounted->subdir.empty())
    print_lines_to_open(*store, session.filesystem(), files, options,
                        mounted             ? mountpoint
                        : options.read.join ? ""
                                            : mountpoint_of(store->path));
  return kSuccess;
}

// Prints a page for each store. Returns the exit code of the last failure.
int show_all(const Arguments& arguments) {
  int code = kSuccess;
  const char* gap = "";
  for (const Options& options : options_of_stores(arguments)) {
    std::fputs(std::exchange(gap, "\n"), stdout);
    try {
      show(options, "", false);
    } catch (const Failure& failure) {
      std::fprintf(stderr, "plainfs: %s\n", printable(failure.what()).c_str());
      code = failure.code();
    }
  }
  return code;
}

bool may_be_store(const std::string& name) {
  return is_url(name) || is_store_on_host(name) || mounted_at(name);
}

}  // namespace

int info_command(Arguments arguments) {
  const bool is_json = take_flag(arguments, "--json");
  Options options = parse_options(arguments, kManyNames, 0);
  if (options.names.size() > 2 && !is_json) return show_all(arguments);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  if (is_json && options.names.size() > 1)
    throw Failure(kUsage, "info: --json is for a whole store, without a path in it");
  const std::string inside = options.names.size() > 1 ? options.names[1] : "";
  try {
    return show(options, inside, is_json);
  } catch (const Failure& failure) {
    // It is not a path in the store but a store itself.
    if (failure.code() == kNotFound && !inside.empty() && may_be_store(inside)) return show_all(arguments);
    throw;
  }
}

}  // namespace plainfs
