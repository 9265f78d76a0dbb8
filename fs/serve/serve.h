// `plainfs serve STORE...`: the tree of a mount over HTTP, for a browser and for machines without a driver.
#pragma once

#include "fs/commands/commands.h"

namespace plainfs::serve {

// As a Command runs (fs/commands/commands.h). Stays in the foreground until SIGINT, SIGTERM or SIGHUP.
int serve_command(Arguments arguments);

}  // namespace plainfs::serve
