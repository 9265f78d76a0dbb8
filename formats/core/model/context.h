// What every layer below fs is given instead of globals: the cache, the workers, the room to decode in, the
// open files, where warnings go, and the options that change how a store is read. Lives as long as the mount.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cache/byte_cache.h"
#include "cache/workers.h"
#include "formats/core/base/passes.h"
#include "formats/core/base/sources.h"
#include "formats/core/model/decode_budget.h"
#include "formats/core/remote/remote_options.h"

namespace plainfs {

struct CellTable;  // formats/core/model/cell_table.h
struct Genome;     // formats/core/model/genome.h

struct ReadOptions {
  bool absent_chunk_is_error = false;  // -o missing=error: an absent Zarr chunk is an error, not fill
  bool hdf5_plugins = false;           // -o hdf5_plugins: let libhdf5 load filter plugins
  bool array_header = false;           // -o header: the .csv of an array without names has a header, too
  bool ragged_as_count = false;        // -o ragged=count: a list in a cell of a table's .csv is its length
  std::string row_name_header;         // -o rowname=NAME: the header of a column of row names; "" = none
  bool follow_outside = false;  // -o follow_outside: what a store names outside of its own folder is read
  std::shared_ptr<const CellTable>
      cells;  // -o cells=FILE: what is said of the cells of fragments; null = nothing
  std::shared_ptr<const Genome> genome;  // -o genome=FILE: how long their chromosomes are; null = not known
  RemoteOptions remote;                  // of a store elsewhere
  std::string mountpoint;  // where this is mounted, without links; a mirrored folder does not look there
};

// Counted with relaxed atomics: each is a sum for .plainfs/stats.json, nothing is decided by it.
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
  DecodeBudget& decode_budget;  // for a chunk
  DecodeBudget&
      unit_budget;  // for what a view puts together of many chunks; taken before decode_budget, not after
  Sources& files;
  Counters& counters;
  ReadOptions options;
  // A broken rule of the format that keeps nothing from being shown: one line, with the path in the store.
  // Thread-safe.
  std::function<void(const std::string& message)> warn;
  // The same for what is odd and breaks no rule; null: as warn. Called through notice().
  std::function<void(const std::string& message)> note{};
  // The context of another store than the one that was named; its messages begin with that store's path.
  // Null: this one.
  std::function<Context&(const std::string& store)> other{};

  // What passes have found out in earlier sessions; null: nothing is kept.
  Passes* passes = nullptr;
  // How far the pass is that opening a store takes: bytes of the file that were read, of how many; all of
  // them once it is over. Null: nobody looks on. Thread-safe, and throws nothing.
  std::function<void(uint64_t read, uint64_t size)> passing{};

  // Lines for the log that say nothing of the store: how far a long pass is. Null: as note.
  std::function<void(const std::string& message)> progress{};

  void notice(const std::string& message) const { (note ? note : warn)(message); }
  void log_progress(const std::string& message) const { progress ? progress(message) : notice(message); }
  Context& of_store(const std::string& store) { return other ? other(store) : *this; }
};

}  // namespace plainfs
