// The arguments of commands: a store, and a path in it.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

// Splits the first name if it continues inside a store, "pbmc.h5/assays/RNA": names then begin with the
// longest part that exists on disk and the remaining path. Names stay unchanged if the first one exists, or
// if that part is not a store.
void split_store_path(std::vector<std::string>& names);

// Returns the name of a mountpoint for the store: "pbmc" for "a/pbmc.h5ad", "matrix.plain" for a folder
// "matrix".
std::string mount_name(const std::string& store);

// Returns the likely mountpoint of a mount without one: beside the store or, if that folder is not writable,
// in the current directory.
std::string usual_mountpoint(const std::string& store);

// Throws Failure(kNotFound) if the path does not exist on disk.
void check_exists(const std::string& path);

}  // namespace plainfs
