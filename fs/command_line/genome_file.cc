#include "fs/command_line/genome_file.h"

#include <algorithm>

#include "formats/core/base/error.h"
#include "formats/core/remote/sha256.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/split.h"
#include "fs/command_line/exit_code.h"
#include "fs/command_line/option_values.h"

namespace plainfs {
namespace {

constexpr uint64_t kLargestGenomeFile = uint64_t{1} << 26;

// Adds the chromosome of one line, without its end.
void add_chromosome(std::string_view line, uint64_t number, Genome& genome) {
  const size_t tab = line.find('\t');
  if (tab == line.npos || tab == 0) throw damaged("line {}: expected a name, a tab and a length", number);
  const std::string_view name = line.substr(0, tab);
  const std::string_view length = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
  const uint32_t bases = parsed_number<uint32_t>(length).value_or(0);
  if (bases == 0) throw damaged("line {}: {} is not a length from 1 to {}", number, length, UINT32_MAX);
  if (!genome.lengths.emplace(name, bases).second) throw damaged("the chromosome {} is repeated", name);
}

}  // namespace

Genome genome_of(std::string_view text) {
  Genome genome;
  uint64_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (!line.empty()) add_chromosome(line, number, genome);
  }
  genome.digest = remote::sha256_hex(text);
  return genome;
}

GenomePtr read_genome_file(const std::string& path) {
  const std::string text = option_file("genome", path, kLargestGenomeFile);
  try {
    return std::make_shared<const Genome>(genome_of(text));
  } catch (const Error& error) {
    throw Failure(kUsage, fmt::format("genome={}: {}", path, error.what()));
  }
}

}  // namespace plainfs
