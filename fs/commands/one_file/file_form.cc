#include "fs/commands/one_file/file_form.h"

#include <algorithm>
#include <cctype>

#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "formats/wrapped/wrapping.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/shell_word.h"
#include "fs/report/walk.h"

namespace plainfs {
namespace {

// Returns "pbmc" for "a/pbmc.h5ad" and "pbmc.csv.gz", and "cells" for "cells.ome.zarr/".
std::string stem_of(const std::string& given) {
  std::string name = given;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  name = std::string(last_name(name));
  const std::string ending(file_ending(name));
  name.resize(name.size() - ending.size());
  if (ending == ".gz") name.resize(name.size() - file_ending(name).size());
  for (const std::string_view inner : {".ome", ".vcf"})
    if (name.ends_with(inner)) name.resize(name.size() - inner.size());
  return name.empty() || name == "." || name == ".." ? "store" : name;
}

// Returns whether a file of the mount is written in that form: it has it, or is a folder that has it as an
// archive.
bool is_written_as(const FileForm& own, const FileForm& form) {
  return own.is_exported() && (own.ending == form.ending || own.archive == &form);
}

// Returns the ending that a file of the mount has if it is written in that form.
std::string_view ending_in_mount(const FileForm& form) {
  for (const FileForm* const folder : exported_forms())
    if (folder->archive == &form) return folder->ending;
  return form.ending;
}

std::string comment_of(const OfferedForm& offered) {
  const FileForm& own = offered.file.row->form;
  std::string comment = fmt::format("{}: {}", own.archive == offered.form ? offered.form->what : own.what,
                                    printable(offered.file.path));
  if (offered.others > 0) comment += fmt::format(", or {} more with --of PATH", offered.others);
  return comment;
}

}  // namespace

const FileForm* form_of_name(std::string_view name) {
  const std::string small = lower_case(name);
  const FileForm* found = nullptr;
  for (const FileForm* form : exported_forms())
    if (small.ends_with(form->ending) && (!found || found->ending.size() < form->ending.size())) found = form;
  return found;
}

std::string_view file_ending(std::string_view name) {
  name = last_name(name);
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return {};
  const std::string_view letters = name.substr(dot + 1);
  const auto is_letter = [](unsigned char c) { return std::isalnum(c) != 0; };
  const bool is_ending = std::isalpha(static_cast<unsigned char>(letters[0])) != 0 && letters.size() <= 8 &&
                         std::all_of(letters.begin(), letters.end(), is_letter);
  return is_ending ? name.substr(dot) : std::string_view();
}

std::vector<RankedFile> sure_files(Filesystem& filesystem, const std::string& path) {
  std::vector<WalkFailure> failures;
  std::vector<RankedFile> files = ranked_files(filesystem, path, failures);
  for (const WalkFailure& failure : failures) throw failure.error.at(failure.path);
  return files;
}

std::vector<RankedFile> files_of_form(const FileForm& form, const std::vector<RankedFile>& all) {
  std::vector<RankedFile> found;
  for (const RankedFile& file : all)
    if (is_written_as(file.row->form, form)) found.push_back(file);
  return found;
}

std::vector<OfferedForm> offered_forms(const std::vector<RankedFile>& all) {
  std::vector<OfferedForm> offered;
  for (const FileForm* form : exported_forms()) {
    const std::vector<RankedFile> found = files_of_form(*form, all);
    const auto whole = static_cast<size_t>(
        std::count_if(found.begin(), found.end(), [](const RankedFile& file) { return !file.is_part; }));
    if (whole > 0) offered.push_back({form, found.front(), whole - 1});
  }
  return offered;
}

RankedFile file_of_part(Filesystem& filesystem, const FileForm& form, const std::string& store,
                        const std::string& path) {
  std::string part = plain_path(path);
  std::vector<RankedFile> found = files_of_form(form, sure_files(filesystem, part));
  if (!found.empty()) return found.front();
  // A file: another one that shows the same member, or the same directory.
  const Inode inode = resolve_given(filesystem, store, part);
  if (filesystem.kind(inode) != FileKind::directory) {
    const Meaning meaning = filesystem.meaning(inode).what;
    const std::string folder(path_above(part));
    if (form_of_name(part) == &form) return {part, inode, meaning.identity.row};
    const std::string shown = meaning.member.empty() ? folder : joined_path(folder, meaning.member);
    if (!shown.empty()) found = files_of_form(form, sure_files(filesystem, shown));
  } else {
    // An assay of a Seurat object: its file is beside its directory.
    part.append(ending_in_mount(form));
    try {
      const Inode beside = filesystem.resolve(part);
      return {part, beside, filesystem.row(beside)};
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) throw;
    }
    part = plain_path(path);
  }
  if (found.empty())
    throw Failure(kUsage, fmt::format("{}: {} cannot be written as {}", store, part, form.ending));
  return found.front();
}

std::string lines_to_write(const std::vector<RankedFile>& all, const Options& options,
                           const std::string& path) {
  const std::string store = options.read.join ? "joined" : options.store;
  const std::string inputs = store_arguments(options);
  struct Line {
    std::string command;
    std::string comment;
  };
  std::vector<Line> lines;
  size_t width = 0;
  const std::string part = options_to_open(options) + (path.empty() ? "" : "--of " + shell_word(path) + " ");
  const std::string stem = stem_of(path.empty() ? name_inside(last_name(store)) : path);
  for (const OfferedForm& offered : offered_forms(all)) {
    const std::string target = stem + std::string(offered.form->ending);
    if (path.empty() && target == last_name(store)) continue;  // it has that form already
    if (offered.file.row->form.what.empty()) continue;         // that depends on its data
    lines.push_back(
        {fmt::format("plainfs export {}{} {}", part, inputs, shell_word(target)), comment_of(offered)});
    width = std::max(width, lines.back().command.size());
  }
  std::string text;
  for (const Line& line : lines) text += fmt::format("  {:<{}}  # {}\n", line.command, width, line.comment);
  return text.empty() ? text : "to write it as one file:\n" + text;
}

}  // namespace plainfs
