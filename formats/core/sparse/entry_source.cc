#include "formats/core/sparse/entry_source.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "formats/core/base/checked.h"
#include "formats/core/frames/common_type.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/sparse/sorted.h"

namespace plainfs {
namespace {

// Returns the entries sorted by index within each major. Entries with the same index keep their order.
EntryRun sorted(EntryRun run, const DType& dtype) {
  std::vector<uint64_t> order;  // empty: as stored
  for (size_t major = 0; major + 1 < run.pointer.size(); ++major) {
    const uint64_t begin = run.pointer[major];
    const auto indices = std::span<const uint64_t>(run.index).subspan(begin, run.pointer[major + 1] - begin);
    if (std::is_sorted(indices.begin(), indices.end())) continue;
    if (order.empty()) {
      order.resize(run.index.size());
      std::iota(order.begin(), order.end(), uint64_t{0});
    }
    const std::vector<uint64_t> places = sorted_places(indices, begin);
    std::copy(places.begin(), places.end(), order.begin() + static_cast<ptrdiff_t>(begin));
  }
  if (order.empty()) return run;
  EntryRun result{std::move(run.pointer), {}, gather(dtype, run.value, order)};
  for (const uint64_t entry : order) result.index.push_back(run.index[entry]);
  return result;
}

class Compressed : public EntrySource {
 public:
  Compressed(Lists lists, bool as_stored)
      : EntrySource(lists.majors, lists.minors, lists.value->dtype()),
        lists_(std::move(lists)),
        as_stored_(as_stored) {}

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    lists_.check();
    std::vector<uint64_t> lengths(count);
    const Pointers stored(lists_, first, count);
    for (uint64_t i = 0; i < count; ++i) lengths[i] = stored.values()[i + 1] - stored.values()[i];
    return lengths;
  }

  EntryRun read(uint64_t first, uint64_t count) const override {
    uint64_t begin = 0;
    EntryRun run = positions_from(first, count, begin);
    run.value = lists_.value->read(range(begin, run.index.size()));
    if (!as_stored_) return sorted(std::move(run), dtype());
    // The caller keeps only a few of the entries.
    lists_.value->release(range(begin, run.index.size()));
    lists_.index->release(range(begin, run.index.size()));
    return run;
  }
  EntryRun positions(uint64_t first, uint64_t count) const override {
    uint64_t begin = 0;
    return positions_from(first, count, begin);
  }

 private:
  // begin: set to the position of the first entry in the lists.
  EntryRun positions_from(uint64_t first, uint64_t count, uint64_t& begin) const {
    lists_.check();
    const Pointers stored(lists_, first, count);
    begin = stored.values().front();
    EntryRun run;
    run.pointer.clear();
    for (const uint64_t pointer : stored.values()) run.pointer.push_back(pointer - begin);
    const IndexRun<uint64_t> index(*lists_.index, begin, run.pointer.back(), minors(), "index");
    run.index.assign(index.values().begin(), index.values().end());
    return run;
  }

  const Lists lists_;
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
  // Calls visit for runs of majors that are also consecutive in the source, so that they are read together.
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
      : EntrySource(source->majors(), indices->size(), source->dtype()), source_(std::move(source)) {
    for (uint64_t i = 0; i < indices->size(); ++i)
      if ((*indices)[i] != kNoMinor) places_.push_back({(*indices)[i], i});
    rises_ = std::is_sorted(places_.begin(), places_.end());
    std::sort(places_.begin(), places_.end());
    has_each_once_ = places_.size() == source_->minors();
    for (uint64_t i = 0; has_each_once_ && i < places_.size(); ++i) has_each_once_ = places_[i].first == i;
    while (source_->minors() >> shift_ > kMaxBuckets) ++shift_;
    buckets_.resize((source_->minors() >> shift_) + 2);
    for (const IndexPair& pair : places_) ++buckets_[(pair.first >> shift_) + 1];
    std::partial_sum(buckets_.begin(), buckets_.end(), buckets_.begin());
  }

  std::vector<uint64_t> lengths(uint64_t first, uint64_t count) const override {
    const std::vector<uint64_t> stored = source_->lengths(first, count);
    if (has_each_once_) return stored;
    std::vector<uint64_t> lengths(count);
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
  static constexpr uint64_t kMaxBuckets = 1 << 22;
  static constexpr uint64_t kCountedAtOnce = 1 << 18;  // entries

  // Returns the positions of an index in the result.
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
  // Indices [b << shift_, (b + 1) << shift_) begin at buckets_[b] of places_, which keeps searches short.
  std::vector<uint64_t> buckets_;
  unsigned shift_ = 0;
  bool rises_ = false;          // then indices that rise in the source also rise in the result
  bool has_each_once_ = false;  // then no entry is lost or repeated
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

EntrySourcePtr compressed_source(Lists lists, bool as_stored) {
  return std::make_shared<Compressed>(std::move(lists), as_stored);
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

void add_at_place(const DType& dtype, const Elements& values, uint64_t from, Elements& sums, uint64_t to) {
  if (values.is_missing(from)) {
    sums.missing.resize(sums.count);
    sums.missing[to] = 1;
  }
  visit_number(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_arithmetic_v<T>) {
      const T value = values.values<T>()[from];
      T& sum = sums.mutable_values<T>()[to];
      if constexpr (std::is_integral_v<T>) {
        if (dtype.is_truth()) {
          sum = static_cast<T>(sum != 0 || value != 0);
        } else if (__builtin_add_overflow(sum, value, &sum)) {
          throw unsupported("the sum of repeated entries does not fit into {} bytes", sizeof(T));
        }
      } else {
        sum += value;
      }
    } else {
      throw unsupported("repeated entries of {}", dtype.name());
    }
  });
}

}  // namespace plainfs
