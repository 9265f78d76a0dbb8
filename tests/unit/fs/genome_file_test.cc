#include "fs/command_line/genome_file.h"

#include <boost/test/unit_test.hpp>

#include "fs/command_line/exit_code.h"
#include "tests/support/mentions.h"

namespace plainfs {
namespace {

BOOST_AUTO_TEST_SUITE(genome_file)

BOOST_AUTO_TEST_CASE(a_line_is_a_name_a_tab_and_a_length) {
  const Genome genome = genome_of("chr1\t248956422\nchr 2\t5\t60\t70\r\n\nchrM\t16569");
  BOOST_TEST(genome.lengths.size() == 3u);
  BOOST_TEST(genome.lengths.at("chr1") == 248956422u);
  BOOST_TEST(genome.lengths.at("chr 2") == 5u);
  BOOST_TEST(genome.lengths.at("chrM") == 16569u);
  BOOST_TEST(genome.digest != genome_of("chr1\t248956423\n").digest);
  BOOST_TEST(genome_of("").lengths.empty());
}

BOOST_AUTO_TEST_CASE(invalid_length_is_reported) {
  BOOST_CHECK_EXCEPTION(genome_of("a\t1\nchr1 5\n"), Error,
                        mentions("line 2: expected a name, a tab and a length"));
  BOOST_CHECK_EXCEPTION(genome_of("\t5\n"), Error, mentions("line 1: expected a name, a tab and a length"));
  for (const std::string length : {"", "0", "-1", "1e6", "5 ", "4294967296"})
    BOOST_CHECK_EXCEPTION(genome_of("a\t" + length + "\n"), Error,
                          mentions("line 1: " + length + " is not a length from 1 to 4294967295"));
  BOOST_CHECK_EXCEPTION(genome_of("a\t1\na\t1\n"), Error, mentions("the chromosome a is repeated"));
  BOOST_CHECK_EXCEPTION(read_genome_file("/nowhere/g"), Failure, mentions("genome=/nowhere/g: No such file"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs
