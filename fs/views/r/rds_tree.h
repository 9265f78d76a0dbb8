// Values of any kind as R holds them: lists within lists, tables, arrays, sparse matrices, and R's own
// values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/containers/rds/value.h"
#include "formats/core/model/contents/seurat_object.h"
#include "formats/core/model/context.h"
#include "formats/core/sparse/column_matrix.h"
#include "fs/views/r/rds_writer.h"

namespace plainfs {

// A writer of lists. Members that R cannot hold are left out; refuse(path, why) is called for each. What
// cannot be read is an error.
class RTreeWriter {
 public:
  using Refuse = std::function<void(const std::string& path, const std::string& why)>;
  RTreeWriter(ColumnMatrices& matrices, Context& context, Refuse refuse, RdsWriter& out)
      : matrices_(matrices), context_(context), refuse_(std::move(refuse)), out_(out) {}

  // Writes the list. path: its place, for refuse.
  void put(const RList& list, const std::string& path);
  void put_value(const rds::Value& value, const std::string& path);
  // Writes a list of commands, each an object of class SeuratCommand.
  void put_commands(const RList& commands, const std::string& path);

 private:
  void put_members(const std::vector<Member>& members, const std::string& path);
  void put_node(const Node& node, const std::string& path);
  void put_array(const LabelledArray& array, const std::string& path);
  void put_vector(const LabelledArray& array, const std::string& path);
  void put_table(const Table& table, const std::string& path);
  void put_sparse(const SparseMatrix& matrix);
  void put_records(const ArrayPtr& values, const std::string& path);
  void put_json(const Json& value);
  void put_list(const rds::Value& list, const std::string& path);
  void put_attributes(const rds::Value& value, const std::string& path);
  void put_command(const Member& command, const std::string& path);
  std::vector<Member> held_members(const std::vector<Member>& members, const std::string& path);
  bool is_held(const Node& node, const std::string& path);

  ColumnMatrices& matrices_;
  Context& context_;
  const Refuse refuse_;
  RdsWriter& out_;
};

}  // namespace plainfs
