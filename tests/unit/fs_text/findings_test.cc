#include "fs/text/findings.h"

#include <boost/test/unit_test.hpp>
#include <thread>

namespace plainfs {
namespace {

Finding numbered(uint64_t number) {
  return {{}, {}, {number}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(findings)

BOOST_AUTO_TEST_CASE(what_was_noted_is_not_looked_for_again) {
  Notebook notebook;
  int looked = 0;
  const auto ask = [&] {
    const Notebook::Scope scope(notebook);
    const uint64_t first = noted("lengths 1", [&] { return numbered(++looked); })->numbers[0];
    const uint64_t second = noted("lengths 1", [&] { return numbered(++looked); })->numbers[0];
    const uint64_t other = noted("pointers 1", [&] { return numbered(++looked); })->numbers[0];
    return first * 100 + second * 10 + other;
  };
  BOOST_TEST(ask() == 123u);
  BOOST_TEST(ask() == 123u);
  BOOST_TEST(looked == 3);
  BOOST_TEST(notebook.all().size() == 3u);
  BOOST_TEST(notebook.all()[2]->name == "pointers 1");

  Notebook other;
  other.adopt(notebook.all());
  {
    const Notebook::Scope scope(other);
    BOOST_TEST(noted("pointers 1", [&] { return numbered(9); })->numbers[0] == 3u);
    BOOST_TEST(noted("pointers 2", [&] { return numbered(9); })->numbers[0] == 9u);
  }
  other.clear();
  BOOST_TEST(other.all().empty());
}

BOOST_AUTO_TEST_CASE(what_was_found_out_about_an_array_is_there_for_every_file_that_shows_it) {
  int looked = 0;
  const ArrayPtr names = text_array({"a", "b"});
  const auto ask = [&](const Array& array, Notebook& notebook) {
    const Notebook::Scope scope(notebook);
    return noted("lengths 1", array, [&] { return numbered(++looked); });
  };
  Notebook one, two, three;
  const FindingPtr found = ask(*names, one);
  BOOST_TEST(ask(*names, two) == found);
  BOOST_TEST(looked == 1);
  BOOST_TEST(two.all().size() == 1u);  // for the index of each
  Notebook another;
  BOOST_TEST(ask(*text_array({"a", "b"}), another)->numbers[0] == 2u);
  BOOST_TEST(noted("lengths 2", *names, [&] { return numbered(++looked); })->numbers[0] == 3u);
  {
    const Notebook::Scope scope(three);
    BOOST_CHECK_THROW(noted("pointers 1", *names, []() -> Finding { throw std::runtime_error("a disk"); }),
                      std::runtime_error);
    BOOST_TEST(noted("pointers 1", *names, [] { return numbered(7); })->numbers[0] == 7u);
  }
  // What another session has found out is for the file that it was found out for.
  Notebook adopted;
  adopted.adopt(one.all());
  const ArrayPtr again = text_array({"a", "b"});
  BOOST_TEST(ask(*again, adopted) == found);
  Notebook four;
  BOOST_TEST(ask(*again, four)->numbers[0] == 4u);
}

BOOST_AUTO_TEST_CASE(without_a_scope_nothing_is_kept) {
  int looked = 0;
  const auto ask = [&] { return noted("x 1", [&] { return numbered(++looked); })->numbers[0]; };
  BOOST_TEST(ask() == 1u);
  BOOST_TEST(ask() == 2u);
  Notebook notebook;
  const Notebook::Scope scope(notebook);
  std::thread([&] { BOOST_TEST(ask() == 3u); }).join();
  BOOST_TEST(notebook.all().empty());
  {
    Notebook inner;
    const Notebook::Scope inner_scope(inner);
    BOOST_TEST(ask() == 4u);
    BOOST_TEST(inner.all().size() == 1u);
  }
  BOOST_TEST(ask() == 5u);
  BOOST_TEST(notebook.all().size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_could_not_be_found_is_looked_for_again) {
  Notebook notebook;
  {
    const Notebook::Scope scope(notebook);
    BOOST_CHECK_THROW(noted("x 1", []() -> Finding { throw 1; }), int);
  }
  const Notebook::Scope scope(notebook);
  BOOST_TEST(noted("x 1", [] { return numbered(7); })->numbers[0] == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace plainfs
