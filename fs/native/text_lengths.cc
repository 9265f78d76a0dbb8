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

TextLengths lengths_of(const Array& array, Context& context) {
  const uint64_t count = array.count();
  if (count > kMostTexts)
    throw unsupported("{} texts are more than the {} that a file is made of", count, kMostTexts);
  const uint64_t runs = divide_up(count, kTextsInRun);
  std::vector<TextLengths> parts(divide_up(runs, kRunsTogether));
  TextLengths all;
  all.count = count;
  all.before.resize(runs + 1);
  context.workers.parallel_for(parts.size(), [&](size_t together) {
    TextLengths& part = parts[together];
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
      all.before[run + 1] = bytes;
    }
  });
  for (uint64_t run = 0; run < runs; ++run)
    all.before[run + 1] = checked_add(all.before[run], all.before[run + 1]);
  for (const TextLengths& part : parts) {
    all.longest = std::max(all.longest, part.longest);
    all.any_missing |= part.any_missing;
    all.is_ascii &= part.is_ascii;
  }
  return all;
}

}  // namespace

TextLengthsPtr measure_texts(const Array& array, Context& context) {
  array.check();
  return array.survey<TextLengths>(0, [&] { return lengths_of(array, context); });
}

}  // namespace plainfs
