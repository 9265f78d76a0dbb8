// A bigWig of values along the chromosomes of a genome (Kent et al. 2010, doi 10.1093/bioinformatics/btq351,
// supplement), without compression, so that all offsets follow from the number of values in each section.
// Little-endian, version 4, sections of bedGraph items. The sections precede all indexes, as UCSC's tools
// write them; readers request everything before the data at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fs/layout/byte_layout.h"

namespace plainfs {

struct BigWigChromosome {
  std::string name;
  uint32_t length;
};

// A run of bases that have a value; positions are 0-based.
struct BigWigItem {
  uint32_t start;
  uint32_t end;
  float value;
};
static_assert(sizeof(BigWigItem) == 12);  // the size in the file

// Consecutive items of one chromosome.
struct BigWigSection {
  uint32_t chromosome;
  uint32_t start;  // of the first item
  uint32_t end;    // of the last item
  uint32_t items;  // 1 to 65,535
};

// A summary of the bases of [start, end) that have a value, in the file's layout.
struct BigWigSummary {
  uint32_t chromosome;
  uint32_t start;
  uint32_t end;
  uint32_t bases;
  float least;
  float greatest;
  float sum;
  float sum_of_squares;
};
static_assert(sizeof(BigWigSummary) == 32);

struct BigWigTotal {
  uint64_t bases = 0;
  double least = 0;
  double greatest = 0;
  double sum = 0;
  double sum_of_squares = 0;
};

static_assert(sizeof(BigWigTotal) == 40);

struct BigWigPlan {
  std::vector<BigWigChromosome> chromosomes;  // by the bytes of their names, all distinct
  std::vector<BigWigSection> sections;        // in the order of the file
  BigWigTotal total;
  // Bases per summary in the finest summaries, one for each such range that contains values. Coarser
  // summaries are computed from them.
  uint32_t reduction;
  std::vector<BigWigSummary> summaries;
};

// Returns the bases in one of the finest summaries: a power of 4, at least 64, such that all chromosomes
// together have at most 2^18 summaries.
uint32_t finest_reduction(const std::vector<BigWigChromosome>& chromosomes);

uint64_t section_bytes(uint64_t items);
// Appends the section in the file's layout.
void append_section(const BigWigSection& section, std::span<const BigWigItem> items, std::string& out);

// Returns the file. data: the concatenated sections, with the sum of their sizes. Throws unsupported for more
// than 65,535 chromosomes.
ByteLayout big_wig(const BigWigPlan& plan, SegmentPtr data);

}  // namespace plainfs
