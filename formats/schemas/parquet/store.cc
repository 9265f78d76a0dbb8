#include "formats/schemas/parquet/store.h"

#include <fmt/ranges.h>

#include <set>

#include "formats/core/model/derived_group.h"
#include "formats/core/text/path_names.h"
#include "formats/schemas/parquet/table.h"

namespace plainfs::parquet {
namespace {

// Returns the names of the codecs of all chunks, separated by commas.
std::string codecs_of(const Parts& parts) {
  static constexpr const char* kNames[] = {"none",   "snappy", "gzip", "lzo",
                                           "brotli", "lz4",    "zstd", "lz4_raw"};
  std::set<std::string> names;
  for (const GroupPlace& place : parts.groups())
    for (const Chunk& chunk : place.group->chunks) {
      const auto codec = static_cast<size_t>(chunk.codec);
      names.insert(codec < std::size(kNames) ? kNames[codec] : std::to_string(chunk.codec));
    }
  return fmt::format("{}", fmt::join(names, ", "));
}

Json::Object details_of(const TableFiles& files) {
  const Parts& parts = files.parts();
  Json::Object details{{"rows", Json::of(parts.rows())},
                       {"columns", Json::of(uint64_t{files.columns().size()})},
                       {"row groups", Json::of(uint64_t{parts.groups().size()})},
                       {"codecs", codecs_of(parts)}};
  if (parts.all().size() > 1) details.emplace_back("files", Json::of(uint64_t{parts.all().size()}));
  const std::string& writer = parts.all().front().footer.created_by;
  if (!writer.empty()) details.emplace_back("created by", writer);
  return details;
}

std::vector<Member> columns_of(const TableFiles& files) {
  std::vector<Member> members;
  for (const plainfs::Column& column : files.columns()) {
    members.push_back({column.name, Node{LabelledArray{column.values, nullptr, nullptr}}});
  }
  return members;
}

}  // namespace

bool recognises(const Probe& probe) {
  struct IsFolderOfParts {
    bool is_one;
  };
  if (probe.is_file()) return begins_as_parquet(probe.first_bytes());
  if (!probe.is_folder()) return false;
  return probe
      .once<IsFolderOfParts>([&] {
        try {
          const KeyStorePtr folder = probe.folder();
          return IsFolderOfParts{folder->is_listable() &&
                                 is_folder_of_parts(last_name(probe.location()), *folder, "")};
        } catch (const Error& error) {
          if (is_transient(error)) throw;
          return IsFolderOfParts{false};
        }
      })
      .is_one;
}

Store open(const Probe& probe, Context& context) {
  const std::string name(last_name(probe.location()));
  Store store;
  store.path = probe.location();
  store.format = "Parquet";
  std::vector<TableFile> found = files_at(probe.location(), context);
  const bool is_folder = probe.is_folder();
  std::optional<TableFiles> opened;
  try {
    opened = TableFiles::open(std::move(found), name, context);
  } catch (const Error& error) {
    if (!is_folder || is_transient(error)) throw;
    Node broken;
    broken.content = error;
    store.root.parts =
        std::make_shared<ListedGroup>(nullptr, "/", std::vector<Member>{{"table", std::move(broken)}});
    return store;
  }
  const TableFiles& files = *opened;
  store.details.emplace_back("parquet", details_of(files));
  store.root.parts = std::make_shared<ListedGroup>(nullptr, "/", [files](const GroupPtr& root) {
    Node node;
    node.content = files.table();
    node.parts = std::make_shared<ListedGroup>(root, "/table", columns_of(files));
    node.role = Role::main_table;
    return std::vector<Member>{{"table", std::move(node)}};
  });
  return store;
}

}  // namespace plainfs::parquet
