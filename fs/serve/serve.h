// `plainfs serve STORE...`: the file tree of a mount over HTTP, for browsers and for machines without FUSE.
#pragma once

#include "fs/commands/commands.h"

namespace plainfs::serve {

// Runs the command (see Command in fs/commands/commands.h). Stays in the foreground until SIGINT, SIGTERM or
// SIGHUP.
int serve_command(Arguments arguments);

}  // namespace plainfs::serve
