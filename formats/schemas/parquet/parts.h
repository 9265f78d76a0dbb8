// The files of a table: one file, or the files below a folder, as Dask, Spark, Arrow and Hive write them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/core/base/key_store.h"
#include "formats/core/base/probe.h"

namespace plainfs::parquet {

// The endings of the names of Parquet files.
inline constexpr std::array<std::string_view, 4> kEndings = {".parquet", ".parq", ".pq", ".geoparquet"};
// Returns whether a name has one of them.
bool has_parquet_name(std::string_view name);
// Returns the name without that ending.
std::string_view without_ending(std::string_view name);

// Returns whether a file begins as a Parquet file does, encrypted or not.
bool begins_as_parquet(ByteSpan first_bytes);

// Returns whether a folder with this name is one table: by its name, if it has a part, or if it has only
// KEY=VALUE folders with a part below them, or only Parquet files with names that differ in digits alone.
// Names that begin with "." or "_" do not count. Reads names alone.
bool is_folder_of_parts(std::string_view name, const KeyStore& folder, const std::string& key);

// A part, and the values of the folders KEY=VALUE that it is in.
struct PartFile {
  std::string key;
  std::vector<std::pair<std::string, std::string>> folders;
};

// Returns whether the path of a part is before another one, both as texts and numbers in turn: the order of
// Dask's natural_sort_key.
bool is_part_before(std::string_view a, std::string_view b);
// Returns the column that a folder KEY=VALUE is, or nullopt.
std::optional<std::pair<std::string, std::string>> folder_column(std::string_view name);
// Returns whether files and folders of this name are no parts.
bool is_hidden_part(std::string_view name);

// Returns the parts below a folder, in the order of their paths, with runs of digits as numbers. Throws what
// listing throws, and unsupported if there are too many.
std::vector<PartFile> parts_below(const KeyStore& folder, const std::string& key);

}  // namespace plainfs::parquet
