#include "formats/schemas/parquet/parts.h"

#include <algorithm>
#include <cctype>

#include "formats/containers/parquet/format.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"

namespace plainfs::parquet {
namespace {

constexpr int kMaxFolderDepth = 32;
constexpr size_t kMaxParts = 1'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_partition(std::string_view name) {
  const size_t equals = name.find('=');
  return equals != name.npos && equals > 0;
}

// Returns the name with each run of digits as one "0".
std::string without_digits(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (!is_digit(c))
      text += c;
    else if (text.empty() || text.back() != '0')
      text += '0';
  }
  return text;
}

// Returns whether the only file of a folder is named like one of several parts: part.0.parquet,
// data_0.parquet, 0.parquet.
bool is_named_as_part(std::string_view name) {
  return (name.starts_with("part") || name.starts_with("data") || is_digit(name.front())) &&
         std::any_of(name.begin(), name.end(), is_digit);
}

// Returns whether a part is in the folder or below its folders KEY=VALUE. Looks into the first of them only.
bool has_part(const KeyStore& folder, const std::string& key, int depth) {
  bool has_file = false;
  std::optional<std::string> below;
  folder.visit(key, [&](const Entry& entry) {
    if (is_hidden_part(entry.name)) return true;
    has_file = entry.kind == EntryKind::file && has_parquet_name(entry.name);
    if (entry.kind == EntryKind::folder && !below && is_partition(entry.name)) below = entry.name;
    return !has_file;
  });
  return has_file ||
         (below && depth < kMaxFolderDepth && has_part(folder, joined_path(key, *below), depth + 1));
}

// Takes the digits, or the other characters, at the beginning of text.
std::string_view take_run(std::string_view& text, bool of_digits) {
  const auto end = std::find_if(text.begin(), text.end(), [&](char c) { return is_digit(c) != of_digits; });
  const std::string_view run = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  return run;
}

class PartFinder {
 public:
  explicit PartFinder(const KeyStore& folder) : folder_(folder) {}

  void find(const std::string& key, const std::vector<std::pair<std::string, std::string>>& folders,
            int depth) {
    if (depth > kMaxFolderDepth)
      throw unsupported("{}: parts are more than {} folders deep", key, kMaxFolderDepth);
    for (const Entry& entry : folder_.list(key)) {
      if (is_hidden_part(entry.name)) continue;
      const std::string path = joined_path(key, entry.name);
      if (entry.kind == EntryKind::file && has_parquet_name(entry.name)) {
        if (parts_.size() == kMaxParts) throw unsupported("{}: more than {} parts", key, kMaxParts);
        parts_.push_back({path, folders});
      } else if (entry.kind == EntryKind::folder) {
        std::vector<std::pair<std::string, std::string>> below = folders;
        if (auto column = folder_column(entry.name)) below.push_back(*std::move(column));
        find(path, below, depth + 1);
      }
    }
  }

  std::vector<PartFile> finish() {
    std::sort(parts_.begin(), parts_.end(),
              [](const PartFile& a, const PartFile& b) { return is_part_before(a.key, b.key); });
    return std::move(parts_);
  }

 private:
  const KeyStore& folder_;
  std::vector<PartFile> parts_;
};

}  // namespace

bool is_hidden_part(std::string_view name) {
  return name.starts_with('.') || name.starts_with('_');
}

std::optional<std::pair<std::string, std::string>> folder_column(std::string_view name) {
  if (!is_partition(name)) return std::nullopt;
  const size_t equals = name.find('=');
  return std::pair(std::string(name.substr(0, equals)), percent_decoded(name.substr(equals + 1)));
}

bool is_part_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view a_text = take_run(a, false), b_text = take_run(b, false);
    if (a_text != b_text) return a_text < b_text;
    std::string_view a_digits = take_run(a, true), b_digits = take_run(b, true);
    if (a_digits.empty() || b_digits.empty()) return a_digits.size() < b_digits.size();
    for (std::string_view* digits : {&a_digits, &b_digits})
      digits->remove_prefix(std::min(digits->find_first_not_of('0'), digits->size()));
    if (a_digits.size() != b_digits.size()) return a_digits.size() < b_digits.size();
    if (a_digits != b_digits) return a_digits < b_digits;
  }
  return a.size() < b.size();
}

bool has_parquet_name(std::string_view name) {
  return without_ending(name).size() != name.size();
}

std::string_view without_ending(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const std::string_view ending : kEndings)
    if (lower.size() > ending.size() && lower.ends_with(ending))
      return name.substr(0, name.size() - ending.size());
  return name;
}

bool begins_as_parquet(ByteSpan first_bytes) {
  const std::string_view text = as_text(first_bytes);
  return text.starts_with(kMagic) || text.starts_with(kEncryptedMagic);
}

bool is_folder_of_parts(std::string_view name, const KeyStore& folder, const std::string& key) {
  if (has_parquet_name(name)) return has_part(folder, key, 0);
  bool are_parts = true, has_folder = false;
  size_t files = 0;
  std::string pattern, first;
  folder.visit(key, [&](const Entry& entry) {
    if (is_hidden_part(entry.name)) return true;
    if (entry.kind == EntryKind::folder) {
      has_folder = true;
      are_parts = is_partition(entry.name);
    } else if (entry.kind == EntryKind::file && has_parquet_name(entry.name)) {
      const std::string shape = without_digits(entry.name);
      if (files++ == 0) {
        pattern = shape;
        first = entry.name;
      }
      are_parts = shape == pattern;
    } else {
      are_parts = false;
    }
    are_parts = are_parts && !(has_folder && files > 0);
    return are_parts;
  });
  if (!are_parts) return false;
  if (has_folder) return has_part(folder, key, 0);
  return files > 1 || (files == 1 && is_named_as_part(first));
}

std::vector<PartFile> parts_below(const KeyStore& folder, const std::string& key) {
  PartFinder finder(folder);
  finder.find(key, {}, 0);
  return finder.finish();
}

}  // namespace plainfs::parquet
