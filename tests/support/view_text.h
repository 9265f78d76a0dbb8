// The text of a view, whole and in slices.
#pragma once

#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <string>

#include "fs/text/sink.h"
#include "fs/text/text_file.h"
#include "fs/text/view_file.h"

namespace plainfs {

inline std::string text_of(const Slices& slices) {
  std::string text(slices.size(), '\0');
  slices.copy_to(std::as_writable_bytes(std::span(text)));
  return text;
}

inline std::string read_text(ViewFile& file, uint64_t offset, size_t size) {
  return text_of(file.read(offset, size));
}

inline std::string whole_text(ViewFile& file) {
  const uint64_t size = file.size();
  std::string text = read_text(file, 0, size + 1);
  BOOST_REQUIRE_EQUAL(text.size(), size);
  return text;
}

inline std::string whole_text(std::unique_ptr<TextSource> source, Context& context) {
  TextFile file(std::move(source), context);
  return whole_text(file);
}

// Returns whether `count` random slices of `file` match `whole`, and nothing lies beyond its end.
inline bool slices_match(ViewFile& file, const std::string& whole, std::mt19937_64& random, int count) {
  for (int i = 0; i < count; ++i) {
    const uint64_t offset = random() % (whole.size() + 2);
    const size_t size = random() % (random() % 3 == 0 ? whole.size() + 2 : 200);
    const std::string want = offset < whole.size() ? whole.substr(offset, size) : "";
    if (read_text(file, offset, size) != want) return false;
  }
  return file.read(whole.size(), 100).size() == 0;
}

// Returns whether each block of a text is as long as it was measured to be.
inline bool is_as_long_as_measured(TextSource& source) {
  source.prepare();
  for (uint64_t block = 0; block < source.block_count(); ++block) {
    const uint64_t size = source.measure(block);
    std::string text(size + ByteSink::kMargin, '\0');
    ByteSink sink(text.data(), size);
    source.format(block, sink);  // throws if the text is longer
    if (sink.size() != size) return false;
  }
  return true;
}

// Returns the message of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace plainfs
