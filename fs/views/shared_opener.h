// Files that several others are made of.
#pragma once

#include "fs/views/view.h"

namespace plainfs {

// Opens what open opens, but gives those who have it open at one time the same file. Copies share it too.
Opener shared_opener(Opener open);

}  // namespace plainfs
