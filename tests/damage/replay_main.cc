// Runs a fuzz target over the files of a folder: unchanged, truncated, and with changed bytes. The changes
// are always the same.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::vector<uint8_t>;

Input read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Copies exactly `size` bytes, so that a sanitizer detects a read beyond their end.
void run(const Input& input, size_t size) {
  const Input exact(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(size));
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void run_changed(Input input) {
  constexpr int kRounds = 200;
  uint64_t state = 1;
  const auto random = [&state](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % below);
  };
  for (int round = 0; round < kRounds && !input.empty(); ++round) {
    Input changed = input;
    for (size_t changes = 1 + random(3); changes > 0; --changes)
      changed[random(changed.size())] = static_cast<uint8_t>(random(256));
    run(changed, changed.size());
  }
}

}  // namespace

int main(int count, char** arguments) {
  size_t files = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
      const Input input = read_file(entry.path());
      const size_t step = input.size() / 256 + 1;
      for (size_t size = 0; size < input.size(); size += step) run(input, size);
      run(input, input.size());
      run_changed(input);
      ++files;
    }
  std::printf("%zu files\n", files);
  return files > 0 ? 0 : 1;
}
