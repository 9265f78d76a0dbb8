#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/location.h"
#include "formats/core/text/path_names.h"
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
#include "fs/report/headline.h"
#include "fs/report/outside_links.h"
#include "fs/report/progress.h"
#include "fs/report/ranked_files.h"
#include "fs/report/summary.h"
#include "fs/report/walk.h"
#include "fs/report/words.h"
#include "fs/session.h"
#include "fs/views/anndata/anndata_files.h"
#include "fs/views/array/array_files.h"
#include "fs/views/file_forms.h"

namespace plainfs {
namespace {

constexpr size_t kMaxInfoLines = 200;
constexpr size_t kMaxStoresToOpen =
    100;  // in a folder, for the lines that open the best files of all of them

bool is_empty_object(const std::pair<std::string, Json>& detail) {
  return detail.second.object() && detail.second.object()->empty();
}

// Prints "n_obs      2700": one line for each detail that the format reports, with nested details indented.
void print_details(const Json::Object& details, int indent = 0) {
  for (const auto& [name, value] : details) {
    const Json::Object* const inner = value.object();
    if (inner && std::all_of(inner->begin(), inner->end(), is_empty_object)) continue;
    const std::string text = inner ? "" : value.text() ? *value.text() : to_json_text(value);
    std::printf(inner ? "%*s%s%s\n" : "%*s%-10s %s\n", indent, "", printable(name).c_str(),
                printable(text).c_str());
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
  std::printf("\n%s%s\n%s", count_text(files, "file").c_str(), others.c_str(), lines.c_str());
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
    how = fmt::format("after plainfs {}{} MOUNTPOINT", options_to_open(options), store_arguments(options));
  } else if (mountpoint.empty()) {
    mountpoint = usual_mountpoint(store.path);
    how = fmt::format("after plainfs {}{}", options_to_open(options), shell_word(store.path));
  }
  const std::string instructions = lines_to_open(filesystem, files, mountpoint);
  if (!instructions.empty()) std::printf("to open it, %s:\n%s\n", how.c_str(), instructions.c_str());
}

// Returns the files beside a member's directory that show it ("obs.csv" for "obs"), including unlisted ones.
std::vector<Walked> files_beside(Filesystem& filesystem, const std::string& path) {
  const std::string folder(path_above(path)), member(last_name(path));
  std::vector<Walked> files;
  try {
    const ListingPtr listing = filesystem.list(filesystem.find(folder));
    for (size_t i = 0; i < listing->size(); ++i) {
      const Listing::Entry entry = listing->at(i);
      if (!entry.name.starts_with(member) || filesystem.kind(entry.inode) != FileKind::file) continue;
      if (filesystem.meaning(entry.inode).what.member != member) continue;
      files.push_back({joined_path(folder, entry.name), entry.inode, FileKind::file});
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

// Returns the links in a folder and below it, without entering the stores there.
std::vector<Walked> links_in_folders(Filesystem& filesystem) {
  std::vector<Walked> links;
  std::vector<Inode> left{kRootInode};
  while (!left.empty()) {
    const Inode folder = left.back();
    left.pop_back();
    try {
      const ListingPtr listing = filesystem.list(folder);
      for (const Listing::Entry& entry : listing->entries()) {
        if (entry.kind == FileKind::directory) left.push_back(entry.inode);
        if (entry.kind == FileKind::link) links.push_back({entry.name, entry.inode, entry.kind});
      }
    } catch (const Error&) {
      // the summary reports it
    }
  }
  return links;
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
  if (array && has_form(file.row, forms::kArrayCsv) && is_too_long_to_list(*array)) return true;
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

// The libraries' versions, which no reader of the store needs.
bool is_technical(const std::string& name) {
  return name == "libhdf5";
}

// The page of a store or a part of it: a description, its other formats, how to open it, its contents; the
// technical facts are last.
class Page {
 public:
  // options: with the store, of which `path` is a part; "" is all of it.
  Page(Options options, const Store& store, Session& session, const std::optional<MountedStore>& mounted,
       std::string mountpoint, std::string path, bool is_long)
      : options_(std::move(options)),
        store_(store),
        session_(session),
        mounted_(mounted),
        mountpoint_(std::move(mountpoint)),
        path_(std::move(path)),
        is_long_(is_long) {}

  void print() {
    if (path_.empty() && store_.is_folder && stored_in_folder()) return;
    const std::string summary = summary_at(store_, session_.context(), path_);
    std::vector<WalkFailure> failures;  // the summary reports them
    files_ = ranked_files(session_.filesystem(), path_, failures);
    std::erase_if(files_, [&](const RankedFile& file) { return is_refused(session_.filesystem(), file); });
    if (path_.empty()) {
      std::printf("%s\n\n", headline(store_, session_.context()).c_str());
      if (!is_mounted_join()) print_lines_to_write(session_.filesystem(), files_, options_, path_);
      print_how_to_open();
    }
    std::fputs(summary.c_str(), stdout);
    if (!path_.empty()) {
      std::puts("");
      print_how_to_open();
    }
    print_found_by_name(files_);
    const std::vector<Walked> all = files_of(session_.filesystem(), path_);
    print_outside_links(all);
    std::fputs(found_by_name_text(session_.filesystem(), all).c_str(), stdout);
    if (path_.empty()) note_left_out_of_h5ad(refine(store_.root, session_.context()), session_.context());
    print_notices(session_.notices().lines(), store_.path);
    if (path_.empty()) print_facts();
    if (is_long_) print_sizes(session_.filesystem(), all);
  }

 private:
  bool is_mounted_join() const { return mounted_ && mounted_->join; }

  // Prints the stores of a folder. Returns false for a folder without stores, and for the results of an
  // instrument, which are one store.
  bool stored_in_folder() {
    const auto is_run = [](const auto& detail) { return detail.first == "run"; };
    if (std::any_of(store_.details.begin(), store_.details.end(), is_run)) return false;
    const FolderSummary folder = summary_of_folder(store_, session_.context());
    if (folder.stores == 0) return false;
    std::printf("folder with %s: %s\n\n%s", count_text(folder.stores, "store").c_str(), folder.kinds.c_str(),
                folder.lines.c_str());
    if (folder.stores <= kMaxStoresToOpen) {
      std::vector<WalkFailure> failures;  // the lines of the stores report them
      files_ = ranked_files(session_.filesystem(), path_, failures);
      std::erase_if(files_, [&](const RankedFile& file) { return is_refused(session_.filesystem(), file); });
      std::puts("");
      print_how_to_open();
    }
    print_outside_links(links_in_folders(session_.filesystem()));
    print_notices(session_.notices().lines(), store_.path);
    print_facts();
    std::printf("\nabout one of them: plainfs info %s/NAME\n", shell_word(store_.path).c_str());
    return true;
  }

  void print_outside_links(const std::vector<Walked>& all) {
    if (session_.context().options.follow_outside) return;
    if (const size_t outside = count_outside_links(session_.filesystem(), all); outside > 0)
      std::printf("\n%s\n", outside_links_text(outside).c_str());
  }

  void print_how_to_open() {
    if (mounted_ && !mounted_->subdir.empty()) return;
    print_lines_to_open(store_, session_.filesystem(), files_, options_,
                        mounted_             ? mountpoint_
                        : options_.read.join ? ""
                                             : mountpoint_of(store_.path));
  }

  void print_facts() {
    std::puts("");
    if (mounted_) print_details({{"mounted", fmt::format("{}, process {}", mountpoint_, mounted_->process)}});
    if (store_.joined.empty()) print_details({{"store", store_.path}});
    print_details({{"format", store_.format}});
    if (!store_.version.empty() && (is_long_ || !store_.version.starts_with("superblock")))
      print_details({{"version", store_.version}});
    Json::Object details = store_.details;
    if (!is_long_) std::erase_if(details, [](const auto& one) { return is_technical(one.first); });
    print_details(details);
  }

  Options options_;
  const Store& store_;
  Session& session_;
  const std::optional<MountedStore>& mounted_;
  const std::string mountpoint_;  // "" if it is not mounted
  const std::string path_;
  const bool is_long_;
  std::vector<RankedFile> files_;
};

// options.store: for a mountpoint, its mounted store.
int show(Options options, const std::string& inside, bool is_json, bool is_long) {
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
  if (is_json) return print_json(parse_json(info_text(*store, describe(options)))), kSuccess;
  Page(std::move(options), *store, session, mounted, mountpoint, path, is_long).print();
  return kSuccess;
}

// Prints a page for each store. Returns the exit code of the last failure.
int show_all(const Arguments& arguments, bool is_long) {
  int code = kSuccess;
  const char* gap = "";
  for (const Options& options : options_of_stores(arguments)) {
    std::fputs(std::exchange(gap, "\n"), stdout);
    try {
      show(options, "", false, is_long);
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
  const bool is_json = take_flag(arguments, "--json"), is_long = take_flag(arguments, "--long");
  Options options = parse_options(arguments, kManyNames, 0);
  if (options.names.size() > 2 && !is_json) return show_all(arguments, is_long);
  split_store_path(options.names);
  if (!options.names.empty()) options.store = options.names[0];
  if (is_json && options.names.size() > 1)
    throw Failure(kUsage, "info: --json is for a whole store, without a path in it");
  const std::string inside = options.names.size() > 1 ? options.names[1] : "";
  try {
    return show(options, inside, is_json, is_long);
  } catch (const Failure& failure) {
    // It is not a path in the store but a store itself.
    if (failure.code() == kNotFound && !inside.empty() && may_be_store(inside))
      return show_all(arguments, is_long);
    throw;
  }
}

}  // namespace plainfs
