#include "fs/views/parts/part_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cache/request.h"
#include "formats/core/base/error.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/model/elements/element_text.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"
#include "fs/views/names.h"

namespace plainfs {
namespace {

// A label up to this length is never cut, whatever its extension.
constexpr size_t kNeverCut = kLongestName - 16;
// The most labels in a message.
constexpr size_t kMaxNamed = 20;

constexpr uint64_t kNamesHeld = 16 << 20;  // bytes
constexpr uint64_t kNamesAtATime = 65536;
constexpr uint64_t kBytesBeside = 2 * sizeof(uint64_t);  // a name's offset and its place in the index

uint32_t hash_of(std::string_view encoded) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(encoded));
}

Elements texts_of(const std::vector<std::string>& texts) {
  TextBuilder builder(texts.size());
  for (const std::string& text : texts) builder.add(text);
  return builder.finish();
}

}  // namespace

std::string encode_part(std::string_view stored) {
  return stored.empty() ? "%00" : encode_name(stored);
}

std::string encode_in_list(std::string_view stored, char separator) {
  if (stored.find(separator) == std::string_view::npos) return encode_part(stored);
  std::string encoded;
  for (const char c : stored) {
    if (c == separator || c == '/' || c == '\0' || c == '%')
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      encoded += c;
  }
  return encoded;
}

PartNames::Index::Index(const Elements& texts) : texts_(texts) {
  places_.reserve(texts.count);
  for (uint64_t part = 0; part < texts.count; ++part)
    places_.push_back({hash_of(encode_part(texts.text(part))), static_cast<uint32_t>(part)});
  std::sort(places_.begin(), places_.end());
}

std::vector<uint64_t> PartNames::Index::find(std::string_view encoded, size_t most) const {
  std::vector<uint64_t> found;
  const uint32_t hash = hash_of(encoded);
  for (auto place = std::lower_bound(places_.begin(), places_.end(), Place{hash, 0});
       place != places_.end() && place->hash == hash && found.size() < most; ++place)
    if (encode_part(texts_.text(place->part)) == encoded) found.push_back(place->part);
  return found;
}

PartNames::PartNames(std::string what, const std::vector<std::string>& names,
                     const std::vector<std::string>& ids)
    : PartNames(std::move(what), texts_of(names), texts_of(ids)) {}

PartNames::PartNames(std::string what, Elements names, Elements ids)
    : what_(std::move(what)), names_(std::move(names)), ids_(std::move(ids)), by_name_(names_), by_id_(ids_) {
  give_labels();
  for (uint64_t part = 0; part < count(); ++part)
    if (encode_part(label(part)).size() > kNeverCut) long_.push_back(part);
}

void PartNames::give_labels() {
  std::unordered_map<std::string, uint64_t> numbers;  // of the encoded names that several parts have
  std::vector<uint64_t> several;
  for (uint64_t part = 0; part < count(); ++part) {
    std::string encoded = encode_part(names_.text(part));
    if (by_name_.find(encoded, 2).size() == 1) continue;
    several.push_back(part);
    numbers.emplace(std::move(encoded), 0);
  }
  if (ids_.count > 0)
    for (const uint64_t part : several) label_by_id(part);
  for (const uint64_t part : several)
    if (!labels_.count(part)) label_by_number(part, numbers[encode_part(names_.text(part))]);
}

void PartNames::label_by_id(uint64_t part) {
  const std::string_view id = ids_.text(part);
  const std::string encoded = encode_part(id);
  if (id.empty() || by_id_.find(encoded, 2).size() > 1 || !by_name_.find(encoded, 1).empty()) return;
  by_label_.emplace(encoded, part);
  labels_.emplace(part, id);
}

// Labels a part by a number. number: the last one assigned to a part of that name.
void PartNames::label_by_number(uint64_t part, uint64_t& number) {
  while (true) {
    std::string label = fmt::format("{}~{}", names_.text(part), ++number);
    const std::string encoded = encode_part(label);
    if (!by_name_.find(encoded, 1).empty() || !by_label_.emplace(encoded, part).second) continue;
    labels_.emplace(part, std::move(label));
    return;
  }
}

std::string_view PartNames::label(uint64_t part) const {
  const auto found = labels_.find(part);
  return found == labels_.end() ? names_.text(part) : std::string_view(found->second);
}

std::string PartNames::file(uint64_t part, std::string_view extension) const {
  return file_name(encode_part(label(part)), extension);
}

std::optional<PartNames::Match> PartNames::find(std::string_view asked, std::string_view extension) const {
  const std::vector<uint64_t> named = by_name_.find(asked);
  if (named.size() == 1) return Match{named[0], std::string(names_.text(named[0]))};
  if (const auto labelled = by_label_.find(std::string(asked)); labelled != by_label_.end())
    return Match{labelled->second, std::string(label(labelled->second))};
  const std::vector<uint64_t> of_id = by_id_.find(asked, 2);
  if (of_id.size() == 1 && !ids_.text(of_id[0]).empty())
    return Match{of_id[0], std::string(ids_.text(of_id[0]))};
  if (!named.empty())
    throw not_unique("{} {}s have the name {}: {}", named.size(), what_, names_.text(named[0]),
                     labels_of(named));
  if (asked.size() <= kNeverCut) return std::nullopt;
  const std::string whole = std::string(asked).append(extension);
  for (const uint64_t part : long_)
    if (file(part, extension) == whole) return Match{part, std::string(label(part))};
  return std::nullopt;
}

std::optional<PartNames::Match> PartNames::find_in_list(std::string_view item, char separator) const {
  if (item.empty()) return std::nullopt;
  if (std::optional<Match> found = find(item)) return found;
  if (item == "." || item == "..") return find(encode_part(item));  // otherwise they would be directories
  const std::string stored = percent_decoded(item);
  if (stored == item || encode_in_list(stored, separator) != item) return std::nullopt;
  return find(encode_part(stored));
}

std::optional<std::vector<PartNames::Match>> PartNames::find_list(std::string_view asked,
                                                                  std::string_view extension,
                                                                  char separator) const {
  if (std::optional<Match> one = find(asked, extension)) return std::vector<Match>{*std::move(one)};
  if (asked.find(separator) == std::string_view::npos) return std::nullopt;
  std::vector<Match> all;
  for (const std::string_view part : split(asked, separator)) {
    std::optional<Match> item = find_in_list(part, separator);
    if (!item) return std::nullopt;
    all.push_back(*std::move(item));
  }
  return all;
}

std::string PartNames::labels_of(const std::vector<uint64_t>& parts) const {
  std::string labels;
  for (size_t i = 0; i < std::min(parts.size(), kMaxNamed); ++i)
    labels.append(i > 0 ? ", " : "").append(label(parts[i]));
  if (parts.size() > kMaxNamed) labels += fmt::format(" and {} more", parts.size() - kMaxNamed);
  return labels;
}

size_t PartNames::allocated_bytes() const {
  size_t bytes = by_name_.allocated_bytes() + by_id_.allocated_bytes() + long_.capacity() * sizeof(uint64_t);
  bytes += names_.allocated_bytes() + ids_.allocated_bytes();
  for (const auto& [part, label] : labels_) bytes += 2 * (sizeof label + label.capacity() + 4 * sizeof part);
  return bytes;
}

namespace {

Elements held_names(const Array& names, const std::string& what, const Context& context) {
  names.check();
  const uint64_t most = std::max(kNamesHeld, context.cache.statistics().budget_bytes / 2);
  uint64_t bytes = 0;
  if (names.count() > UINT32_MAX)
    throw unsupported("{} {}s are too many to distinguish", names.count(), what);
  TextBuilder held;
  std::string name;
  for (uint64_t first = 0; first < names.count(); first += kNamesAtATime) {
    check_cancelled();
    const uint64_t some = std::min(kNamesAtATime, names.count() - first);
    const Elements elements = read_run(names, first, some);
    for (uint64_t i = 0; i < some; ++i) {
      name.clear();
      if (elements.is_missing(i))
        name = "NA";
      else if (names.dtype().kind == Kind::text)
        name = elements.text(i);
      else
        append_plain(names.dtype(), elements, i, name);
      bytes += name.size() + kBytesBeside;
      if (bytes > most)
        throw unsupported("{} {}s are too many to distinguish with {} bytes", names.count(), what, most);
      held.add(name);
    }
  }
  return held.finish();
}

// The cache key for the names of an array with those ids.
struct NamesInCache {
  uint64_t owner;
  std::weak_ptr<const Array> ids;
};

// Names as held by the cache.
struct HeldPartNames {
  std::shared_ptr<const PartNames> names;
  size_t bytes;  // computing it visits each name
  size_t allocated_bytes() const { return bytes; }
};

}  // namespace

std::shared_ptr<const PartNames> PartNameList::get() const {
  {
    const MutexLock lock(mutex_);
    if (kept_) return kept_;
  }
  ByteCache& cache = context_.cache;
  const auto in_cache = names_->survey<NamesInCache>(reinterpret_cast<uintptr_t>(ids_.get()), [&] {
    return NamesInCache{cache.new_owner(), ids_};
  });
  // Another object may now have the address of the old ids.
  const bool is_same = in_cache->ids.lock() == ids_;
  const CacheKey key{is_same ? in_cache->owner : cache.new_owner(), 0};
  const auto held = cache.get<HeldPartNames>(key, [&] {
    Elements texts = held_names(*names_, what_, context_), own;
    if (ids_ && ids_->count() == texts.count) own = held_names(*ids_, what_, context_);
    auto names = std::make_shared<const PartNames>(what_, std::move(texts), std::move(own));
    const size_t bytes = names->allocated_bytes();
    return HeldPartNames{std::move(names), bytes};
  });
  if (held->allocated_bytes() > cache.statistics().budget_bytes / 2) {
    const MutexLock lock(mutex_);
    kept_ = held->names;
  }
  return held->names;
}

ArrayPtr labels_of(std::shared_ptr<const PartNames> names) {
  const uint64_t count = names->count();
  return generated_texts(
      count, [names = std::move(names)](uint64_t part) { return std::string(names->label(part)); });
}

}  // namespace plainfs
