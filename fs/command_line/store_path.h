// Where a command finds what it is to read: a store, and a path in it.
#pragma once

#include <string>
#include <vector>

namespace plainfs {

// Splits the first name where it goes on inside a store, "pbmc.h5/assays/RNA": names then begin with the
// longest part that exists on disk and the path from there on. Names stay as they are where the first exists,
// and where that part is no store.
void split_store_path(std::vector<std::string>& names);

// What a mountpoint that is named after the store is called: "pbmc" of "a/pbmc.h5ad", "matrix.plain" of a
// folder "matrix".
std::string mount_name(const std::string& store);

// Where a mount without a mountpoint is made, as far as can be told before: beside the store or, if that
// folder cannot be written, in the current directory.
std::string usual_mountpoint(const std::string& store);

// Throws Failure(kNotFound) where nothing has that name on disk.
void check_exists(const std::string& path);

}  // namespace plainfs
