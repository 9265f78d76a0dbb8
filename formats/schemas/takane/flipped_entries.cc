// A sparse matrix along its other side: read by going over all of it.
#include <algorithm>
#include <numeric>

#include "formats/schemas/takane/entry_source.h"
#include "formats/schemas/takane/gathered.h"

namespace plainfs::takane {
namespace {

constexpr uint64_t kScannedAtOnce = 1 << 16;      // entries, about
constexpr uint64_t kMostCountedMajors = 1 << 27;  // that are counted in memory

// Calls visit(first, run) for all of source, some entries at a time.
template <class Visit>
void scan(const EntrySource& source, Visit&& visit) {
  uint64_t wanted = 64;
  for (uint64_t first = 0, some = 0; first < source.majors(); first += some) {
    some = std::min(wanted, source.majors() - first);
    const EntryRun run = source.read(first, some);
    visit(first, run);
    if (run.index.size() < kScannedAtOnce / 2) wanted = std::min<uint64_t>(2 * wanted, kScannedAtOnce);
    if (run.index.size() > 2 * kScannedAtOnce) wanted = std::max<uint64_t>(1, wanted / 2);
  }
}

class Flipped : public EntrySource {
 public:
  explicit Flipped(EntrySourcePtr source)
      : EntrySource(source->minors(), source->majors(), source->dtype()), source_(std::move(source)) {
    if (majors() > kMostCountedMajors)
      throw unsupported("a sparse matrix with a side of {} is too large", majors());
  }

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> lengths(count);
    scan(*source_, [&](uint64_t, const EntryRun& run) {
      for (const uint64_t index : run.index)
        if (index - first < count) ++lengths[index - first];
    });
    return lengths;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> major, minor;  // of each entry found, as this matrix has them
    Elements found;
    scan(*source_, [&](uint64_t from, const EntryRun& run) {
      std::vector<uint64_t> entries;
      for (size_t m = 0; m + 1 < run.pointer.size(); ++m)
        for (uint64_t entry = run.pointer[m]; entry < run.pointer[m + 1]; ++entry)
          if (run.index[entry] - first < count) {
            major.push_back(run.index[entry] - first);
            minor.push_back(from + m);
            entries.push_back(entry);
          }
      const Elements some = gather(dtype(), run.value, entries);
      append(dtype(), found, some, 0, some.count);
    });
    EntryRun result;
    result.pointer.assign(count + 1, 0);
    for (const uint64_t m : major) ++result.pointer[m + 1];
    std::partial_sum(result.pointer.begin(), result.pointer.end(), result.pointer.begin());
    std::vector<uint64_t> next = result.pointer, order(major.size());
    result.index.resize(major.size());
    for (size_t entry = 0; entry < major.size(); ++entry) {
      const uint64_t place = next[major[entry]]++;
      order[place] = entry;
      result.index[place] = minor[entry];
    }
    result.value = gather(dtype(), found, order);
    return result;
  }
  bool reads_all() const override { return true; }

 private:
  const EntrySourcePtr source_;
};

}  // namespace

EntrySourcePtr flipped(EntrySourcePtr source) {
  return std::make_shared<Flipped>(std::move(source));
}

}  // namespace plainfs::takane
