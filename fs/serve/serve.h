// `plainfs serve STORE...`: the file tree of a mount over HTTP, for browsers and for machines without FUSE.
#pragma once

#include <string>
#include <vector>

namespace plainfs::serve {

// Runs the command with the arguments after its name (Command in fs/commands/commands.h). Stays in the
// foreground until SIGINT, SIGTERM or SIGHUP.
int serve_command(std::vector<std::string> arguments);

}  // namespace plainfs::serve
