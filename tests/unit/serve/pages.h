// A store in memory for tests that read its pages.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sample_arrays.h"
#include "tests/unit/serve/served.h"

namespace plainfs::serve {

inline constexpr char kHostile[] = "<script>alert(1)</script>\"'&";

inline ArrayPtr numbers(const std::vector<double>& values, Shape shape = {}) {
  const DType type = number_type(Kind::real, 8);
  Elements elements = zero_elements(type, values.size());
  std::copy(values.begin(), values.end(), elements.mutable_values<double>().begin());
  if (shape.empty()) shape = {values.size()};
  return std::make_shared<MemoryArray>(type, shape, std::move(elements));
}

inline Node table_of(std::vector<Column> columns, ArrayPtr names = nullptr) {
  Table table;
  table.rows = columns.empty() ? names->count() : columns[0].values->count();
  table.columns = std::move(columns);
  table.row_names = std::move(names);
  return {table, nullptr, {}, {}};
}

struct Pages : Served {
  std::shared_ptr<MemoryGroup> obsm;  // of add_cells()

  std::string page(const std::string& path) {
    const Answer answer = get(path, "Accept: text/html");
    BOOST_TEST(answer.status == 200, path);
    return answer.body;
  }
  Json json(const std::string& path) { return parse_json(get(path, "Accept: application/json").body); }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  // Returns whether a page has a script besides that of plainfs, which a word of the reply allows.
  static bool has_other_script(const std::string& text) {
    static const std::regex own("<script src=\"[^\"<>]*page\\.js\" nonce=\"[a-zA-Z0-9]+\" defer></script>");
    return has(std::regex_replace(text, own, "", std::regex_constants::format_first_only), "<script");
  }

  // Adds three cells with a place each, like an AnnData.
  void add_cells() {
    is_anndata = true;
    root->add("obs", table_of({{"group", text_array({"a", kHostile, "a"})}, {"count", numbers({1, 2, 3})}},
                              text_array({"c1", "c2", "c3"})));
    root->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g1", "g2"})));
    root->add("X", {LabelledArray{numbers({1, 2, 3, 4, 5, 6}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
    obsm = root->add_group("obsm");
    obsm->add("X_umap",
              {LabelledArray{numbers({0, 0, 1, 1, 2, 4}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  }
  // Adds them with a layer, and with a raw matrix of the genes g2 and g3. Values of g2: X 2, 4, 6.
  void add_cells_with_raw() {
    add_cells();
    root->add_group("layers")->add(
        "twice", {LabelledArray{numbers({2, 4, 6, 8, 10, 12}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
    const std::shared_ptr<MemoryGroup> raw = root->add_group("raw");
    raw->add("var", table_of({{"n", numbers({1, 2})}}, text_array({"g2", "g3"})));
    raw->add("X",
             {LabelledArray{numbers({20, 30, 50, 60, 80, 90}, {3, 2}), nullptr, nullptr}, nullptr, {}, {}});
  }
};

}  // namespace plainfs::serve
