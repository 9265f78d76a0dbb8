#include "fs/native/text_lengths.h"

#include <algorithm>
#include <string>

#include "formats/core/base/checked.h"
#include "formats/core/model/element_text.h"
#include "formats/core/text/utf8.h"
#include "fs/text/array_runs.h"

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

// TextLengths::before, and after it longest, any_missing and is_ascii.
std::vector<uint64_t> lengths_of(const Array& array, Context& context) {
  const uint64_t count = array.count();
  if (count > kMostTexts)
    throw unsupported("{} texts are more than the {} that a file is made of", count, kMostTexts);
  const uint64_t runs = divide_up(count, kTextsInRun);
  struct Tally {
    uint64_t longest = 0;
    bool any_missing = false;
    bool is_ascii = true;
  };
  std::vector<Tally> parts(divide_up(runs, kRunsTogether));
  std::vector<uint64_t> before(runs + 1);
  context.workers.parallel_for(parts.size(), [&](size_t together) {
    Tally& part = parts[together];
    for (uint64_t run = together * kRunsTogether; run < std::min(runs, (together + 1) * kRunsTogether);
         ++run) {
      const uint64_t first = run * kTextsInRun;
      uint64_t bytes = 0;
      for_each_text(array, first, std::min(kTextsInRun, count - first),
                    [&](std::string_view text, bool missing) {
                      bytes += text.size();
                      part.longest = std::max<uint64_t>(part.longest, text.size());
                      part.any_missing |= missing;
                      part.is_ascii &= is_ascii(text);
                    });
      before[run + 1] = bytes;
    }
  });
  for (uint64_t run = 0; run < runs; ++run) before[run + 1] = checked_add(before[run], before[run + 1]);
  Tally all;
  for (const Tally& part : parts) {
    all.longest = std::max(all.longest, part.longest);
    all.any_missing |= part.any_missing;
    all.is_ascii &= part.is_ascii;
  }
  before.insert(before.end(), {all.longest, uint64_t{all.any_missing}, uint64_t{all.is_ascii}});
  return before;
}

}  // namespace

TextLengths measure_texts(const Array& array, Context& context) {
  array.check();
  const FindingPtr found = noted("text lengths 1", array, [&] {
    return Finding{{}, {}, lengths_of(array, context)};
  });
  const std::vector<uint64_t>& numbers = found->numbers;
  const uint64_t count = array.count(), runs = divide_up(count, kTextsInRun);
  if (numbers.size() != runs + 4 || !std::is_sorted(numbers.begin(), numbers.end() - 3))
    throw unreadable("texts have changed since they were measured");
  const uint64_t* const rest = numbers.data() + runs + 1;
  return {count, rest[0], std::span(numbers).first(runs + 1), rest[1] != 0, rest[2] != 0, found};
}

}  // namespace plainfs
