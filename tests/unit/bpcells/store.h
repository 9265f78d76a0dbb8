// Shared helpers for tests of BPCells stores: small stores, arrays in memory, and arrays as vectors.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/containers/bpcells/directory.h"
#include "formats/schemas/bpcells/schema.h"
#include "tests/support/bpcells_writer.h"
#include "tests/support/probe.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_context.h"

namespace plainfs::bpcells {

template <class T>
DType type_of() {
  const Kind kind = std::is_floating_point_v<T> ? Kind::real
                    : std::is_signed_v<T>       ? Kind::integer
                                                : Kind::unsigned_integer;
  return number_type(kind, sizeof(T));
}

template <class T>
ArrayPtr memory_array(const std::vector<T>& values) {
  Elements elements;
  elements.count = values.size();
  elements.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(elements.bytes.data(), values.data(), elements.bytes.size());
  return std::make_shared<MemoryArray>(type_of<T>(), Shape{values.size()}, std::move(elements));
}

template <class T>
std::vector<T> numbers(const ArrayPtr& array) {
  BOOST_REQUIRE(array->dtype() == type_of<T>());
  const Elements elements = read_all(*array);
  const auto values = elements.values<T>();
  return {values.begin(), values.end()};
}

inline std::vector<std::string> texts(const ArrayPtr& array) {
  BOOST_REQUIRE(array->dtype().kind == Kind::text);
  const Elements elements = read_all(*array);
  std::vector<std::string> values;
  for (uint64_t i = 0; i < elements.count; ++i) values.emplace_back(elements.text(i));
  return values;
}

// Requires that call() throws an Error of that code with a message that contains `words`.
inline void require_error(Errc code, const std::string& words, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    BOOST_TEST((error.code() == code));
    BOOST_TEST(std::string(error.what()).find(words) != std::string::npos,
               "\"" << error.what() << "\" does not contain \"" << words << "\"");
    return;
  }
  BOOST_ERROR("no error, expected: " << words);
}

inline Node open_refined(const std::string& directory, Context& context) {
  const Store store = open_directory(look_at(directory), context);
  std::optional<Node> node = bpcells::refine(store.root, context);
  BOOST_REQUIRE(node.has_value());
  return *node;
}

// 40 rows, 30 columns, 600 entries: five blocks, the last one short; all widths from few bits on.
template <class T = uint32_t>
bpcells_writer::Matrix<T> small_matrix() {
  bpcells_writer::Matrix<T> matrix;
  matrix.rows = 40;
  matrix.columns = 30;
  matrix.idxptr.push_back(0);
  for (uint32_t column = 0; column < 30; ++column) {
    for (uint32_t i = 0; i < 20; ++i) {
      matrix.index.push_back(2 * i + column % 2);
      matrix.val.push_back(static_cast<T>(1 + i * column % 17));
    }
    matrix.idxptr.push_back(matrix.index.size());
    matrix.col_names.push_back("cell" + std::to_string(column));
  }
  for (uint32_t row = 0; row < 40; ++row) matrix.row_names.push_back("gene" + std::to_string(row));
  return matrix;
}

// Two chromosomes, 300 fragments.
inline bpcells_writer::Fragments small_fragments() {
  bpcells_writer::Fragments fragments;
  for (uint32_t i = 0; i < 300; ++i) {
    const uint32_t start = i < 200 ? 10 * i : 7 * (i - 200);
    fragments.start.push_back(start);
    fragments.end.push_back(start + 50 + i % 13);
    fragments.cell.push_back(i % 5);
  }
  fragments.chr_ptr = {0, 200, 200, 300};
  fragments.cell_names = {"a", "b", "c", "d", "e"};
  fragments.chr_names = {"chr1", "chrX"};
  return fragments;
}

// A group of arrays in memory.
class MemoryGroup : public Group {
 public:
  std::vector<std::pair<std::string, ArrayPtr>> arrays;
  Attributes attributes_shown;
  std::string place = "/";

  std::vector<Member> members() const override {
    std::vector<Member> all;
    for (const auto& [name, array] : arrays) {
      Member member{name, {}};
      member.node.content = LabelledArray{array, nullptr, nullptr};
      all.push_back(std::move(member));
    }
    return all;
  }
  Attributes attributes() const override { return attributes_shown; }
  GroupPtr parent() const override { return nullptr; }
  std::string path() const override { return place; }

  void set(const std::string& name, ArrayPtr array) {
    for (auto& [known, value] : arrays) {
      if (known == name) {
        value = std::move(array);
        return;
      }
    }
    arrays.emplace_back(name, std::move(array));
  }
};

}  // namespace plainfs::bpcells
