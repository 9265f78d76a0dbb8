#include "formats/core/unpacked/unpacked_bytes.h"

#include <algorithm>
#include <cstring>

#include "cache/cancellable_lock.h"
#include "cache/request.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/checksum.h"
#include "formats/core/unpacked/pass_progress.h"

namespace plainfs::unpacked {
namespace {

// Returns whether decompressors take little memory, so that several threads may have one each.
constexpr bool is_light(Compression compression) {
  return compression == Compression::gzip || compression == Compression::qs2 ||
         compression == Compression::qs;
}

// Returns the number of decompressors to keep. A matrix needs three at once. Each takes 450 KiB for gzip,
// about 8 MiB for bzip2 and up to 65 MiB for xz.
constexpr size_t max_readers(Compression compression) {
  return is_light(compression) ? 8 : compression == Compression::bzip2 ? 3 : 1;
}

auto first_place_after(const std::vector<SeekPoint>& points, uint64_t offset) {
  return std::upper_bound(points.begin(), points.end(), offset,
                          [](uint64_t at, const SeekPoint& point) { return at < point.output; });
}

// The part of the cache (1 / kAheadPart) that pages decompressed ahead of one reader may take.
constexpr uint64_t kAheadPart = 4;

}  // namespace

// The source that from() returns.
class UnpackedBytes::Rest final : public ByteSource {
 public:
  Rest(std::shared_ptr<const UnpackedBytes> bytes, uint64_t offset)
      : bytes_(std::move(bytes)), offset_(offset) {}

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      const auto page = bytes_->page(offset_ / kPageBytes);
      const uint64_t inside = offset_ % kPageBytes;
      if (inside >= page->bytes.size()) break;
      const size_t some = std::min<size_t>(out.size() - done, page->bytes.size() - inside);
      std::memcpy(out.data() + done, page->bytes.data() + inside, some);
      done += some;
      offset_ += some;
    }
    return done;
  }
  uint64_t skip(uint64_t size) override {
    const uint64_t all =
        bytes_->compression_ == Compression::none ? bytes_->file_->size() : bytes_->pass_.size;
    const uint64_t some = std::min(size, all - std::min(all, offset_));
    offset_ += some;
    return some;
  }

 private:
  const std::shared_ptr<const UnpackedBytes> bytes_;
  uint64_t offset_;
};

// The source that first_pass() returns. It records a checksum of each page and reports progress.
class UnpackedBytes::FirstPass final : public ByteSource {
 public:
  FirstPass(UnpackedBytes& bytes)
      : pass_(bytes.pass_),
        progress_(bytes.file_->size(), bytes.purpose_, bytes.context_),
        source_(open_source(progress_.watched(bytes.file_), bytes.compression_, &pass_.points)) {}

  size_t read(std::span<std::byte> out) override {
    const size_t size = source_->read(out);
    add(ByteSpan(out).first(size));
    progress_.report();
    return size;
  }
  void keep_place(uint64_t offset) override { source_->keep_place(offset / kPageBytes * kPageBytes); }

 private:
  void add(ByteSpan bytes) {
    while (!bytes.empty()) {
      const uint64_t inside = pass_.size % kPageBytes;
      const ByteSpan some = bytes.first(std::min<size_t>(bytes.size(), kPageBytes - inside));
      if (inside == 0) pass_.checksums.push_back(0);
      pass_.checksums.back() = crc32(some, pass_.checksums.back());
      pass_.size += some.size();
      bytes = bytes.subspan(some.size());
    }
  }

  Pass& pass_;
  PassProgress progress_;
  const std::unique_ptr<ByteSource> source_;
};

UnpackedBytes::UnpackedBytes(FilePtr file, Compression compression, Context& context, std::string purpose)
    : file_(std::move(file)),
      compression_(compression),
      context_(context),
      purpose_(std::move(purpose)),
      cache_owner_(context.cache.new_owner()),
      max_between_places_(context.cache.statistics().budget_bytes) {}

std::unique_ptr<ByteSource> UnpackedBytes::first_pass() {
  if (compression_ == Compression::none) return open_source(file_, compression_);
  return std::make_unique<FirstPass>(*this);
}

void UnpackedBytes::adopt(Pass pass) {
  pass_ = std::move(pass);
  is_adopted_ = true;
}

std::unique_ptr<ByteSource> UnpackedBytes::from(std::shared_ptr<const UnpackedBytes> bytes, uint64_t offset) {
  return std::make_unique<Rest>(std::move(bytes), offset);
}

void UnpackedBytes::read_at(uint64_t offset, std::span<std::byte> out) const {
  if (compression_ == Compression::none) return file_->read_at(offset, out);
  check_is_near(offset);
  size_t done = 0;
  while (done < out.size()) {
    const auto piece = page(offset / kPageBytes);
    const uint64_t inside = offset % kPageBytes;
    if (inside >= piece->bytes.size())
      throw damaged("the compressed data are truncated; copy or download the file again");
    const size_t some = std::min<size_t>(out.size() - done, piece->bytes.size() - inside);
    std::memcpy(out.data() + done, piece->bytes.data() + inside, some);
    done += some;
    offset += some;
  }
}

std::shared_ptr<const UnpackedBytes::Page> UnpackedBytes::page(uint64_t number) const {
  read_ahead(number);
  return context_.cache.get<Page>({cache_owner_, number}, [&] { return load(number); });
}

UnpackedBytes::Page UnpackedBytes::load(uint64_t number) const {
  const uint64_t offset = number * kPageBytes;
  Page page;
  if (compression_ == Compression::none) {
    if (offset >= file_->size()) return page;
    page.bytes.resize(static_cast<size_t>(std::min(kPageBytes, file_->size() - offset)));
    file_->read_at(offset, page.bytes);
    return page;
  }
  if (is_light(compression_)) return decompress(number);
  const CancellableLock lock(serial_);
  return decompress(number);
}

UnpackedBytes::Page UnpackedBytes::decompress(uint64_t number) const {
  const uint64_t offset = number * kPageBytes;
  for (;;) {
    const ReaderPtr reader = reader_before(offset);
    const CancellableLock lock(reader->working);
    if (reader->is_lost || reader->position > offset) continue;  // another thread came first
    Page page;
    try {
      page.bytes.resize(kPageBytes);
      page.bytes.resize(read_page(*reader, offset, page.bytes));
      check(number, page);
    } catch (...) {
      reader->is_lost = true;
      forget(reader);
      throw;
    }
    context_.counters.bytes_decoded.fetch_add(page.bytes.size(), std::memory_order_relaxed);
    context_.counters.chunks_decoded.fetch_add(1, std::memory_order_relaxed);
    return page;
  }
}

// Reads up to page.size() bytes at offset. Returns how many there are. Requires: reader.position <= offset.
size_t UnpackedBytes::read_page(Reader& reader, uint64_t offset, Bytes& page) {
  while (reader.position < offset) {
    check_cancelled();
    const uint64_t wanted = std::min(kPageBytes, offset - reader.position);
    const size_t some = reader.source->read(std::span(page).first(static_cast<size_t>(wanted)));
    reader.position += some;
    if (some < wanted) return 0;
  }
  const size_t size = reader.source->read(page);
  reader.position += size;
  return size;
}

// Has a worker decompress the pages from the next place on, if the pages are read in order.
void UnpackedBytes::read_ahead(uint64_t number) const {
  if (!is_light(compression_) || number == 0) return;
  const auto next = first_place_after(pass_.points, number * kPageBytes);
  if (next == pass_.points.end()) return;
  const auto span = static_cast<uint64_t>(next - pass_.points.begin()) + 1;
  std::atomic<uint64_t>& here = ahead_[(span - 1) % ahead_.size()];
  if (here.load(std::memory_order_relaxed) == span - 1) here = 0;  // for another pass over the data
  std::atomic<uint64_t>& ahead = ahead_[span % ahead_.size()];
  const uint64_t end = std::next(next) == pass_.points.end() ? pass_.size : std::next(next)->output;
  if (ahead.load(std::memory_order_relaxed) == span || end - next->output > max_between_places_ / kAheadPart)
    return;
  const auto is_held = [&](uint64_t page) {
    return context_.cache.held<Page>({cache_owner_, page}) != nullptr;
  };
  if (!is_held(number - 1) || ahead.exchange(span) == span) return;
  const uint64_t first = divide_up(next->output, kPageBytes), last = divide_up(end, kPageBytes);
  context_.workers.try_later([self = shared_from_this(), first, last] {
    for (uint64_t page = first; page < last; ++page) {
      check_cancelled();
      self->context_.cache.get<Page>({self->cache_owner_, page}, [&] { return self->load(page); });
    }
  });
}

// Throws if a page has another checksum than in the pass, which then was over other data.
void UnpackedBytes::check(uint64_t number, const Page& page) const {
  const bool is_known = number < pass_.checksums.size();
  if (is_known ? crc32(page.bytes) == pass_.checksums[number] : page.bytes.empty()) return;
  if (context_.passes) context_.passes->discard(file_->path(), context_.files);
  throw changed(file_->path());
}

SeekPoint UnpackedBytes::place_before(uint64_t offset) const {
  const auto after = first_place_after(pass_.points, offset);
  return after == pass_.points.begin() ? SeekPoint{} : *std::prev(after);
}

void UnpackedBytes::check_is_near(uint64_t offset) const {
  // The places of the others are a few MiB apart.
  const bool may_be_one_block = compression_ == Compression::xz || compression_ == Compression::zstd ||
                                (compression_ == Compression::qs && pass_.points.empty());
  if (!may_be_one_block || pass_.size <= max_between_places_) return;
  const auto after = first_place_after(pass_.points, offset);
  const uint64_t end = after == pass_.points.end() ? pass_.size : after->output;
  const uint64_t size = end - place_before(offset).output;
  if (size > max_between_places_) {
    throw unsupported(
        "a block of {} has {} bytes when decompressed, more than the {} of the cache (-o cache_size): "
        "decompress the "
        "file, or compress it in smaller blocks (xz --block-size=16MiB)",
        name_of(compression_), size, max_between_places_);
  }
}

// Returns the decompressor nearest before offset, or a new one at the place before it, and expects it to read
// the page there.
UnpackedBytes::ReaderPtr UnpackedBytes::reader_before(uint64_t offset) const {
  const SeekPoint point = place_before(offset);
  const MutexLock lock(mutex_);
  ReaderPtr best;
  for (const ReaderPtr& reader : readers_)
    if (reader->expected <= offset && reader->expected >= point.output &&
        (!best || reader->expected > best->expected))
      best = reader;
  if (!best) {
    if (readers_.size() >= max_readers(compression_))
      readers_.erase(std::min_element(
          readers_.begin(), readers_.end(),
          [](const ReaderPtr& a, const ReaderPtr& b) { return a->last_used < b->last_used; }));
    best = std::make_shared<Reader>(resume_source(file_, compression_, point), point.output);
    readers_.push_back(best);
  }
  best->expected = offset + kPageBytes;
  best->last_used = ++now_;
  return best;
}

void UnpackedBytes::forget(const ReaderPtr& reader) const {
  const MutexLock lock(mutex_);
  std::erase(readers_, reader);
}

}  // namespace plainfs::unpacked
