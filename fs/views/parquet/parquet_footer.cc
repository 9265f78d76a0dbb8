#include "fs/views/parquet/parquet_parts.h"

#include <algorithm>

#include "formats/containers/parquet/thrift_writer.h"
#include "formats/core/text/json.h"

namespace plainfs {

namespace {

// Identifies the layout, not the version that writes it: the same table gives the same bytes.
constexpr const char kCreator[] = "plainfs", kVersion[] = "0.3.0";
constexpr const char kPandas[] = "1.5.3";  // the version that defines these metadata

Json pandas_column(const ParquetColumn& column) {
  const ParquetType& type = column.type();
  Json metadata;
  if (column.dictionary())
    metadata = Json::Object{{"num_categories", Json::of(column.levels())}, {"ordered", column.is_ordered()}};
  else if (type.pandas_type == "datetimetz")
    metadata = Json::Object{{"timezone", "UTC"}};
  return Json::Object{{"name", column.name()},
                      {"field_name", column.name()},
                      {"pandas_type", type.pandas_type},
                      {"numpy_type", column.is_optional() ? type.nullable_type : type.numpy_type},
                      {"metadata", std::move(metadata)}};
}

std::string pandas_key(const std::vector<ParquetColumnPtr>& columns, uint64_t rows, bool has_index) {
  Json::List index, all;
  if (has_index)
    index.emplace_back(columns.front()->name());
  else
    index.emplace_back(Json::Object{{"kind", "range"},
                                    {"name", nullptr},
                                    {"start", Json::of(uint64_t{0})},
                                    {"stop", Json::of(rows)},
                                    {"step", Json::of(uint64_t{1})}});
  for (const ParquetColumnPtr& column : columns) all.push_back(pandas_column(*column));
  const Json::Object names{{"name", nullptr},
                           {"field_name", nullptr},
                           {"pandas_type", "unicode"},
                           {"numpy_type", "object"},
                           {"metadata", Json::Object{{"encoding", "UTF-8"}}}};
  return to_json_text(Json::Object{{"index_columns", std::move(index)},
                                   {"column_indexes", Json::List{names}},
                                   {"columns", std::move(all)},
                                   {"creator", Json::Object{{"library", kCreator}, {"version", kVersion}}},
                                   {"pandas_version", kPandas}});
}

// Returns the metadata of factors with ordered levels, which readers cannot get from a dictionary; empty if
// there are no such factors.
std::string plainfs_key(const std::vector<ParquetColumnPtr>& columns) {
  Json::Object factors;
  for (const ParquetColumnPtr& column : columns) {
    if (!column->is_ordered()) continue;
    Json::List levels;
    for (std::string& level : column->ordered_levels()) levels.emplace_back(std::move(level));
    factors.emplace_back(column->name(), Json::Object{{"levels", std::move(levels)}, {"ordered", true}});
  }
  return factors.empty() ? std::string() : to_json_text(Json::Object{{"factors", std::move(factors)}});
}

void put_schema(const ParquetColumn& column, ThriftWriter& out) {
  out.begin_element();
  out.int32(1, static_cast<int32_t>(column.type().physical));
  out.int32(3, column.is_optional() ? 1 : 0);
  out.binary(4, column.name());
  if (column.type().converted >= 0) out.int32(6, column.type().converted);
  if (!column.type().logical.empty()) out.encoded_struct(10, column.type().logical);
  out.end();
}

uint32_t bytes_of(ParquetPhysical physical) {
  return physical == ParquetPhysical::int32 || physical == ParquetPhysical::real32 ? 4 : 8;
}

void put_statistics(const ParquetColumn& column, const ParquetChunk& chunk, ThriftWriter& out) {
  const ParquetPhysical physical = column.type().physical;
  const bool is_real = physical == ParquetPhysical::real32 || physical == ParquetPhysical::real64;
  out.begin(12);
  out.int64(3, static_cast<int64_t>(chunk.missing));
  if (const std::optional<ParquetExtremes>& extremes = chunk.extremes) {
    // With a NaN neither bound is valid: a reader would leave out rows that match its condition.
    if (extremes->nans == 0) {
      const auto bytes = [&](const uint64_t& bits) {
        return std::string_view(reinterpret_cast<const char*>(&bits), bytes_of(physical));
      };
      out.binary(5, bytes(extremes->largest));
      out.binary(6, bytes(extremes->smallest));
      out.boolean(7, true);
      out.boolean(8, true);
    }
    if (is_real) out.int64(9, static_cast<int64_t>(extremes->nans));
  }
  out.end();
}

void put_chunk(const ParquetColumn& column, const ParquetChunk& chunk, ParquetCodec codec,
               ThriftWriter& out) {
  const bool has_dictionary = column.dictionary() != nullptr;
  out.begin_element();
  out.int64(2, 0);
  out.begin(3);
  out.int32(1, static_cast<int32_t>(column.type().physical));
  out.int32_list(2, has_dictionary ? std::vector<int32_t>{kParquetPlain, kParquetRle, kParquetRleDictionary}
                                   : std::vector<int32_t>{kParquetPlain, kParquetRle});
  out.binary_list(3, {column.name()});
  out.int32(4, static_cast<int32_t>(codec));
  out.int64(5, static_cast<int64_t>(chunk.rows));
  out.int64(6, static_cast<int64_t>(chunk.plain_size));
  out.int64(7, static_cast<int64_t>(chunk.size));
  out.int64(9, static_cast<int64_t>(chunk.data_page));
  if (has_dictionary) out.int64(11, static_cast<int64_t>(chunk.begin));
  put_statistics(column, chunk, out);
  out.end();
  out.end();
}

void put_group(const std::vector<ParquetColumnPtr>& columns, const ParquetGroup& group, size_t number,
               ParquetCodec codec, ThriftWriter& out) {
  uint64_t size = 0, plain_size = 0;
  for (const ParquetChunk& chunk : group) {
    size += chunk.size;
    plain_size += chunk.plain_size;
  }
  out.begin_element();
  out.struct_list(1, group.size());
  for (size_t i = 0; i < group.size(); ++i) put_chunk(*columns[i], group[i], codec, out);
  out.int64(2, static_cast<int64_t>(plain_size));
  out.int64(3, static_cast<int64_t>(group.front().rows));
  out.int64(5, static_cast<int64_t>(group.front().begin));
  out.int64(6, static_cast<int64_t>(size));
  if (number <= INT16_MAX) out.int16(7, static_cast<int16_t>(number));
  out.end();
}

void put_key(std::string_view key, std::string_view value, ThriftWriter& out) {
  out.begin_element();
  out.binary(1, key);
  out.binary(2, value);
  out.end();
}

}  // namespace

std::string parquet_footer(const std::vector<ParquetColumnPtr>& columns,
                           const std::vector<ParquetGroup>& groups, uint64_t rows, bool has_index,
                           ParquetCodec codec) {
  ThriftWriter out;
  out.int32(1, 1);
  out.struct_list(2, columns.size() + 1);
  out.begin_element();
  out.binary(4, "schema");
  out.int32(5, static_cast<int32_t>(columns.size()));
  out.end();
  for (const ParquetColumnPtr& column : columns) put_schema(*column, out);
  out.int64(3, static_cast<int64_t>(rows));
  out.struct_list(4, groups.size());
  for (size_t i = 0; i < groups.size(); ++i) put_group(columns, groups[i], i, codec, out);
  const std::string own = plainfs_key(columns);
  out.struct_list(5, own.empty() ? 1 : 2);
  put_key("pandas", pandas_key(columns, rows, has_index), out);
  if (!own.empty()) put_key("plainfs", own, out);
  out.binary(6, std::string(kCreator) + " version " + kVersion);
  // The order of each column is that of its type; without this, min and max are meaningless.
  out.struct_list(7, columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    out.begin_element();
    out.begin(1);
    out.end();
    out.end();
  }
  out.end();
  return out.take();
}

}  // namespace plainfs
