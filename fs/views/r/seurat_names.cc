#include "fs/views/r/seurat_names.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "formats/core/base/checked.h"
#include "formats/core/frames/data_frame.h"
#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/model/arrays/generated_array.h"
#include "formats/core/text/ascii.h"
#include "fs/layout/text_segments.h"

namespace plainfs {

namespace {

constexpr uint64_t kNamesAtOnce = 64 * 1024;
constexpr size_t kMaxIdentities = 100;

// The part of the cache's budget (1 / kNamesPart) for names in memory and the search for duplicates.
constexpr uint64_t kNamesPart = 2;
constexpr uint64_t kNameOverhead = 128;  // per name in memory, with the data that detect duplicates

void check_room(uint64_t bytes, uint64_t count, const char* what, const Context& context) {
  const uint64_t budget = context.cache.statistics().budget_bytes;
  if (bytes > budget / kNamesPart)
    throw unsupported("{} {} are too many to distinguish with a cache of {} bytes", count, what, budget);
}

template <class Visit>
void for_all_texts(const Array& texts, Visit&& visit) {
  for (uint64_t first = 0, count = texts.count(); first < count; first += kNamesAtOnce) {
    uint64_t i = first;
    for_each_text(texts, first, std::min(kNamesAtOnce, count - first),
                  [&](std::string_view text, bool is_missing) { visit(i++, is_missing ? "NA" : text); });
  }
}

// Returns the characters that SeuratObject 5 allows before the _ of a key: letters and digits, a letter
// first.
std::string stem_of_key(const std::string& name) {
  std::string kept;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalpha(byte) || (std::isdigit(byte) && !kept.empty()))) kept += c;
  }
  return kept;
}

// The groups formed by prefixes of names, as long as there are not too many.
class Prefixes {
 public:
  explicit Prefixes(uint64_t names) { codes_.reserve(std::min(names, kNamesAtOnce)); }

  void add(std::string_view name) {
    if (are_too_many_) return;
    const std::string prefix(name.substr(0, name.find('_')));
    const auto [known, is_new] = groups_.try_emplace(prefix, groups_.size());
    are_too_many_ = groups_.size() > kMaxIdentities;
    codes_.push_back(static_cast<uint8_t>(known->second));
  }

  // Returns null if CreateSeuratObject does not accept the groups.
  ArrayPtr factor_of(uint64_t names, Context& context) const;

 private:
  std::unordered_map<std::string, size_t> groups_;  // in the order of their first names
  std::vector<uint8_t> codes_;
  bool are_too_many_ = false;
};

ArrayPtr Prefixes::factor_of(uint64_t names, Context& context) const {
  if (are_too_many_ || groups_.empty() || groups_.size() == names) return nullptr;
  std::vector<std::string> levels;
  for (const auto& [prefix, number] : groups_) levels.push_back(prefix);
  std::sort(levels.begin(), levels.end());
  std::vector<uint8_t> places(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) places[groups_.at(levels[i])] = static_cast<uint8_t>(i);
  Elements codes;
  codes.count = codes_.size();
  codes.bytes.resize(codes_.size());
  const std::span<uint8_t> sorted = codes.mutable_values<uint8_t>();
  for (size_t i = 0; i < codes_.size(); ++i) sorted[i] = places[codes_[i]];
  return factor(std::make_shared<MemoryArray>(number_type(Kind::unsigned_integer, 1), Shape{codes_.size()},
                                              std::move(codes)),
                text_array(levels), 0, "orig.ident", context);
}

// Returns whether no name is duplicated. The table holds 1 + the index of each name at a slot chosen by its
// hash. Nothing is copied, which is most of the cost of a set of so many texts.
bool are_unique(const std::vector<std::string>& names) {
  const size_t slots = std::bit_ceil(2 * names.size() + 1);
  std::vector<size_t> table(slots);
  for (size_t i = 0; i < names.size(); ++i) {
    size_t slot = std::hash<std::string_view>()(names[i]) & (slots - 1);
    for (; table[slot] != 0; slot = (slot + 1) & (slots - 1))
      if (names[table[slot] - 1] == names[i]) return false;
    table[slot] = i + 1;
  }
  return true;
}

}  // namespace

std::vector<std::string> made_unique(std::vector<std::string> names) {
  if (are_unique(names)) return names;
  std::unordered_set<std::string> taken(names.begin(), names.end());
  std::unordered_map<std::string, uint64_t> next;  // the next number to try, for each name seen
  for (std::string& name : names) {
    const auto [known, is_first] = next.try_emplace(name, 1);
    if (is_first) continue;
    std::string generated;
    do generated = name + "." + std::to_string(known->second++);
    while (!taken.insert(generated).second);
    name = std::move(generated);
  }
  return names;
}

std::vector<std::string> without_empty_names(std::vector<std::string> names) {
  const auto is_empty = [](const std::string& name) { return name.empty(); };
  if (std::none_of(names.begin(), names.end(), is_empty)) return names;
  const std::unordered_set<std::string> taken(names.begin(), names.end());
  uint64_t number = 0;
  const auto next = [&number] { return number++ == 0 ? "X" : fmt::format("X.{}", number - 1); };
  for (std::string& name : names) {
    if (!name.empty()) continue;
    do name = next();
    while (taken.contains(name));
  }
  return names;
}

std::vector<std::string> feature_names(std::vector<std::string> stored) {
  std::vector<std::string> names = made_unique(without_empty_names(std::move(stored)));
  bool is_changed = false;
  for (std::string& name : names) {
    for (char& c : name) {
      if (c != '_' && c != '|') continue;
      c = '-';
      is_changed = true;
    }
  }
  return is_changed ? made_unique(std::move(names)) : names;
}

std::string assay_key(const std::string& name) {
  const std::string key = lower_case(stem_of_key(name));
  return (key.empty() ? "assay" : key) + "_";
}

std::string reduction_key(const std::string& name) {
  if (name == "pca") return "PC_";
  if (name == "umap") return "UMAP_";
  if (name == "tsne") return "tSNE_";
  const std::string key = stem_of_key(name);
  return (key.empty() ? "DIM" : key) + "_";
}

std::string valid_key(const std::string& stored) {
  const std::string key = stem_of_key(stored);
  return key.empty() ? key : key + "_";
}

std::string valid_name(std::string name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c & 0x80; };
  const bool begins_well =
      !name.empty() && (is_letter(name[0]) || (name[0] == '.' && !(name.size() > 1 && is_digit(name[1]))));
  if (!begins_well) name.insert(name.begin(), 'X');
  for (char& c : name)
    if (!is_letter(c) && !is_digit(c) && c != '.' && c != '_') c = '.';
  for (const std::string_view word :
       {"if", "else", "repeat", "while", "function", "for", "next", "break", "TRUE", "FALSE", "NULL", "Inf",
        "NaN", "NA", "NA_integer_", "NA_real_", "NA_character_", "NA_complex_", "in"})
    if (name == word) return name + ".";
  return name;
}

ArrayPtr spelled(ArrayPtr names, Context& context) {
  const bool is_text = names->dtype().kind == Kind::text;
  return is_text ? without_missing_texts(names, context) : frames::plain_texts(std::move(names));
}

bool are_same_texts(const Array& a, const Array& b, Context& context) {
  if (&a == &b) return true;
  const uint64_t count = a.count();
  if (count != b.count()) return false;
  std::atomic<bool> same{true};
  context.workers.parallel_for(divide_up(count, kNamesAtOnce), [&](size_t run) {
    if (!same) return;
    const uint64_t first = run * kNamesAtOnce, some = std::min(kNamesAtOnce, count - first);
    std::vector<std::string> ours;
    for_each_text(a, first, some, [&](std::string_view text, bool is_missing) {
      ours.emplace_back(is_missing ? "NA" : text);
    });
    size_t i = 0;
    for_each_text(b, first, some, [&](std::string_view text, bool is_missing) {
      if (ours[i++] != (is_missing ? "NA" : text)) same = false;
    });
  });
  return same;
}

std::vector<std::string> held_texts(const Array& texts, const char* what, Context& context) {
  const TextLengthsPtr lengths = measure_texts(texts, context);
  check_room(checked_add(lengths->before.back(), checked_multiply(lengths->count, kNameOverhead)),
             lengths->count, what, context);
  std::vector<std::string> held;
  held.reserve(lengths->count);
  for_all_texts(texts, [&](uint64_t, std::string_view text) { held.emplace_back(text); });
  return held;
}

namespace {

// Returns whether one of the names that share a hash is duplicated.
bool any_comes_twice(const Array& cells, const std::unordered_set<size_t>& hashes) {
  std::unordered_set<std::string> names;
  bool any = false;
  for_all_texts(cells, [&](uint64_t, std::string_view name) {
    if (hashes.contains(std::hash<std::string_view>()(name))) any |= !names.emplace(name).second;
  });
  return any;
}

// Returns whether each cell has a unique name.
bool are_distinct(const Array& cells, Context& context) {
  const uint64_t count = cells.count();
  check_room(checked_multiply(count, sizeof(size_t)), count, "cells", context);
  std::vector<size_t> hashes;
  hashes.reserve(count);
  bool any_empty = false;
  for_all_texts(cells, [&](uint64_t, std::string_view name) {
    any_empty |= name.empty();
    hashes.push_back(std::hash<std::string_view>()(name));
  });
  if (any_empty) return false;
  std::sort(hashes.begin(), hashes.end());
  std::unordered_set<size_t> twice;
  for (size_t i = 1; i < hashes.size(); ++i)
    if (hashes[i] == hashes[i - 1]) twice.insert(hashes[i]);
  return twice.empty() || !any_comes_twice(cells, twice);
}

}  // namespace

void note_renamed(const char* what, const std::vector<std::string>& stored,
                  const std::vector<std::string>& generated, Context& context) {
  uint64_t renamed = 0, last = 0;
  for (size_t i = 0; i < generated.size(); ++i) {
    if (generated[i] == stored[i]) continue;
    ++renamed;
    last = i;
  }
  if (renamed > 0)
    context.notice(fmt::format(
        "seurat.rds: {} {} have names that Seurat does not accept; for example \"{}\" becomes \"{}\"",
        renamed, what, stored[last], generated[last]));
}

ArrayPtr cell_names(const ArrayPtr& cells, Context& context) {
  if (are_distinct(*cells, context)) return cells;
  const std::vector<std::string> stored = held_texts(*cells, "cells", context);
  const std::vector<std::string> generated = made_unique(without_empty_names(stored));
  note_renamed("cells", stored, generated, context);
  return text_array(generated);
}

ArrayPtr identities(const ArrayPtr& cells, const std::string& project, Context& context) {
  const uint64_t count = cells->count();
  if (count == 0) throw unsupported("no cells, which a Seurat object requires");
  Prefixes prefixes(count);
  for_all_texts(*cells, [&](uint64_t, std::string_view name) { prefixes.add(name); });
  if (ArrayPtr groups = prefixes.factor_of(count, context)) return groups;
  return one_identity(project, count, context);
}

ArrayPtr one_identity(const std::string& project, uint64_t cells, Context& context) {
  const DType code = number_type(Kind::unsigned_integer, 1);
  return factor(constant(code, {cells}, zero_elements(code, 1)), text_array({project}), 0, "orig.ident",
                context);
}

}  // namespace plainfs
