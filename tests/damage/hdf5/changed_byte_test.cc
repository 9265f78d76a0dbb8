// Changes one byte of an HDF5 file, 300 times. Each variant is opened and read whole through Filesystem in a
// child process. A variant must read or fail with an Error. Crashes in libhdf5 itself, which opens the
// objects, are counted separately and recognised by the top frame of the stack. docs/limits.md quotes these
// counts.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "tests/damage/child.h"
#include "tests/damage/store_walk.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/hdf5_writer.h"

namespace plainfs::damage {
namespace {

using hdf5::Hdf5Writer;
using hdf5::written;

constexpr int kVariants = 100;
constexpr int kMaxVariants = 3000;  // the basis of the counts below, by hand

enum Outcome : int {
  all_read = 10,  // nothing failed
  part_failed,    // something failed with an Error
  wrong_size,     // a file differs from its stat, or in a second read
};

// Strings in every layout, sequences, records of them, attributes and references: everything that uses the
// global heap.
void write_store(const std::string& path) {
  Hdf5Writer writer(path);
  const std::vector<const char*> words{"alpha",    "",    "a longer string than the others",
                                       "\xc3\xa9", "x,y", "omega"};
  const hdf5::PropertyHandle chunked = Hdf5Writer::chunked({4}), numbers_chunked = Hdf5Writer::chunked({512});
  H5Pset_deflate(chunked.id(), 4);
  H5Pset_deflate(numbers_chunked.id(), 4);
  const std::vector<int> numbers(1200, 7);
  for (int i = 0; i < 4; ++i) {
    const std::string group = "group" + std::to_string(i);
    writer.group(group);
    writer.texts(group + "/contiguous", words);
    writer.texts(group + "/chunked", words, chunked.id());
    writer.integers(group + "/numbers", {numbers.size()}, numbers, numbers_chunked.id());
  }
  const hdf5::TypeHandle sequence(H5Tvlen_create(H5T_STD_I32LE));
  int items[] = {1, 2, 3};
  const hvl_t sequences[] = {{3, items}, {0, nullptr}, {2, items}};
  writer.dataset("sequences", sequence.id(), {3}, sequence.id(), sequences);
  struct Record {
    const char* text;
    hvl_t items;
    int number;
  };
  const hdf5::TypeHandle text = Hdf5Writer::text_type(), record(H5Tcreate(H5T_COMPOUND, sizeof(Record)));
  written(H5Tinsert(record.id(), "text", offsetof(Record, text), text.id()));
  written(H5Tinsert(record.id(), "items", offsetof(Record, items), sequence.id()));
  written(H5Tinsert(record.id(), "number", offsetof(Record, number), H5T_NATIVE_INT));
  const Record records[] = {{"one", {2, items}, 1}, {"two", {0, nullptr}, 2}};
  writer.dataset("records", record.id(), {2}, record.id(), records);
  hobj_ref_t reference;
  written(H5Rcreate(&reference, writer.id(), "group1/numbers", H5R_OBJECT, -1));
  writer.dataset("references", H5T_STD_REF_OBJ, {1}, H5T_STD_REF_OBJ, &reference);
  const hsize_t count = words.size();
  const hdf5::SpaceHandle list(H5Screate_simple(1, &count, nullptr));
  writer.attribute(writer.id(), "words", text.id(), list.id(), words.data());
  written(H5Lcreate_soft("/group0/numbers", writer.id(), "soft", H5P_DEFAULT, H5P_DEFAULT));
}

// A group with links and attributes in fractal heaps, as newer writers store large numbers of them.
void write_dense_store(const std::string& path) {
  Hdf5Writer writer(path);
  const hdf5::PropertyHandle creation(written(H5Pcreate(H5P_GROUP_CREATE)));
  written(H5Pset_link_phase_change(creation.id(), 0, 0));
  written(H5Pset_attr_phase_change(creation.id(), 0, 0));
  const hdf5::ObjectHandle group(
      written(H5Gcreate2(writer.id(), "dense", H5P_DEFAULT, creation.id(), H5P_DEFAULT)));
  const hdf5::SpaceHandle scalar(written(H5Screate(H5S_SCALAR)));
  for (int i = 0; i < 12; ++i) {
    const std::string name = "member" + std::to_string(i);
    written(H5Lcreate_soft("/dense", group.id(), ("link to " + name).c_str(), H5P_DEFAULT, H5P_DEFAULT));
    writer.integers("dense/" + name, {2}, {i, i + 1});
    writer.attribute(group.id(), name, H5T_NATIVE_INT, scalar.id(), &i);
  }
}

// Bare chunks and chunks under every filter of the library, indexed by trees and by the indexes of newer
// writers.
void write_filtered_store(const std::string& path) {
  Hdf5Writer writer(path);
  std::vector<int> numbers(96);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * i % 31);
  const auto filtered = [] {
    std::vector<std::pair<std::string, hdf5::PropertyHandle>> all;
    for (const char* name : {"bare", "deflate", "szip", "nbit", "scale_offset", "checked"})
      all.emplace_back(name, Hdf5Writer::chunked({4, 5}));
    H5Pset_deflate(all[1].second.id(), 4);
    if (H5Zfilter_avail(H5Z_FILTER_SZIP) > 0) H5Pset_szip(all[2].second.id(), H5_SZIP_NN_OPTION_MASK, 4);
    written(H5Pset_nbit(all[3].second.id()));
    written(H5Pset_scaleoffset(all[4].second.id(), H5Z_SO_INT, 0));
    H5Pset_shuffle(all[5].second.id());
    H5Pset_fletcher32(all[5].second.id());
    return all;
  };
  const hdf5::TypeHandle narrow(written(H5Tcopy(H5T_STD_I32LE)));
  written(H5Tset_precision(narrow.id(), 11));
  for (const auto& [name, creation] : filtered())
    writer.dataset(name, name == "nbit" ? narrow.id() : H5T_STD_I32LE, {12, 8}, H5T_NATIVE_INT,
                   numbers.data(), creation.id());
  written(H5Fset_libver_bounds(writer.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  for (const auto& [name, creation] : filtered())
    writer.dataset("new_" + name, name == "nbit" ? narrow.id() : H5T_STD_I32LE, {12, 8}, H5T_NATIVE_INT,
                   numbers.data(), creation.id());
}

int outcome_of(const std::string& store) {
  return fate_of([&] {
    TestContext context(size_t{16} << 20, 0);
    const WalkResult result = read_everything(store, context);
    return !result.wrong.empty() ? wrong_size : result.errors > 0 ? part_failed : all_read;
  });
}

std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

// Returns the number of variants to try. PLAINFS_TEST_EFFORT multiplies it.
int variant_count() {
  return kVariants * effort();
}

// PLAINFS_DAMAGE_KEEP names a directory that keeps these variants.
void report(int number, size_t at, char change, int outcome, const std::string& variant) {
  BOOST_TEST_MESSAGE("variant " << number << ": byte " << at << " of " << variant.size() << " ^ "
                                << int(change) << ": outcome " << outcome);
  if (const char* folder = std::getenv("PLAINFS_DAMAGE_KEEP"))
    std::ofstream(folder + ("/" + std::to_string(number)) + ".h5", std::ios::binary) << variant;
}

// Returns the number of variants for each outcome of one changed byte in the store.
std::map<int, int> outcomes_of(void (*write)(const std::string& path)) {
  const TemporaryDirectory directory;
  const std::string good = directory.path("good.h5"), bad = directory.path("bad.h5");
  write(good);
  BOOST_TEST(outcome_of(good) == all_read);
  const std::string content = content_of(good);
  std::mt19937_64 random(20261121);
  std::map<int, int> outcomes;
  for (int i = 0; i < variant_count(); ++i) {
    const size_t at = random() % content.size();
    const char change = static_cast<char>(1 + random() % 255);
    std::string variant = content;
    variant[at] = static_cast<char>(variant[at] ^ change);
    std::ofstream(bad, std::ios::binary) << variant;
    const int outcome = outcome_of(bad);
    ++outcomes[outcome];
    if (outcome == died || outcome == out_of_time || outcome == wrong_size || outcome == foreign_exception ||
        outcome == died_in_library)
      report(i, at, change, outcome, variant);
  }
  BOOST_TEST_MESSAGE(variant_count() << " variants: " << outcomes[all_read] << " read whole, "
                                     << outcomes[part_failed] << " with failing parts, " << outcomes[refused]
                                     << " do not open, " << outcomes[died_in_library]
                                     << " crash or hang inside libhdf5");
  return outcomes;
}

// max_in_library: the number of kMaxVariants that libhdf5 1.10.8 does not survive.
void check_survival(std::map<int, int> outcomes, int max_in_library) {
  BOOST_TEST(outcomes[wrong_size] == 0);
  BOOST_TEST(outcomes[died] == 0);
  BOOST_TEST(outcomes[out_of_time] == 0);
  BOOST_TEST(outcomes[foreign_exception] == 0);
  if (variant_count() <= kMaxVariants) BOOST_TEST(outcomes[died_in_library] <= max_in_library);
}

BOOST_AUTO_TEST_SUITE(damage_hdf5)

BOOST_AUTO_TEST_CASE(one_changed_byte_never_kills_the_reader) {
  check_survival(outcomes_of(write_store), 0);
}

BOOST_AUTO_TEST_CASE(changed_byte_in_dense_links_fails_only_in_libhdf5) {
  check_survival(outcomes_of(write_dense_store), 21);
}

BOOST_AUTO_TEST_CASE(one_changed_byte_in_filtered_chunks_never_kills_the_reader) {
  check_survival(outcomes_of(write_filtered_store), 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::damage
