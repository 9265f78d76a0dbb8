#include "fs/native/text_lengths.h"

#include <algorithm>
#include <string>

#include "formats/base/checked.h"
#include "formats/model/element_text.h"
#include "formats/text/utf8.h"
#include "fs/text/array_runs.h"

namespace plainfs {

namespace {

constexpr uint64_t kRunsTogether = 16;

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c & 0x80; });
}

}  // namespace

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

TextLengths measure_texts(const Array& array, Context& context) {
  array.check();
  TextLengths lengths;
  lengths.count = array.count();
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

}  // namespace plainfs
