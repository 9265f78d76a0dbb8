#include "formats/containers/hdf5/global_heap.h"

#include <boost/test/unit_test.hpp>
#include <fstream>

#include "formats/containers/hdf5/stored_elements.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::hdf5 {
namespace {

void put(std::string& out, uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i));
}

std::string object(unsigned index, const std::string& text) {
  std::string out;
  put(out, index, 2);
  put(out, 1, 2);  // reference count
  put(out, 0, 4);
  put(out, text.size(), 8);
  out += text;
  out.resize((out.size() + 7) / 8 * 8);
  return out;
}

// Returns a collection of those objects, followed by `free_bytes` of free space.
std::string collection(const std::string& objects, uint64_t free_bytes = 32) {
  std::string out("GCOL\1\0\0\0", 8);
  put(out, 16 + objects.size() + free_bytes, 8);
  out += objects;
  std::string free;
  put(free, 0, 8);
  put(free, free_bytes, 8);
  free.resize(free_bytes);
  return out + free;
}

std::string reference(uint64_t length, uint64_t address, uint64_t index) {
  std::string out;
  put(out, length, 4);
  put(out, address, 8);
  put(out, index, 4);
  return out;
}

// A file that consists of heap alone, after a user block of 64 bytes.
struct HeapFile {
  explicit HeapFile(const std::string& content, FileLayout layout = {64, 8, 8}) {
    std::ofstream(directory.path("heap"), std::ios::binary) << std::string(64, 'u') << content;
    heap.emplace(context.files.open(directory.path("heap")), layout, context.context);
  }

  Elements texts(const std::string& references) {
    StoredType type;
    type.form = StoredType::Form::text;
    type.size = 16;
    type.dtype = text_type();
    const ByteSpan bytes = as_byte_span(references);
    return decode(type, Bytes(bytes.begin(), bytes.end()), references.size() / 16,
                  {*heap, [](uint64_t) { return std::string("/x"); }});
  }

  TemporaryDirectory directory;
  TestContext context;
  std::optional<GlobalHeap> heap;
};

auto mentions(std::string_view words) {
  return [words](const Error& error) {
    BOOST_TEST_MESSAGE(error.what());
    return error.code() == Errc::damaged &&
           std::string_view(error.what()).find(words) != std::string_view::npos;
  };
}

BOOST_AUTO_TEST_SUITE(hdf5_global_heap)

BOOST_AUTO_TEST_CASE(strings_are_found_after_the_user_block) {
  // At address 8, because an address of 0 is null.
  HeapFile file("padding." + collection(object(1, "first") + object(2, "") + object(7, "last")));
  const Elements texts =
      file.texts(reference(5, 8, 1) + reference(0, 0, 0) + reference(4, 8, 7) + reference(3, 8, 7));
  BOOST_TEST(texts.text(0) == "first");
  BOOST_TEST(texts.text(1) == "");
  BOOST_TEST(texts.text(2) == "last");
  BOOST_TEST(texts.text(3) == "las");
}

BOOST_AUTO_TEST_CASE(strings_lose_only_one_terminator) {
  HeapFile file("padding." + collection(object(1, std::string("ab\0c", 4))));
  BOOST_TEST(file.texts(reference(4, 8, 1)).text(0) == std::string("ab\0c", 4));
  BOOST_TEST(file.texts(reference(3, 8, 1)).text(0) == "ab");
}

BOOST_AUTO_TEST_CASE(broken_references_are_damage) {
  HeapFile file("padding." + collection(object(1, "abc")));
  BOOST_CHECK_EXCEPTION(file.texts(reference(4, 8, 1)), Error, mentions("has 3 bytes, expected 4"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, 8, 2)), Error, mentions("global heap object 2 is missing"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, 8, 0)), Error, mentions("global heap object 0 is missing"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, 9, 1)), Error, mentions("not a global heap collection"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, 1 << 20, 1)), Error, mentions("beyond the file's end"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, ~uint64_t{0}, 1)), Error, mentions("over 64 bits"));
  BOOST_CHECK_EXCEPTION(file.texts(reference(3, 0, 1)), Error, mentions("null address"));
}

BOOST_AUTO_TEST_CASE(broken_collections_are_damage) {
  const std::string good = collection(object(1, "abc"));
  std::string longer = good;
  longer[8] = '\x7f';
  BOOST_CHECK_EXCEPTION(HeapFile("padding." + longer).texts(reference(3, 8, 1)), Error,
                        mentions("invalid size"));
  std::string version = good;
  version[4] = 2;
  BOOST_CHECK_EXCEPTION(HeapFile("padding." + version).texts(reference(3, 8, 1)), Error,
                        mentions("version 2"));
  std::string object_size = good;
  object_size[16 + 8 + 3] = 1;
  BOOST_CHECK_EXCEPTION(HeapFile("padding." + object_size).texts(reference(3, 8, 1)), Error,
                        mentions("expected"));
  const std::string twice = collection(object(1, "abc") + object(1, "abc"));
  BOOST_CHECK_EXCEPTION(HeapFile("padding." + twice).texts(reference(3, 8, 1)), Error, mentions("repeated"));
}

BOOST_AUTO_TEST_CASE(one_object_named_a_thousand_times_does_not_multiply_memory) {
  HeapFile file("padding." + collection(object(1, std::string(5000, 'x'))));
  std::string references;
  for (int i = 0; i < 1000; ++i) references += reference(5000, 8, 1);
  BOOST_CHECK_EXCEPTION(file.texts(references), Error, mentions("larger than the file"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace plainfs::hdf5
