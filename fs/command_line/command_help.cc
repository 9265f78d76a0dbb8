#include "fs/command_line/command_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
     "Lists a store, or what has PATH in it, without a mount.\n"
     "  -l  long: mode, size, time; the size of a text takes a pass over what it shows\n"
     "  -R  all directories below\n"
     "  -h  sizes as 1.5 GB\n"
     "  -a  what is found by its name too: names that begin with a dot, parts, parquet, zarr\n"
     "  -p  a slash behind directories, as on a terminal\n"
     "  -t  the newest first\n"},
    {"cat", "cat [--range FIRST-LAST] STORE PATH...\ncat --gene NAMES STORE [PATH]\n",
     "Writes files of a store to standard output, without a mount.\n"
     "  --range FIRST-LAST  these bytes of one file, from 0 on; without LAST to its end\n"
     "  --gene NAMES        a line a cell with the values of these genes, as in CD3D,CD8A; of the matrix at\n"
     "                      PATH, else of the one that the store shows first\n"},
    {"export",
     "export [--of PATH] [--level N] [--force] STORE [PATH] FILE\n"
     "export [--views LIST] [--part I/N] STORE [PATH...] DIR\n"
     "export --plan [--tasks N | --task-size BYTES] STORE [PATH...] PLAN\n"
     "export --task [I] PLAN DIR\n"
     "export --finish [--verify] PLAN DIR\n"
     "export --status PLAN DIR\n"
     "export --tar STORE [PATH...] -\n",
     "Writes a store as one FILE, whose ending chooses the form (.h5ad, .rds, .csv, .parquet, ...; plainfs "
     "info\n"
     "STORE lists them), or one file of it, PATH. Or writes the files of a store, or of what has these "
     "PATHs,\n"
     "into the folder DIR: each value as text and .npy, and what is named as PATH.\n"
     "  --of PATH          the part that is written, if there are several\n"
     "  --level N          of compression, from 1, the fastest, to 9; 0: none\n"
     "  --force            replaces a file that is there\n"
     "  --views LIST       these alone, as csv+mtx+tsv; listed: what a mount lists; or all\n"
     "  --part I/N         the I-th of N parts of about one size, for N machines\n"
     "  --plan             only writes what is to be done, in N tasks or in tasks of so many BYTES\n"
     "  --task [I]         does task I of a plan; without I that of SLURM_ARRAY_TASK_ID and the like\n"
     "  --finish           looks whether all tasks are done; --verify reads what they wrote\n"
     "  --status           how far they are\n"
     "  --tar              an archive, to standard output\n"},
    {"info", "info [--json] STORE [PATH]\ninfo STORE...\n",
     "Says what is in a store and how to open it; of a mountpoint what is mounted there, of several stores "
     "a\n"
     "page each.\n"
     "  --json  what .plainfs/info.json of a mount says\n"},
    {"check", "check STORE [PATH...]\n",
     "Reads every file to its end, of files for other programs the first megabyte, and names those that\n"
     "cannot be read. It exits with 0 if there are none.\n"},
    {"index", "index [--beside] STORE\n",
     "Finds out the sizes of all files and keeps them for later mounts (-o index=DIR).\n"
     "  --beside  puts them beside the store too, as STORE.plainfs, where every later reader finds them; of\n"
     "            http:// and https:// here, to be copied there\n"},
    {"reload", "reload MOUNTPOINT\n", "Shows a store that was rewritten anew, at the same mountpoint.\n"},
    {"run", "run STORE... -- COMMAND [ARGUMENT...]\n",
     "Mounts for one command, in a place that is gone with it; needs neither root nor fusermount3.\n"
     "  {}       in an ARGUMENT is the mountpoint; of several stores {1}, {2}, ...\n"},
    {"serve",
     "serve [--listen ADDRESS] [--host NAMES] [--token WORD|FILE|none] [--base /PATH] [--cors ORIGINS] "
     "[--open] "
     "STORE...\n",
     "Gives the files over HTTP and WebDAV, without FUSE, and prints where.\n"
     "  --listen ADDRESS  127.0.0.1:0 where it is not given\n"
     "  --host NAMES      names that clients may call this machine by, joined by commas\n"
     "  --token WORD      the word in the address, which otherwise changes with every start; of a FILE (a "
     "path\n"
     "                    with a /) its first line, made if it is absent; `none`: no word, for a proxy that\n"
     "                    asks for a password\n"
     "  --base /PATH      the path at which a proxy shows it; X-Forwarded-Prefix says the same\n"
     "  --cors ORIGINS    pages of these may read it, joined by commas\n"
     "  --open            opens it in a browser\n"},
    {"ps", "ps [-l | --json | --prometheus]\n",
     "Lists the mounts of this machine. STATE is `ready`, `waiting` for a server that does not answer,\n"
     "`changed` if the store is no longer the one that was mounted, `silent` if the mount itself does not "
     "answer\n"
     "within a second, or `apart`, in a namespace of its own.\n"
     "  -l            long: the version that runs, too\n"
     "  --json        for programs, with the counters of each\n"
     "  --prometheus  the counters in Prometheus' text format, as for node_exporter's textfile collector\n"},
    {"umount", "umount MOUNTPOINT...\n", "Unmounts each of them.\n"},
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
  return fmt::format(
      "{}\n{}\nOptions of `plainfs --help` (-o NAME) stand before or behind the command's name. More: man "
      "plainfs\n",
      usage_text(command.usage, "usage: ", "       "), command.text);
}

}  // namespace plainfs
