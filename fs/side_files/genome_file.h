// The file of -o genome=: a line a chromosome, its name, tab, its length; as UCSC's chrom.sizes, bedtools'
// genome files, and .fai, whose other columns are not looked at.
#pragma once

#include <string>

#include "formats/core/model/genome.h"

namespace plainfs {

// Throws Failure, with the option in the message.
GenomePtr read_genome_file(const std::string& path);
// The same of the text of such a file. Throws damaged.
Genome genome_of(std::string_view text);

}  // namespace plainfs
