// A text file that is formatted on read. Its content is a head (a header line, or nothing) and blocks; the
// first size() measures every block, in parallel, and keeps one offset a block; read() formats only the
// blocks it touches, through the cache. A view says only how one block becomes text, once, for both.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "formats/model/bytes.h"
#include "formats/model/context.h"
#include "fs/views/view_file.h"

namespace plainfs {

// What a text view implements; const and thread-safe.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Reads what the grid needs and checks what must hold for the whole file. Called once, before the rest.
  virtual void prepare() {}
  virtual std::string head() const { return {}; }
  // How many blocks there are; each should be 60 to 200 KB of text.
  virtual uint64_t block_count() const = 0;
  // Bytes of the block's text, or its text appended to out.
  virtual uint64_t measure(uint64_t block) const = 0;
  virtual void format(uint64_t block, Bytes& out) const = 0;
};

class TextFile : public ViewFile {
 public:
  TextFile(std::unique_ptr<TextSource> source, Context& context);
  uint64_t size() override;
  Slices read(uint64_t offset, size_t size) override;

 private:
  void measure_blocks();

  std::unique_ptr<TextSource> source_;
  Context& context_;
  uint64_t cache_owner_;
  std::mutex measuring_;                 // guards the first measuring
  std::atomic<bool> measured_{false};    // set once offsets_ and head_ are final
  std::string head_;
  std::vector<uint64_t> offsets_;        // block_count + 1, after the head
};

}  // namespace plainfs
