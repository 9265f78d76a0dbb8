// Messages between the daemon and libhdf5's process, in both directions, intact and altered.
#include "formats/containers/hdf5/process/answers.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

#include "formats/containers/hdf5/global_heap.h"
#include "formats/containers/hdf5/library/inside_file.h"
#include "formats/containers/hdf5/process/known_objects.h"
#include "formats/containers/hdf5/stored_elements.h"
#include "tests/support/mentions.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"
#include "tests/unit/hdf5/rich_file.h"

namespace plainfs::hdf5 {
namespace {

struct Fixture {
  Fixture() { write_rich_file(directory.path(), "a.h5"); }

  TemporaryDirectory directory;
  TestContext context;
  std::vector<uint64_t> addresses(const LibraryFile& file) {
    std::vector<uint64_t> all;
    for (const uint64_t group : {file.root_address(), file.find_link(file.root_address(), "group")->address})
      for (const StoredLink& link : file.links(group))
        if (link.kind == StoredLink::Kind::hard) all.push_back(link.address);
    return all;
  }
};

// Checks that writing, reading and writing `value` again gives the same bytes. Then reads it with each byte
// changed and with its end truncated, and calls `use` with each readable result.
template <class Value, class Use>
void check_message(const Value& value, const FileLayout& layout, Use&& use) {
  Writer out, again;
  out(value);
  Reader in(out.bytes(), layout);
  again(in.read<Value>());
  BOOST_TEST(in.at_end());
  BOOST_TEST((out.bytes() == again.bytes()));
  std::mt19937 random(7);
  const auto try_bytes = [&](const Bytes& bytes) {
    try {
      use(Reader(bytes, layout).read<Value>());
    } catch (const Error&) {
    }
  };
  for (size_t at = 0; at < out.bytes().size(); ++at) {
    Bytes changed = out.bytes();
    for (const unsigned byte : {0U, 1U, 0x7fU, 0xffU, static_cast<unsigned>(random() % 256)}) {
      changed[at] = static_cast<std::byte>(byte);
      try_bytes(changed);
    }
    try_bytes({out.bytes().begin(), out.bytes().begin() + static_cast<ptrdiff_t>(at)});
  }
}

// Returns whether each enumeration in a type is one of integers.
bool has_integers_as_bases(const DType& type) {
  if (type.kind == Kind::enumeration && type.base != Kind::integer && type.base != Kind::unsigned_integer)
    return false;
  return (!type.item || has_integers_as_bases(*type.item)) &&
         std::all_of(type.fields.begin(), type.fields.end(),
                     [](const Field& field) { return has_integers_as_bases(field.type); });
}

BOOST_FIXTURE_TEST_SUITE(hdf5_answers, Fixture)

BOOST_AUTO_TEST_CASE(objects_and_types_arrive_whole_or_fail) {
  const InsideFile file(directory.path("a.h5"), context);
  const GlobalHeap heap(file.bytes(), file.layout(), context);
  const Pointees pointees{heap, [](uint64_t) { return std::optional<std::string>("/x"); }};
  // The next step: decodes elements of that type.
  const auto use = [&](const StoredObjectFacts& object) {
    const StoredExtent& extent = object.dataset.extent;
    if (!has_integers_as_bases(extent.type.dtype)) BOOST_ERROR("an enumeration without integers");
    if (object.kind != ObjectKind::dataset || object.dataset.error || extent.type.size > 4096) return;
    decode(extent.type, Bytes(2 * extent.type.size, std::byte{0}), 2, pointees);
    decode(extent.type, Bytes(2 * extent.type.size, std::byte{1}), 2, pointees);
  };
  for (const uint64_t address : addresses(file)) check_message(file.object(address), file.layout(), use);
}

BOOST_AUTO_TEST_CASE(links_attributes_and_errors_arrive_whole_or_fail) {
  const InsideFile file(directory.path("a.h5"), context);
  const auto nothing = [](const auto&) {};
  for (const StoredLink& link : file.links(file.root_address())) check_message(link, {}, nothing);
  for (const uint64_t address : {file.root_address(), file.find_link(file.root_address(), "group")->address})
    for (const StoredAttribute& attribute : file.attributes(address))
      check_message(attribute, file.layout(), nothing);
  check_message(std::optional(unsupported("a thing")), {}, nothing);
  check_message(StoredChunkBytes{Bytes(5), 3}, {}, nothing);
  check_message(OpenedFacts{{0, 8, 8}, 3, 96, 12345}, {}, nothing);
}

BOOST_AUTO_TEST_CASE(known_objects_arrive_whole_or_fail) {
  const InsideFile file(directory.path("a.h5"), context);
  std::vector<uint64_t> objects = addresses(file);
  objects.push_back(file.root_address());
  const auto write = [&](Writer& out, uint64_t address) { out(address, file.known(address)); };
  for (const uint64_t address : objects) {
    const auto write_again = [&](Writer& out, const KnownObjects& known) {
      out(address,
          KnownObject{known.object(address).value(), known.links(address), known.attributes(address)});
    };
    Writer out, again;
    write(out, address);
    Reader in(out.bytes(), file.layout());
    write_again(again, KnownObjects(in));
    BOOST_TEST((out.bytes() == again.bytes()));
    for (size_t at = 0; at < out.bytes().size(); ++at) {
      for (const unsigned byte : {0U, 1U, 0x7fU, 0xffU}) {
        Bytes changed = out.bytes();
        changed[at] = static_cast<std::byte>(byte);
        Reader hostile(changed, file.layout());
        try {
          const KnownObjects known(hostile);
          // A valid answer can be read again.
          BOOST_CHECK_NO_THROW(known.object(address));
          BOOST_CHECK_NO_THROW(known.find_link(address, "nothing"));
          BOOST_CHECK_NO_THROW(known.attributes(address));
        } catch (const Error&) {
        }
      }
      Reader cut(ByteSpan(out.bytes()).first(at), file.layout());
      if (at > 0) BOOST_CHECK_THROW(KnownObjects{cut}, Error);
    }
  }
}

BOOST_AUTO_TEST_CASE(excessive_or_repeated_known_objects_fail) {
  const InsideFile file(directory.path("a.h5"), context);
  const auto read = [&](const Bytes& bytes) {
    Reader in(bytes, file.layout());
    return KnownObjects(in);
  };
  BOOST_CHECK_EXCEPTION(read(Bytes(kMaxOfTree + 1)), Error, mentions("expected at most"));
  Writer out;
  for (int i = 0; i < 2; ++i) out(file.root_address(), file.known(file.root_address()));
  BOOST_CHECK_EXCEPTION(read(out.bytes()), Error, mentions("two objects"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
