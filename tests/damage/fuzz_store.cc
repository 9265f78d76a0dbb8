// libFuzzer: any bytes as a whole store of any format, opened, walked, and read twice: in order and at random
// places. The input is one file, or, if it begins with a line "KEY SIZE", a folder of files, each with such a
// line and then SIZE bytes. An Error is a valid outcome. A crash, a hang, a leak, or a file that differs from
// its size or its first read is not.
#include <algorithm>
#include <boost/filesystem.hpp>
#include <boost/filesystem/fstream.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "formats/core/base/error.h"
#include "tests/damage/store_walk.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
namespace disk = boost::filesystem;

// Returns 12 for "a/b 12"; nothing if the line is malformed or the key leads out of the store.
bool parse_line(std::string_view line, std::string& key, size_t& size) {
  const size_t blank = line.rfind(' ');
  if (blank == line.npos || blank == 0 || blank > 200) return false;
  const auto [end, error] = std::from_chars(line.data() + blank + 1, line.data() + line.size(), size);
  if (error != std::errc() || end != line.data() + line.size()) return false;
  key = line.substr(0, blank);
  const disk::path path = key;
  return !path.is_absolute() && key.find('\0') == key.npos &&
         std::none_of(path.begin(), path.end(),
                      [](const disk::path& part) { return part == ".." || part == "."; });
}

void write(const disk::path& path, std::string_view bytes) {
  boost::system::error_code error;
  disk::create_directories(path.parent_path(), error);
  if (!error && !disk::is_directory(path, error))
    disk::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void write_store(const disk::path& store, std::string_view input) {
  std::string key;
  size_t size = 0;
  const auto first_line = [&] { return input.substr(0, input.find('\n')); };
  if (!parse_line(first_line(), key, size)) return write(store, input);
  disk::create_directory(store);
  while (!input.empty() && parse_line(first_line(), key, size)) {
    input.remove_prefix(std::min(first_line().size() + 1, input.size()));
    write(store / key, input.substr(0, size));
    input.remove_prefix(std::min(size, input.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const TemporaryDirectory temporary;
  write_store(temporary.path("store"), as_text(std::as_bytes(std::span(data, size))));
  TestContext context(size_t{16} << 20, 0);
  try {
    const damage::WalkResult result = damage::read_everything(temporary.path("store"), context);
    if (!result.wrong.empty()) {
      std::fprintf(stderr, "%s\n", result.wrong.c_str());
      std::abort();
    }
  } catch (const plainfs::Error&) {
  }
  return 0;
}
