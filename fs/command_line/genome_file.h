// The file of -o genome=: one line per chromosome with its name, a tab and its length, like UCSC's
// chrom.sizes and bedtools' genome files. A .fai works too; its other columns are ignored.
#pragma once

#include <string>

#include "formats/core/model/contents/genome.h"

namespace plainfs {

// Reads the file. Throws Failure, with the option in the message.
GenomePtr read_genome_file(const std::string& path);
// Parses the text of such a file. Throws damaged.
Genome genome_of(std::string_view text);

}  // namespace plainfs
