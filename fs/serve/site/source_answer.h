// The files of a store as they are on disk, under STORE/.plainfs/source/, for programs that read the format
// themselves (vizarr, napari, zarrita, h5wasm).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/site/exchange.h"

namespace plainfs::serve {

inline constexpr std::string_view kSourceFolder = "source";

// Answers a path that contains .plainfs/source, and returns false for any other path. Throws not_found if the
// file is missing or outside of the store, and unsupported for a store at a URL.
bool answer_source(const Exchange& exchange);

// Returns the path under which the source of the store with its root at `names` is served: its folder, or for
// a store that is one file, that file. Returns nullopt if the store has none.
std::optional<std::vector<std::string>> source_path(const Store& store, std::vector<std::string> names);

}  // namespace plainfs::serve
