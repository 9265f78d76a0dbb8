#include "fs/commands/lines_to_write.h"

#include <algorithm>

#include "formats/core/text/printable.h"
#include "fs/command_line/shell_word.h"
#include "fs/commands/one_file/file_form.h"
#include "fs/commands/target_folder.h"
#include "fs/report/walk.h"

namespace plainfs {
namespace {

// Returns "pbmc" for "a/pbmc.h5ad", and "cells" for "cells.ome.zarr/".
std::string stem_of(const std::string& given) {
  std::string name = given;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  name = last_name(name);
  name.resize(name.size() - file_ending(name).size());
  for (const std::string_view inner : {".ome", ".vcf"})
    if (name.ends_with(inner)) name.resize(name.size() - inner.size());
  return name.empty() || name == "." || name == ".." ? "store" : name;
}

std::string comment_of(const OfferedForm& offered) {
  std::string comment = fmt::format("{}: {}", offered.file.what, printable(offered.file.path));
  if (offered.others > 0) comment += fmt::format(", or {} more with --of PATH", offered.others);
  return comment;
}

}  // namespace

std::string lines_to_write(Filesystem& filesystem, const std::string& store, const std::string& path) {
  struct Line {
    std::string command;
    std::string comment;
  };
  std::vector<Line> lines;
  size_t width = 0;
  const std::string part = path.empty() ? "" : "--of " + shell_word(path) + " ";
  const std::string stem = stem_of(path.empty() ? store : path);
  for (const OfferedForm& offered : offered_forms(filesystem, form_files(filesystem, path))) {
    const std::string target = stem + std::string(offered.form->ending);
    if (path.empty() && target == last_name(store)) continue;  // it has that form already
    lines.push_back({fmt::format("plainfs export {}{} {}", part, shell_word(store), shell_word(target)),
                     comment_of(offered)});
    width = std::max(width, lines.back().command.size());
  }
  std::string text;
  for (const Line& line : lines) text += fmt::format("  {:<{}}  # {}\n", line.command, width, line.comment);
  return text.empty() ? text : "to write it as one file:\n" + text;
}

}  // namespace plainfs
