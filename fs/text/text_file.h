// A text file that is formatted on read. Its content is a head (a header line, or nothing) followed by
// blocks. The first size() measures every block, in parallel, and keeps their offsets. read() formats only
// the blocks it touches, through the cache. A view defines once how a block becomes text, for both. A
// cancelled pass resumes when the size is requested again, also in another session (fs/text/block_sizes.h).
#pragma once

#include <memory>
#include <string>

#include "formats/core/model/context.h"
#include "fs/text/sink.h"
#include "fs/text/view_file.h"

namespace plainfs {

// Target size of a block's text. The text and its values then fit the processor's second-level cache, and the
// fixed cost of a block (system calls, the cache's lock, waking a worker) stays small.
inline constexpr uint64_t kBlockText = 192 * 1024;

// Bytes at the beginning that can be read before the text is measured, unless they depend on the measurement.
inline constexpr size_t kTextBeginning = 64 * 1024;

// The largest number of blocks: some 800 TB of text.
inline constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;

// The most offsets of a text that are kept: 32 MiB. A longer text has one for several neighbouring blocks.
// Their lengths are measured again when one of them is read.
inline constexpr uint64_t kMaxOffsets = uint64_t{1} << 22;

// Throws unsupported if a text has more than kMaxBlocks. Checked for every text before it is measured, so
// that its beginning can be read.
void check_block_count(uint64_t count);

// The largest number of blocks of a source that keeps data for each.
inline constexpr uint64_t kMaxKeptBlocks = uint64_t{1} << 24;
// Throws unsupported if there are more. Such a source calls it when it is prepared.
void check_kept_blocks(uint64_t count);

// The interface of a text view. Const and thread-safe.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Reads what the block layout needs and checks what must hold for the whole file. Called once before the
  // other functions, and again if it threw.
  virtual void prepare() {}
  virtual std::string head() const { return {}; }
  // Returns the version of the text and its block layout (Measured::version); empty if other sessions must
  // not reuse them.
  virtual std::string version() const { return {}; }
  // Identifies the block layout if it depends on more than the store (for example on the cache size).
  virtual uint64_t division() const { return 0; }
  // Returns whether the head depends on the measured blocks. It is then requested after all of them.
  virtual bool head_follows_blocks() const { return false; }
  virtual uint64_t block_count() const = 0;
  // Returns the number of bytes of the block's text.
  virtual uint64_t measure(uint64_t block) const = 0;
  virtual void format(uint64_t block, ByteSink& out) const = 0;
  // Returns whether measure() takes about as long as format(). The measuring pass then formats the block, and
  // keeps the text for the next reader while there is room.
  virtual bool should_cache(uint64_t) const { return false; }
  // See ViewFile::position_index. For lines with positions, which are indexed while they are measured.
  // Measures the blocks that were not measured yet.
  virtual std::string position_index(IndexKind) const { throw unsupported("lines without positions"); }
};

// A source for views with a member `template <class Sink> void emit(uint64_t block, Sink& sink) const`.
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
  bool can_read_before_sized() const override;
  std::optional<Slices> read_beginning(uint64_t offset, size_t size) override;
  uint64_t cut_before(uint64_t offset) const override;
  MeasuredPtr measured() const override;
  void adopt(const MeasuredPtr& measured) override;
  std::string position_index(IndexKind kind) override;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with a read-ahead in progress
};

}  // namespace plainfs
