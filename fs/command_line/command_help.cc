#include "fs/command_line/command_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fs/views/view.h"

namespace plainfs {
namespace {

struct CommandHelp {
  std::string_view name;
  std::string_view usage;  // one line each, without "plainfs "
  std::string_view text;
};

// In the order of the general help.
constexpr CommandHelp kHelps[] = {
    {"ls", "ls [-lRhapt] STORE [PATH]\n",
     "Lists a store, or PATH inside it, without a mount.\n"
     "  -l  long: mode, size and time; computing the size of a text file formats its content once\n"
     "  -R  all directories below, too\n"
     "  -h  sizes as 1.5 GB\n"
     "  -a  also what is found by name: names that begin with a dot, parts, parquet, zarr\n"
     "  -p  a slash after directories, as on a terminal\n"
     "  -t  newest first\n"},
    {"cat", "cat [--range FIRST-LAST] STORE PATH...\ncat --gene NAMES STORE [PATH]\n",
     "Writes files of a store to standard output, without a mount.\n"
     "  --range FIRST-LAST  only these bytes of one file, counted from 0; without LAST up to its end\n"
     "  --gene NAMES        one line for each cell with the values of these genes, such as CD3D,CD8A, from\n"
     "                      the matrix at PATH, otherwise from raw, or else from the first that has them\n"},
    {"export",
     "export [--of PATH] [--level N] [--zarr-format V] [--force] STORE [PATH] FILE\n"
     "export [--assay NAME] [--layer NAME] [--without PART] [--dry-run] [--quiet] STORE FILE\n"
     "export [--views LIST] [--part I/N] STORE [PATH...] DIR\n"
     "export --plan [--tasks N | --task-size BYTES] STORE [PATH...] PLAN\n"
     "export --task [I] PLAN DIR\n"
     "export --finish [--verify] PLAN DIR\n"
     "export --status PLAN DIR\n"
     "export --tar STORE [PATH...] -\n",
     "Writes a store, or its file PATH, as one FILE in the format of its extension (plainfs info STORE\n"
     "lists them), or into a folder DIR the files of the store or of each PATH, every value as text and "
     ".npy.\n"
     "  --of PATH          the part to write, if the store has several; --assay NAME: that assay or "
     "modality\n"
     "  --layer NAME       the layer that is X in the file; --without PART, repeated: leaves out raw, uns or "
     "others\n"
     "  --level N          compression, 1 (fastest) to 9; 0: none; --zarr-format V: of a .zarr, 2 or 3 (3)\n"
     "  --force            replaces a file; --dry-run: prints what would be written; --quiet: only errors\n"
     "  --views LIST       only these views, such as csv+mtx+tsv; listed: what a mount lists; or all\n"
     "  --part I/N         part I of N parts of similar size, for N machines\n"
     "  --plan             only writes a plan of the work, in N tasks or in tasks of BYTES each\n"
     "  --task [I]         runs task I of a plan; default: SLURM_ARRAY_TASK_ID. --status: their progress\n"
     "  --finish           completes the export if all tasks are done; --verify reads what they wrote\n"
     "  --tar              writes an archive to standard output\n"},
    {"info", "info [--long | --json] STORE [PATH]\ninfo STORE...\n",
     "Prints what a store is, the formats it can be written in, how to open it and what it contains. For a\n"
     "mountpoint it prints what is mounted there, for a folder the stores below it, for several stores one\n"
     "page each.\n"
     "  --long  also prints the known sizes of files, and the version of the library that reads the store\n"
     "  --json  prints .plainfs/info.json as a mount shows it\n"},
    {"check", "check STORE [PATH...]\n",
     "Reads every file to its end, or the first megabyte of files for other programs, and prints those that\n"
     "cannot be read. Exits with 0 if all can be read.\n"},
    {"index", "index [--beside | --part I/N] STORE\n",
     "Computes the sizes of all files and keeps them for later mounts (-o index=DIR).\n"
     "  --beside  also writes them beside the store, as STORE.plainfs, where every later reader finds them;\n"
     "            for http:// and https:// into the current folder, to be copied to the server\n"
     "  --part I/N  only part I of N parts of the work, for N machines that share -o index=DIR\n"},
    {"reload", "reload MOUNTPOINT\n", "Reopens a store that was rewritten, at the same mountpoint.\n"},
    {"run", "run STORE... -- COMMAND [ARGUMENT...]\n",
     "Mounts stores for one command, until it ends. Requires neither root nor fusermount3.\n"
     "  {}       in an ARGUMENT stands for the mountpoint; with several stores {1}, {2}, ...\n"},
    {"serve",
     "serve [--listen ADDRESS] [--host NAMES] [--token WORD|FILE|none] [--base /PATH] [--cors ORIGINS] "
     "[--open] "
     "STORE...\n",
     "Serves the files over HTTP and WebDAV, without FUSE, and prints the address.\n"
     "  --listen ADDRESS  the address to listen on (127.0.0.1:0)\n"
     "  --host NAMES      names of this machine that clients may use, separated by commas\n"
     "  --token WORD      the word in the address, which otherwise changes with every start. A FILE (a path\n"
     "                    with a /) contains it in its first line, and is created if absent. `none`: no "
     "word,\n"
     "                    for a proxy that asks for a password\n"
     "  --base /PATH      the path at which a proxy serves it; X-Forwarded-Prefix has the same effect\n"
     "  --cors ORIGINS    web pages of these origins may read it, separated by commas\n"
     "  --open            opens it in a browser\n"},
    {"ps", "ps [-l | --json | --prometheus]\n",
     "Lists the mounts of this machine. STATE is `ready`, `waiting` for a server that does not reply,\n"
     "`changed` if the store is no longer the one that was mounted, `silent` if the mount does not reply\n"
     "within a second, or `apart`, in a mount namespace of its own.\n"
     "  -l            long: also the version that runs\n"
     "  --json        for programs, with the counters of each mount\n"
     "  --prometheus  the counters in Prometheus' text format, for node_exporter's textfile collector\n"},
    {"umount", "umount MOUNTPOINT...\n", "Unmounts each MOUNTPOINT.\n"},
};

const CommandHelp* help_entry(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kHelps), std::end(kHelps),
                                         [&](const CommandHelp& c) { return c.name == name; });
  return found == std::end(kHelps) ? nullptr : found;
}

std::string usage_text(std::string_view lines, std::string_view first, std::string_view indent) {
  std::string text;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    text += fmt::format("{}plainfs {}\n", at == 0 ? first : indent, lines.substr(at, end - at));
    at = end + 1;
  }
  return text;
}

}  // namespace

bool is_command(std::string_view name) {
  return help_entry(name) != nullptr;
}

std::string usage_of_commands(std::string_view indent) {
  std::string text;
  for (const CommandHelp& command : kHelps) text += usage_text(command.usage, indent, indent);
  return text;
}

std::string help_of_command(std::string_view name) {
  const CommandHelp& command = *help_entry(name);
  std::string extensions;
  if (name == "export") {
    extensions = "Extensions of FILE:";
    for (const FileForm* form : exported_forms()) extensions.append(" ").append(form->ending);
    extensions += "\n";
  }
  return fmt::format(
      "{}\n{}{}\nOptions of `plainfs --help` (-o NAME) go before or after the command's name. More: man "
      "plainfs\n",
      usage_text(command.usage, "usage: ", "       "), command.text, extensions);
}

}  // namespace plainfs
