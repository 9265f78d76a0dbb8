// What a store is on disk, so that what a client has of it is known to be the same in another run of the
// server.
#pragma once

#include <optional>
#include <string>

namespace plainfs::serve {

inline constexpr size_t kMostIdentityFiles = 4096;

// Other text where any file that the store can be read from was changed, replaced, added or removed: those
// below its folder; of a store that is one file, below the folder that it lies in, since it may name others
// there. nullopt where that is not cheap to tell: elsewhere, of more than kMostIdentityFiles names, with
// links, or where one cannot be looked at. To be asked before the store is opened.
std::optional<std::string> store_identity(const std::string& location);

}  // namespace plainfs::serve
