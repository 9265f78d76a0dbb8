#include "formats/core/algebra/entry_source.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "formats/core/algebra/common_type.h"
#include "formats/core/algebra/gathered.h"
#include "formats/core/base/checked.h"

namespace plainfs {
namespace {

std::vector<uint64_t> lengths_of(const std::vector<uint64_t>& pointer) {
  std::vector<uint64_t> lengths;
  for (size_t i = 1; i < pointer.size(); ++i) lengths.push_back(pointer[i] - pointer[i - 1]);
  return lengths;
}

bool rises(const EntryRun& run) {
  for (size_t major = 0; major + 1 < run.pointer.size(); ++major)
    if (!std::is_sorted(run.index.begin() + static_cast<ptrdiff_t>(run.pointer[major]),
                        run.index.begin() + static_cast<ptrdiff_t>(run.pointer[major + 1])))
      return false;
  return true;
}

// Entries in the order of their indices within each major, those of one index as they were.
EntryRun sorted(EntryRun run, const DType& dtype) {
  if (rises(run)) return run;
  std::vector<uint64_t> order(run.index.size());
  std::iota(order.begin(), order.end(), uint64_t{0});
  for (size_t major = 0; major + 1 < run.pointer.size(); ++major)
    std::stable_sort(order.begin() + static_cast<ptrdiff_t>(run.pointer[major]),
                     order.begin() + static_cast<ptrdiff_t>(run.pointer[major + 1]),
                     [&](uint64_t a, uint64_t b) { return run.index[a] < run.index[b]; });
  EntryRun result{std::move(run.pointer), {}, gather(dtype, run.value, order)};
  for (const uint64_t entry : order) result.index.push_back(run.index[entry]);
  return result;
}

class Compressed : public EntrySource {
 public:
  Compressed(ArrayPtr value, ArrayPtr index, ArrayPtr pointer, uint64_t majors, uint64_t minors,
             bool as_stored)
      : EntrySource(majors, minors, value->dtype()),
        value_(std::move(value)),
        index_(std::move(index)),
        pointer_(std::move(pointer)),
        as_stored_(as_stored) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    return lengths_of(pointers(first, count));
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    uint64_t begin = 0;
    EntryRun run = positions_from(first, count, begin);
    run.value = value_->read(range(begin, run.index.size()));
    if (!as_stored_) return sorted(std::move(run), dtype());
    // Few of the entries are kept of it, and those by who asked.
    value_->passed(range(begin, run.index.size()));
    index_->passed(range(begin, run.index.size()));
    return run;
  }
  EntryRun positions(uint64_t first, uint64_t count) const override {
    uint64_t begin = 0;
    return positions_from(first, count, begin);
  }

 private:
  // begin: of the first entry in the lists.
  EntryRun positions_from(uint64_t first, uint64_t count, uint64_t& begin) const {
    const std::vector<uint64_t> stored = pointers(first, count);
    begin = stored.front();
    EntryRun run;
    run.pointer.clear();
    for (const uint64_t pointer : stored) run.pointer.push_back(pointer - begin);
    run.index = whole_numbers(*index_, begin, stored.back() - begin, "index");
    for (const uint64_t index : run.index)
      if (index >= minors()) throw damaged("index {} is not below {}", index, minors());
    return run;
  }

  std::vector<uint64_t> pointers(uint64_t first, uint64_t count) const {
    if (pointer_->count() != checked_add(majors(), 1))
      throw damaged("a sparse matrix has {} pointers for {} rows or columns", pointer_->count(), majors());
    if (index_->count() != value_->count())
      throw damaged("a sparse matrix has {} values and {} indices", value_->count(), index_->count());
    std::vector<uint64_t> stored = whole_numbers(*pointer_, first, count + 1, "pointer");
    for (size_t i = 0; i < stored.size(); ++i)
      if (stored[i] > value_->count() || (i > 0 && stored[i] < stored[i - 1]))
        throw damaged("pointer {} is {}, but there are {} entries", first + i, stored[i], value_->count());
    if (first == 0 && stored.front() != 0)
      throw damaged("the first pointer is {}, expected 0", stored.front());
    if (first + count == majors() && stored.back() != value_->count())
      throw damaged("the pointers end at {}, expected {}, the number of entries", stored.back(),
                    value_->count());
    return stored;
  }

  const ArrayPtr value_;
  const ArrayPtr index_;
  const ArrayPtr pointer_;
  const bool as_stored_;
};

class MajorSubset : public EntrySource {
 public:
  MajorSubset(EntrySourcePtr source, Indices indices)
      : EntrySource(indices->size(), source->minors(), source->dtype()),
        source_(std::move(source)),
        indices_(std::move(indices)) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> all;
    for_each_run(first, count, [&](uint64_t from, uint64_t some) {
      const std::vector<uint64_t> lengths = source_->lengths(from, some);
      all.insert(all.end(), lengths.begin(), lengths.end());
    });
    return all;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    return runs(first, count, &EntrySource::read);
  }
  EntryRun positions(uint64_t first, uint64_t count) const override {
    return runs(first, count, &EntrySource::positions);
  }
  bool reads_all() const override { return source_->reads_all(); }

 private:
  EntryRun runs(uint64_t first, uint64_t count,
                EntryRun (EntrySource::*part)(uint64_t, uint64_t) const) const {
    EntryRun all;
    for_each_run(first, count, [&](uint64_t from, uint64_t some) {
      const EntryRun run = ((*source_).*part)(from, some);
      const uint64_t before = all.pointer.back();
      for (size_t i = 1; i < run.pointer.size(); ++i) all.pointer.push_back(before + run.pointer[i]);
      all.index.insert(all.index.end(), run.index.begin(), run.index.end());
      append(dtype(), all.value, run.value, 0, run.value.count);
    });
    return all;
  }
  // Majors that follow each other in the source too are read together.
  template <class Visit>
  void for_each_run(uint64_t first, uint64_t count, Visit&& visit) const {
    const std::vector<uint64_t>& indices = *indices_;
    for (uint64_t at = first, end = first + count; at < end;) {
      uint64_t some = 1;
      while (at + some < end && indices[at + some] == indices[at] + some) ++some;
      visit(indices[at], some);
      at += some;
    }
  }

  const EntrySourcePtr source_;
  const Indices indices_;
};

class MinorSubset : public EntrySource {
 public:
  MinorSubset(EntrySourcePtr source, const Indices& indices)
      : EntrySource(source->majors(), indices->size(), source->dtype()),
        source_(std::move(source)),
        rises_(std::is_sorted(indices->begin(), indices->end())) {
    for (uint64_t i = 0; i < indices->size(); ++i) places_.push_back({(*indices)[i], i});
    std::sort(places_.begin(), places_.end());
    while (source_->minors() >> shift_ > kMostBuckets) ++shift_;
    buckets_.resize((source_->minors() >> shift_) + 2);
    for (const IndexPair& pair : places_) ++buckets_[(pair.first >> shift_) + 1];
    std::partial_sum(buckets_.begin(), buckets_.end(), buckets_.begin());
  }

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> lengths(count);
    const std::vector<uint64_t> stored = source_->lengths(first, count);
    for (uint64_t begin = 0, end = 0; begin < count; begin = end) {
      for (uint64_t entries = 0; end < count && (end == begin || entries + stored[end] <= kCountedAtOnce);)
        entries += stored[end++];
      const EntryRun run = source_->positions(first + begin, end - begin);
      for (uint64_t major = 0; major < end - begin; ++major)
        for (uint64_t entry = run.pointer[major]; entry < run.pointer[major + 1]; ++entry)
          lengths[begin + major] += places_of(run.index[entry]).size();
    }
    return lengths;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    const EntryRun run = source_->read(first, count);
    EntryRun result;
    std::vector<uint64_t> entries;
    for (size_t major = 0; major + 1 < run.pointer.size(); ++major) {
      for (uint64_t entry = run.pointer[major]; entry < run.pointer[major + 1]; ++entry)
        for (const auto& [index, place] : places_of(run.index[entry])) {
          result.index.push_back(place);
          entries.push_back(entry);
        }
      result.pointer.push_back(result.index.size());
    }
    result.value = gather(dtype(), run.value, entries);
    return rises_ ? result : sorted(std::move(result), dtype());
  }
  bool reads_all() const override { return source_->reads_all(); }

 private:
  using IndexPair = std::pair<uint64_t, uint64_t>;  // in the source, in the result
  static constexpr uint64_t kMostBuckets = 1 << 22;
  static constexpr uint64_t kCountedAtOnce = 1 << 18;  // entries

  // Where an index is in the result.
  std::span<const IndexPair> places_of(uint64_t index) const {
    const uint64_t bucket = index >> shift_;
    const auto first = places_.begin() + static_cast<ptrdiff_t>(buckets_[bucket]);
    const auto last = places_.begin() + static_cast<ptrdiff_t>(buckets_[bucket + 1]);
    if (shift_ == 0 || first == last) return {first, last};
    return {std::lower_bound(first, last, IndexPair{index, 0}),
            std::lower_bound(first, last, IndexPair{index + 1, 0})};
  }

  const EntrySourcePtr source_;
  std::vector<IndexPair> places_;  // sorted
  // Those of indices [b << shift_, (b + 1) << shift_) begin at buckets_[b] of places_, so that few are
  // searched.
  std::vector<uint64_t> buckets_;
  unsigned shift_ = 0;
  const bool rises_;  // then what rises in the source does in the result
};

uint64_t sum_of(const std::vector<EntrySourcePtr>& sources, uint64_t (EntrySource::*extent)() const) {
  uint64_t sum = 0;
  for (const EntrySourcePtr& source : sources) sum = checked_add(sum, ((*source).*extent)());
  return sum;
}

bool any_reads_all(const std::vector<EntrySourcePtr>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](const auto& source) { return source->reads_all(); });
}

class MajorCombined : public EntrySource {
 public:
  explicit MajorCombined(std::vector<EntrySourcePtr> sources)
      : EntrySource(sum_of(sources, &EntrySource::majors), sources.front()->minors(),
                    sources.front()->dtype()),
        sources_(std::move(sources)) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> all;
    for_each_part(first, count, [&](const EntrySource& source, uint64_t from, uint64_t some) {
      const std::vector<uint64_t> lengths = source.lengths(from, some);
      all.insert(all.end(), lengths.begin(), lengths.end());
    });
    return all;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    EntryRun all;
    for_each_part(first, count, [&](const EntrySource& source, uint64_t from, uint64_t some) {
      const EntryRun run = source.read(from, some);
      const uint64_t before = all.pointer.back();
      for (size_t i = 1; i < run.pointer.size(); ++i) all.pointer.push_back(before + run.pointer[i]);
      all.index.insert(all.index.end(), run.index.begin(), run.index.end());
      append(dtype(), all.value, run.value, 0, run.value.count);
    });
    return all;
  }
  bool reads_all() const override { return any_reads_all(sources_); }

 private:
  template <class Visit>
  void for_each_part(uint64_t first, uint64_t count, Visit&& visit) const {
    uint64_t before = 0;
    for (const EntrySourcePtr& source : sources_) {
      const uint64_t from = std::max(first, before);
      const uint64_t to = std::min(first + count, before + source->majors());
      if (from < to) visit(*source, from - before, to - from);
      before += source->majors();
    }
  }

  const std::vector<EntrySourcePtr> sources_;
};

class MinorCombined : public EntrySource {
 public:
  explicit MinorCombined(std::vector<EntrySourcePtr> sources)
      : EntrySource(sources.front()->majors(), sum_of(sources, &EntrySource::minors),
                    sources.front()->dtype()),
        sources_(std::move(sources)) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    std::vector<uint64_t> all(count);
    for (const EntrySourcePtr& source : sources_) {
      const std::vector<uint64_t> lengths = source->lengths(first, count);
      for (uint64_t i = 0; i < count; ++i) all[i] += lengths[i];
    }
    return all;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    std::vector<EntryRun> runs;
    for (const EntrySourcePtr& source : sources_) runs.push_back(source->read(first, count));
    EntryRun all;
    for (uint64_t major = 0; major < count; ++major) {
      uint64_t before = 0;
      for (size_t s = 0; s < runs.size(); ++s) {
        const uint64_t from = runs[s].pointer[major], to = runs[s].pointer[major + 1];
        for (uint64_t entry = from; entry < to; ++entry) all.index.push_back(before + runs[s].index[entry]);
        append(dtype(), all.value, runs[s].value, from, to - from);
        before += sources_[s]->minors();
      }
      all.pointer.push_back(all.index.size());
    }
    return all;
  }
  bool reads_all() const override { return any_reads_all(sources_); }

 private:
  const std::vector<EntrySourcePtr> sources_;
};

class Converted : public EntrySource {
 public:
  Converted(EntrySourcePtr source, const DType& dtype)
      : EntrySource(source->majors(), source->minors(), dtype), source_(std::move(source)) {}
  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    return source_->lengths(first, count);
  }
  EntryRun read(uint64_t first, uint64_t count) const override {
    EntryRun run = source_->read(first, count);
    run.value = as_type(source_->dtype(), std::move(run.value), dtype());
    return run;
  }
  bool reads_all() const override { return source_->reads_all(); }

 private:
  const EntrySourcePtr source_;
};

}  // namespace

std::vector<uint64_t> whole_numbers(const Array& array, uint64_t first, uint64_t count, const char* what) {
  const Elements elements = array.read(range(first, count));
  std::vector<uint64_t> numbers;
  visit_number(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> values = elements.values<T>();
      const auto negative = std::find_if(values.begin(), values.end(), [](T value) { return value < 0; });
      if (negative != values.end()) throw damaged("{} {} is negative", what, *negative);
      numbers.assign(values.begin(), values.end());
    } else {
      throw damaged("{} is {}, expected integers", what, array.dtype().name());
    }
  });
  return numbers;
}

EntrySourcePtr compressed_source(ArrayPtr value, ArrayPtr index, ArrayPtr pointer, uint64_t majors,
                                 uint64_t minors, bool as_stored) {
  return std::make_shared<Compressed>(std::move(value), std::move(index), std::move(pointer), majors, minors,
                                      as_stored);
}
EntrySourcePtr major_subset(EntrySourcePtr source, Indices indices) {
  return std::make_shared<MajorSubset>(std::move(source), std::move(indices));
}
EntrySourcePtr minor_subset(EntrySourcePtr source, const Indices& indices) {
  return std::make_shared<MinorSubset>(std::move(source), indices);
}
EntrySourcePtr major_combined(std::vector<EntrySourcePtr> sources) {
  return std::make_shared<MajorCombined>(std::move(sources));
}
EntrySourcePtr minor_combined(std::vector<EntrySourcePtr> sources) {
  return std::make_shared<MinorCombined>(std::move(sources));
}
EntrySourcePtr converted(EntrySourcePtr source, const DType& dtype) {
  if (source->dtype() == dtype) return source;
  return std::make_shared<Converted>(std::move(source), dtype);
}

// A sparse matrix along its other side: read by going over all of it.

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

}  // namespace plainfs
