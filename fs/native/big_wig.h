// A bigWig of values along the chromosomes of a genome (Kent et al. 2010, doi 10.1093/bioinformatics/btq351,
// supplement), without compression, so that what stands where follows from how many values each section has.
// Little-endian, version 4, sections of bedGraph items; the sections stand before all indexes, as UCSC's
// tools write them: readers ask for what lies before the data in one go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fs/native/byte_layout.h"

namespace plainfs {

struct BigWigChromosome {
  std::string name;
  uint32_t length;
};

// A run of bases that have a value, from 0 on.
struct BigWigItem {
  uint32_t start;
  uint32_t end;
  float value;
};
static_assert(sizeof(BigWigItem) == 12);  // as it stands in the file

// Items of one chromosome that follow each other.
struct BigWigSection {
  uint32_t chromosome;
  uint32_t start;  // of the first
  uint32_t end;    // of the last
  uint32_t items;  // 1 to 65,535
};

// What is said of the bases of [start, end) that have a value, in its form in the file.
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
  std::vector<BigWigChromosome> chromosomes;  // by the bytes of their names, no two alike
  std::vector<BigWigSection> sections;        // in the order of the file
  BigWigTotal total;
  // Of each so many bases of each chromosome that have any value: the finest summaries. Others are made of
  // them.
  uint32_t reduction;
  std::vector<BigWigSummary> summaries;
};

// Bases in one of the finest summaries: a power of 4 from 64 on, of which all chromosomes have no more than
// 2^18.
uint32_t finest_reduction(const std::vector<BigWigChromosome>& chromosomes);

uint64_t section_bytes(uint64_t items);
// Appends the section in its form in the file.
void append_section(const BigWigSection& section, std::span<const BigWigItem> items, std::string& out);

// data: the sections one after the other, whose sizes add up to its own. Throws unsupported of more than
// 65,535 chromosomes.
ByteLayout big_wig(const BigWigPlan& plan, SegmentPtr data);

}  // namespace plainfs
