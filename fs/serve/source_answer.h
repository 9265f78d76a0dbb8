// A store's own files, as they lie on disk, under STORE/.plainfs/source/: for programs that read the format
// themselves (vizarr, napari, zarrita, h5wasm).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fs/serve/asked.h"

namespace plainfs::serve {

inline constexpr std::string_view kSourceFolder = "source";

// Answers for a path with .plainfs/source in it; false for any other. Throws not_found for what is not there,
// and for what leads out of the store; unsupported of a store behind a URL.
bool answer_source(const Asked& asked);

// Returns the names of that path for the store whose root is at names: of a folder that itself, of a file its
// name below. nullopt if the store has none.
std::optional<std::vector<std::string>> source_path(const Store& store, std::vector<std::string> names);

}  // namespace plainfs::serve
