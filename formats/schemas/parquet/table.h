// A table in Parquet files: its columns, its row names as pandas keeps them, geometries of GeoParquet, and
// the columns that are folders KEY=VALUE. Facts: FORMAT.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "formats/containers/parquet/leaf.h"
#include "formats/core/model/node.h"
#include "formats/schemas/parquet/parts.h"

namespace plainfs::parquet {

// A file of a table.
struct TableFile {
  std::string name;  // for messages
  ValuePtr bytes;
  std::vector<std::pair<std::string, std::string>> folders{};  // KEY=VALUE
};

class TableFiles {
 public:
  // Reads the footers. place: for messages. Requires: there is a file. Throws damaged or unsupported if a
  // footer cannot be read, or if the files have other columns or columns of other types.
  static TableFiles open(std::vector<TableFile> files, const std::string& place, Context& context);

  const Parts& parts() const { return *parts_; }
  // Returns the table. Reads nothing. A column that cannot be shown throws when it is used.
  Table table() const;
  // Returns the columns as they are stored, in their own order and under their own names.
  const std::vector<plainfs::Column>& columns() const { return columns_; }

 private:
  TableFiles(PartsPtr parts, std::string place, Context& context)
      : parts_(std::move(parts)), place_(std::move(place)), context_(&context) {}

  void add_columns();
  void add_folder_columns(const std::vector<TableFile>& files);
  std::vector<size_t> index_columns(Table& table) const;

  PartsPtr parts_;
  std::string place_;
  Context* context_;
  std::vector<plainfs::Column> columns_;
};

// Returns the table in a file or in the parts of a folder on disk or on a server. Throws like
// TableFiles::open(), and not_found.
Table read_table(const std::string& location, Context& context);

// Returns the files of the table in a member of a store: a file, or a group of files that are parts. Empty if
// it has none.
std::vector<TableFile> files_in(const Member& member, Context& context);

// Returns the files of the table at a location: the file itself, or the parts of a folder.
std::vector<TableFile> files_at(const std::string& location, Context& context);

}  // namespace plainfs::parquet
