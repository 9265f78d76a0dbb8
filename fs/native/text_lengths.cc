#include "fs/native/text_lengths.h"

#include <algorithm>
#include <string>

#include "formats/core/base/checked.h"
#include "formats/core/model/element_text.h"
#include "formats/core/text/utf8.h"
#include "fs/text/array_runs.h"
#include "fs/text/findings.h"

namespace plainfs {

namespace {

constexpr uint64_t kRunsTogether = 16;
constexpr uint64_t kMostTexts = uint64_t{1} << 32;  // what is kept of each run is 32 MiB then

}  // namespace

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c & 0x80; });
}

void for_each_text(const Array& array, uint64_t first, uint64_t count, const VisitText& visit) {
  const Elements elements = read_run(array, first, count);
  std::string spelled;
  for (uint64_t i = 0; i < count; ++i) {
    if (elements.is_missing(i)) {
      visit({}, true);
      continue;
    }
    std::string_view text;
    if (array.dtype().kind == Kind::text) {
      text = elements.text(i);
    } else {
      spelled.clear();
      append_plain(array.dtype(), elements, i, spelled);
      text = spelled;
    }
    if (!is_ascii(text)) check_utf8(text);
    if (text.find('\0') != text.npos) throw unsupported("text {} holds a NUL", first + i);
    visit(text, false);
  }
}

namespace {

TextLengths lengths_of(const Array& array, Context& context) {
  TextLengths lengths;
  lengths.count = array.count();
  if (lengths.count > kMostTexts)
    throw unsupported("{} texts are more than the {} that a file is made of", lengths.count, kMostTexts);
  const uint64_t runs = divide_up(lengths.count, kTextsInRun);
  struct Tally {
    uint64_t longest = 0;
    bool any_missing = false;
    bool is_ascii = true;
  };
  std::vector<Tally> parts(divide_up(runs, kRunsTogether));
  lengths.before.resize(runs + 1);
  context.workers.parallel_for(parts.size(), [&](size_t together) {
    Tally& part = parts[together];
    for (uint64_t run = together * kRunsTogether; run < std::min(runs, (together + 1) * kRunsTogether);
         ++run) {
      const uint64_t first = run * kTextsInRun;
      uint64_t bytes = 0;
      for_each_text(array, first, std::min(kTextsInRun, lengths.count - first),
                    [&](std::string_view text, bool missing) {
                      bytes += text.size();
                      part.longest = std::max<uint64_t>(part.longest, text.size());
                      part.any_missing |= missing;
                      part.is_ascii &= is_ascii(text);
                    });
      lengths.before[run + 1] = bytes;
    }
  });
  for (uint64_t run = 0; run < runs; ++run)
    lengths.before[run + 1] = checked_add(lengths.before[run], lengths.before[run + 1]);
  for (const Tally& part : parts) {
    lengths.longest = std::max(lengths.longest, part.longest);
    lengths.any_missing |= part.any_missing;
    lengths.is_ascii &= part.is_ascii;
  }
  return lengths;
}

}  // namespace

TextLengths measure_texts(const Array& array, Context& context) {
  array.check();
  const FindingPtr found = noted("text lengths 1", array, [&] {
    TextLengths lengths = lengths_of(array, context);
    lengths.before.insert(lengths.before.end(),
                          {lengths.longest, uint64_t{lengths.any_missing}, uint64_t{lengths.is_ascii}});
    return Finding{{}, {}, std::move(lengths.before)};
  });
  const std::vector<uint64_t>& numbers = found->numbers;
  const uint64_t count = array.count(), runs = divide_up(count, kTextsInRun);
  if (numbers.size() != runs + 4 || !std::is_sorted(numbers.begin(), numbers.end() - 3))
    throw unreadable("texts have changed since they were measured");
  const auto rest = numbers.end() - 3;
  return {count, rest[0], {numbers.begin(), rest}, rest[1] != 0, rest[2] != 0};
}

}  // namespace plainfs
