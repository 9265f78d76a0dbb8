// Tables and links as HTML. Texts are HTML when they are added, and addresses are escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plainfs::serve {

// Returns a link. attributes: more of its tag, " aria-current=\"true\"".
std::string link(std::string_view href, std::string_view text, std::string_view attributes = {});

struct HtmlTable {
  struct Column {
    std::string name;
    std::string kind{};  // the class of its cells; the header has it too if it is "n", for numbers
  };

  // Returns the table in an element that scrolls by itself.
  std::string html() const;

  std::string label{};            // of that element for screen readers; empty: it is no region
  std::string kind{};             // the class of the table; empty: none
  std::string caption{};          // empty: none
  std::vector<Column> columns{};  // an empty name is an ordinary cell, as screen readers need it
  std::vector<std::vector<std::string>> rows{};
  bool has_header = true;
  bool has_row_names = true;  // the first cell of a row is its name
  std::string name{};         // of the table for screen readers; empty: its caption is enough
};

}  // namespace plainfs::serve
