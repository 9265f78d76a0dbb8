// A text file that is formatted on read. Its content is a head (a header line, or nothing) and blocks; the
// first size() measures every block, in parallel, and keeps one offset a block; read() formats only the
// blocks it touches, through the cache. A view says only how one block becomes text, once, for both. A pass
// that is cancelled goes on where it was when the size is asked for again.
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/context.h"
#include "fs/text/sink.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Bytes of text a block should have: it and what it is made of then fit the processor's second cache, and
// what each block costs by itself (requests to the system, the cache's lock, waking a worker) stays small.
inline constexpr uint64_t kBlockText = 192 * 1024;

// So many bytes from the beginning are read before the text is measured, where measuring does not decide
// them.
inline constexpr size_t kTextBeginning = 64 * 1024;

// Blocks beyond this many (about 1.5 TB of text) would take hours to measure, and their offsets more memory
// than the cache.
inline constexpr uint64_t kMostBlocks = uint64_t{1} << 24;

// Throws unsupported where a text has more. Every text is asked after it was prepared; a source that keeps
// something of each block asks before that.
void check_block_count(uint64_t count);

// What a text view implements; const and thread-safe.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Reads what the grid needs and checks what must hold for the whole file. Called once before the rest, and
  // again where it threw.
  virtual void prepare() {}
  virtual std::string head() const { return {}; }
  // Of the text and of where its blocks begin, as Measured has it; empty: not to be kept for other sessions.
  virtual std::string version() const { return {}; }
  // Tells the division into blocks from others of the same version, where it depends on more than the store.
  virtual uint64_t division() const { return 0; }
  // Whether what the head says comes out of measuring the blocks: then it is asked for after all of them.
  virtual bool head_follows_blocks() const { return false; }
  virtual uint64_t block_count() const = 0;
  // Bytes of the block's text.
  virtual uint64_t measure(uint64_t block) const = 0;
  virtual void format(uint64_t block, ByteSink& out) const = 0;
  // Whether measure takes about as long as format does: then the pass that measures formats, and keeps what
  // it makes as long as there is room, for the next reader.
  virtual bool is_worth_keeping(uint64_t) const { return false; }
  // As ViewFile's: of lines that have positions, which are indexed while they are measured. Measures those
  // that were not.
  virtual std::string position_index(IndexKind) const { throw unsupported("lines without positions"); }
};

// A source whose View has `template <class Sink> void emit(uint64_t block, Sink& sink) const`.
template <class View>
class EmittingSource : public TextSource {
 public:
  uint64_t measure(uint64_t block) const final {
    CountingSink count;
    static_cast<const View*>(this)->emit(block, count);
    return count.size();
  }
  void format(uint64_t block, ByteSink& out) const final { static_cast<const View*>(this)->emit(block, out); }
};

class TextFile : public ViewFile {
 public:
  TextFile(std::unique_ptr<TextSource> source, Context& context);
  ~TextFile() override;
  uint64_t size() override;
  std::optional<uint64_t> known_size() override;
  uint64_t parts_to_measure() override;
  void measure_part(uint64_t part, uint64_t parts) override;
  Slices read(uint64_t offset, size_t size) override;
  bool has_beginning() const override;
  std::optional<Slices> read_beginning(uint64_t offset, size_t size) override;
  uint64_t cut_before(uint64_t offset) const override;
  MeasuredPtr measured() const override;
  void adopt(const MeasuredPtr& measured) override;
  std::string position_index(IndexKind kind) override;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the read-ahead that is under way
};

}  // namespace plainfs
