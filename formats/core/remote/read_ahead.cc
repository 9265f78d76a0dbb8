#include "formats/core/remote/read_ahead.h"

#include <algorithm>

namespace plainfs::remote {
namespace {

constexpr size_t kMostSequences = 16;
constexpr uint64_t kLeastSlack = 2;
constexpr uint64_t kFirstWindow = 2;  // doubled when the second block is read

}  // namespace

// Readers on several threads come a little out of order.
ReadAhead::Sequence* ReadAhead::sequence_of(BlockRange read) {
  for (Sequence& sequence : sequences_) {
    const uint64_t slack = std::max(kLeastSlack, sequence.window);
    if (read.first <= sequence.at + slack / 2 && read.first + slack >= sequence.at) return &sequence;
  }
  return nullptr;
}

BlockRange ReadAhead::after(BlockRange read) {
  ++now_;
  Sequence* const known = sequence_of(read);
  if (!known) {
    const auto oldest =
        std::min_element(sequences_.begin(), sequences_.end(),
                         [](const Sequence& a, const Sequence& b) { return a.used < b.used; });
    const Sequence begun{read.end, read.end, kFirstWindow, now_};
    if (sequences_.size() < kMostSequences)
      sequences_.push_back(begun);
    else
      *oldest = begun;
    return {read.end, read.end};
  }
  Sequence& sequence = *known;
  sequence.used = now_;
  if (read.end <= sequence.at) return {read.end, read.end};
  sequence.at = read.end;
  sequence.asked = std::max(sequence.asked, sequence.at);
  if (sequence.asked - sequence.at > sequence.window / 2) return {read.end, read.end};
  sequence.window = std::min(most_ahead_, std::max(sequence.window * 2, read.end - read.first));
  const BlockRange ahead{sequence.asked, std::max(sequence.asked, sequence.at + sequence.window)};
  sequence.asked = ahead.end;
  return ahead;
}

}  // namespace plainfs::remote
