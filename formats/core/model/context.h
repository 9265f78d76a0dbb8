// The context of every layer below fs, instead of globals: the cache, the workers, the memory budgets for
// decoding, the open files, the sinks for warnings, and the options that change how a store is read. Lives as
// long as the mount.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cache/byte_cache.h"
#include "cache/workers.h"
#include "formats/core/base/passes.h"
#include "formats/core/base/sources.h"
#include "formats/core/model/decode_budget.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs {

struct CellTable;  // formats/core/model/contents/cell_table.h
struct Genome;     // formats/core/model/contents/genome.h

// Several stores that are shown as one (formats/joined).
struct JoinOptions {
  struct Member {
    std::string location;  // absolute
    std::string label;     // differs from that of every other store
  };
  bool is_outer = false;  // --join=outer
  std::string column;     // --label: the column of obs with the store of each cell; empty = none
  std::vector<Member> stores;
};

// Returns the locations of the stores in their order.
inline std::vector<std::string> locations_of(const JoinOptions& join) {
  std::vector<std::string> all;
  for (const JoinOptions::Member& member : join.stores) all.push_back(member.location);
  return all;
}

struct ReadOptions {
  bool absent_chunk_is_error = false;  // -o missing=error: an absent Zarr chunk is an error, not fill
  bool hdf5_plugins = false;           // -o hdf5_plugins: let libhdf5 load filter plugins
  bool array_header = false;           // -o header: the .csv of an array without names also has a header
  bool ragged_as_count = false;        // -o ragged=count: a table's .csv shows the length of a list
  std::string row_name_header;         // -o rowname=NAME: the header of a column of row names; "" = none
  std::optional<bool> genes_in_rows;   // -o orientation=genes or cells: the rows of counts; absent = by names
  bool follow_outside = false;  // -o follow_outside: read files that a store names outside of its folder
  std::shared_ptr<const CellTable> cells;  // -o cells=FILE: annotations of the cells of fragments, or null
  std::shared_ptr<const Genome> genome;    // -o genome=FILE: the lengths of their chromosomes, or null
  // For an export to one file of an annotated matrix:
  std::string x_layer;                        // --layer: the layer that is X
  std::vector<std::string> without;           // --without: parts to leave out, "uns" or "layers/spliced"
  RemoteOptions remote;                       // of a remote store
  std::shared_ptr<const JoinOptions> join{};  // --join: the stores that are shown as one, or null
  std::string mountpoint;  // path of this mount, without links; a mirrored folder does not look into it
};

// Counters for .plainfs/stats.json. They are updated with relaxed atomics, and no decision depends on them.
struct Counters {
  std::atomic<uint64_t> source_bytes_read{0};
  std::atomic<uint64_t> chunks_decoded{0};
  std::atomic<uint64_t> bytes_decoded{0};
  std::atomic<uint64_t> text_blocks_measured{0};
  std::atomic<uint64_t> text_blocks_formatted{0};
  std::atomic<uint64_t> bytes_formatted{0};
  RemoteCounters remote;
};

struct Context {
  ByteCache& cache;
  Workers& workers;
  DecodeBudget& decode_budget;  // for one chunk
  DecodeBudget&
      unit_budget;  // for what a view assembles from many chunks; taken before decode_budget, not after
  Sources& files;
  Counters& counters;
  ReadOptions options;
  // Logs a violation of the format that does not prevent showing the data: one line, with the path in the
  // store. Thread-safe.
  std::function<void(const std::string& message)> warn;
  // Logs an oddity that breaks no rule; null: use warn. Called through notice().
  std::function<void(const std::string& message)> note{};
  // Returns the context of a store other than the named one. Its messages begin with that store's path. Null:
  // this context.
  std::function<Context&(const std::string& store)> other{};

  // Results of passes in earlier sessions; null: nothing is kept.
  Passes* passes = nullptr;
  // Reports the progress of the pass that opening a store needs: the bytes of the file read so far, and their
  // total; both are equal at the end. Null: no observer. Thread-safe. Throws nothing.
  std::function<void(uint64_t read, uint64_t size)> passing{};

  // Logs a line that is not about the store: the progress of a long pass. Null: use note.
  std::function<void(const std::string& message)> progress{};

  void notice(const std::string& message) const { (note ? note : warn)(message); }
  void log_progress(const std::string& message) const { progress ? progress(message) : notice(message); }
  Context& of_store(const std::string& store) { return other ? other(store) : *this; }
};

}  // namespace plainfs
