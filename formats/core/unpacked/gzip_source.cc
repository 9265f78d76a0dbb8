// Decompression of gzip with ISA-L, at several times the speed of zlib. ISA-L does not stop at the ends of
// blocks, where decompression can resume. It stops in the header of a block, however, if its input ends
// there, and then holds the bits of that header. To find the end of a block, it is therefore given a few
// bytes at a time, fewer than the header of a block with codes of its own has.
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/core/unpacked/block_sources.h"
#include "formats/core/unpacked/input.h"

namespace plainfs::unpacked {
namespace {

constexpr uint64_t kPointEvery = uint64_t{8} << 20;
constexpr size_t kOutputBytes = 256 << 10;
// The number of bytes of input at a time while a place is sought. Blocks with the fixed codes and stored
// blocks have headers of a few bits, which are found if they span two bytes.
constexpr size_t kSearchStep = 32;
// The search for a place ends without one after so many bytes of input, the last of them one at a time.
constexpr uint64_t kMaxSearch = 1 << 20, kLastOfSearch = 64 << 10;
constexpr size_t kMaxExpansion = 1032;  // decompressed bytes per byte of input
// How far before an offset keep_place() seeks a place, how near the place before must not be, and how many
// places it may keep.
constexpr uint64_t kNear = 1 << 20;
constexpr size_t kMaxKeptPlaces = 256;

std::string_view fault(int result) {
  switch (result) {
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
      return "the header is damaged";
    case ISAL_INCORRECT_CHECKSUM:
      return "the content does not match its checksum or its length";
    default:
      return "a block is damaged";
  }
}

class GzipSource final : public ByteSource {
 public:
  GzipSource(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points, size_t max_points,
             uint64_t point_every)
      : file_(file),
        input_(std::move(file), point.input / 8),
        points_(points),
        output_(point.output),
        max_points_(max_points),
        point_every_(point_every),
        next_point_(point.output + point_every),
        buffer_(kMaxWindow + kOutputBytes) {
    isal_inflate_init(&state_);
    if (point.input != 0) resume(point);
  }

  size_t read(std::span<std::byte> out) override {
    size_t done = 0;
    while (done < out.size()) {
      if (begin_ == end_ && !decode()) break;
      const size_t some = std::min(out.size() - done, end_ - begin_);
      std::memcpy(out.data() + done, buffer_.data() + begin_, some);
      begin_ += some;
      done += some;
    }
    return done;
  }

  void keep_place(uint64_t offset) override {
    if (!points_ || kept_ == kMaxKeptPlaces) return;
    const auto before = [](uint64_t at, const SeekPoint& point) { return at < point.output; };
    const auto after = std::upper_bound(points_->begin(), points_->end(), offset, before);
    const SeekPoint place = after == points_->begin() ? SeekPoint{} : *std::prev(after);
    if (offset - place.output < kNear) return;
    // Decompresses the last part again, and seeks all places in it.
    std::vector<SeekPoint> found;
    GzipSource again(file_, place, &found, kMaxKeptPlaces, 0);
    again.next_point_ = offset - kNear;
    again.skip(offset - place.output);
    while (!found.empty() && found.back().output > offset) found.pop_back();
    if (found.empty() || found.back().output <= place.output) return;
    points_->insert(after, std::move(found.back()));
    ++kept_;
  }

 private:
  static constexpr size_t kTrailerBytes = 8;

  // Continues in the middle of a member, with the bits of the first byte that belong to the next block.
  void resume(const SeekPoint& point) {
    is_raw_ = true;
    is_between_ = false;
    if (const auto bits = static_cast<unsigned>(point.input % 8)) {
      if (!input_.refill()) throw input_ends_early();
      state_.read_in = static_cast<uint8_t>(input_.unused()[0]) >> bits;
      state_.read_in_length = static_cast<int32_t>(8 - bits);
      input_.take(1);
    }
    if (!point.window || point.window->empty()) return;
    Bytes window(*point.window);
    isal_inflate_set_dict(&state_, reinterpret_cast<uint8_t*>(window.data()),
                          static_cast<uint32_t>(window.size()));
    std::copy(window.begin(), window.end(), buffer_.begin());
    begin_ = end_ = window.size();
  }

  // Returns false if no further member begins here.
  bool begin_member() {
    constexpr auto kReservedFlags = std::byte{0xe0};
    const ByteSpan header = input_.peek(4);
    const bool is_first = input_.position() == 0;
    if (!is_first && as_text(header.first(std::min<size_t>(header.size(), 2))) != "\x1f\x8b") return false;
    if (header.size() < 4) throw input_ends_early();
    if ((header[3] & kReservedFlags) != std::byte{0}) fail(ISAL_INVALID_WRAPPER);
    isal_inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
    is_raw_ = is_between_ = false;
    return true;
  }

  // Decompresses more. Returns false at the end.
  bool decode() {
    begin_ = end_;
    while (begin_ == end_) {
      if (is_between_ && !begin_member()) return false;
      make_room();
      step();
    }
    return true;
  }

  // Drops all that was decompressed and read but the window, if little room is left.
  void make_room() {
    if (buffer_.size() - end_ >= kSearchStep * kMaxExpansion + kMaxWindow) return;
    std::memmove(buffer_.data(), buffer_.data() + end_ - kMaxWindow, kMaxWindow);
    begin_ = end_ = kMaxWindow;
  }

  void step() {
    input_.refill();
    ByteSpan input = input_.unused();
    const bool searches = points_ && output_ >= next_point_;
    if (searches) input = input.first(std::min(input.size(), search_step()));
    state_.next_in = reinterpret_cast<uint8_t*>(const_cast<std::byte*>(input.data()));
    state_.avail_in = static_cast<uint32_t>(input.size());
    state_.next_out = reinterpret_cast<uint8_t*>(buffer_.data() + end_);
    state_.avail_out = static_cast<uint32_t>(buffer_.size() - end_);
    const size_t room = state_.avail_out;
    const int result = isal_inflate(&state_);
    if (result < 0) fail(result);
    const size_t produced = room - state_.avail_out;
    const size_t taken = input.size() - state_.avail_in;
    end_ += produced;
    output_ += produced;
    input_.take(taken);
    if (state_.block_state == ISAL_BLOCK_FINISH)
      end_member();
    else if (produced == 0 && taken == 0)
      throw input_ends_early();
    else if (searches)
      note_point(taken);
  }

  // Returns how many bytes of input are decompressed at a time to find a place.
  size_t search_step() const {
    if (searched_ + kLastOfSearch >= kMaxSearch) return 1;
    if (state_.block_state != ISAL_BLOCK_TYPE0) return kSearchStep;
    // The next block begins where the stored bytes end.
    const int32_t left = state_.type0_block_len - state_.read_in_length / 8;
    return static_cast<size_t>(std::clamp<int32_t>(left, 1, kSearchStep * kMaxExpansion));
  }

  [[noreturn]] void fail(int result) const {
    throw damaged("the gzip data are invalid: {}, near byte {}; copy or download the file again",
                  fault(result), input_.position());
  }

  void end_member() {
    is_between_ = true;
    if (!is_raw_) return;
    const auto held = static_cast<size_t>(state_.read_in_length / 8);
    for (size_t left = kTrailerBytes - std::min(kTrailerBytes, held); left > 0;) {
      if (!input_.refill()) throw input_ends_early();
      const size_t some = std::min(left, input_.unused().size());
      input_.take(some);
      left -= some;
    }
  }

  // Adds a place if the decompressor has stopped in the header of a block. taken: bytes of input before.
  void note_point(size_t taken) {
    searched_ += taken;
    const bool in_header = state_.block_state == ISAL_BLOCK_HDR || state_.block_state == ISAL_BLOCK_NEW_HDR;
    if (in_header && state_.avail_out > 0) {
      const size_t size = std::min<size_t>(end_, kMaxWindow);
      const auto held = static_cast<uint64_t>(state_.tmp_in_size) * 8 +
                        static_cast<uint64_t>(state_.read_in_length);  // bits of the header
      if (points_->size() >= max_points_ + kept_) thin_out();
      points_->push_back({output_, input_.position() * 8 - held,
                          std::make_shared<const Bytes>(buffer_.begin() + static_cast<ptrdiff_t>(end_ - size),
                                                        buffer_.begin() + static_cast<ptrdiff_t>(end_))});
    } else if (searched_ < kMaxSearch) {
      return;
    }
    searched_ = 0;
    next_point_ = output_ + point_every_;
  }

  void thin_out() {
    size_t kept = 0;
    for (size_t i = 1; i < points_->size(); i += 2) (*points_)[kept++] = std::move((*points_)[i]);
    points_->resize(kept);
    kept_ = 0;
    point_every_ *= 2;
  }

  const FilePtr file_;
  Input input_;
  std::vector<SeekPoint>* const points_;
  uint64_t output_;
  const size_t max_points_;
  size_t kept_ = 0;  // number of points added by keep_place()
  uint64_t point_every_;
  uint64_t next_point_;    // the number of decompressed bytes from which on a place is sought
  uint64_t searched_ = 0;  // bytes of input since then
  Bytes buffer_;           // the last decompressed bytes, those of the window first
  size_t begin_ = 0;       // of the bytes that were not read
  size_t end_ = 0;
  inflate_state state_;
  bool is_between_ = true;  // between members
  bool is_raw_ = false;     // started within a member, so that its trailer is not verified
};

}  // namespace

std::unique_ptr<ByteSource> gzip_source(FilePtr file, const SeekPoint& point, std::vector<SeekPoint>* points,
                                        size_t max_points) {
  return std::make_unique<GzipSource>(std::move(file), point, points, max_points, kPointEvery);
}

}  // namespace plainfs::unpacked
