// The content of a page, before it becomes HTML or JSON: sections in the order of display. All text is as the
// store has it, and escaped when it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "formats/core/model/node.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/model/statistics.h"
#include "fs/serve/site/folder.h"

namespace plainfs::serve {

// A fact about the subject: "cells", "60,000".
struct Fact {
  std::string name;
  std::string value;
};

// One form of the subject of a page: "csv", at an address relative to the page.
struct TakeAs {
  std::string label;
  std::string href;
  std::optional<uint64_t> size{};  // if it is known or cheap to find out
  std::string fault{};             // why it cannot be read, if that is known; it is then no link
};

// The parts of a store that one of its files does not have.
struct LeftOut {
  std::string file;                // "RNA.h5ad"
  std::vector<std::string> lines;  // "/assays/ADT: not in RNA.h5ad"
  uint64_t more = 0;               // number of further lines
};

// A member below the subject, with the forms in which it can be taken.
struct ContentRow {
  std::string name;
  std::string href;
  std::string kind;
  std::string shape;
  std::vector<TakeAs> views{};
};

// A column of a table: its type, and the levels of a factor.
struct ColumnFact {
  std::string name;
  std::string type;
  std::string levels{};
};

// The first rows or entries of an array or table.
struct Grid {
  struct Header {
    std::string name;
    bool is_number = false;
    std::string href{};     // a link that sorts by it; empty: none
    std::string mark{};     // of the current order
    std::string summary{};  // of the whole column
  };
  struct Cell {
    std::string text;
    bool is_missing = false;
    std::string href{};  // empty: no link
  };
  std::string caption;
  bool has_names = true;  // the first cell of a row is the name of the row
  const char* heading = "Rows";
  const char* key = "first_rows";  // in JSON
  std::vector<Header> header{};
  std::vector<std::vector<Cell>> rows{};
};

// A picture. html: generated here and escaped.
struct Figure {
  std::string title;
  std::string html;
  std::string caption;
};

// A row of a distribution: the cells of one level, or those without a level.
struct LevelRow {
  std::string name;  // empty for the cells without a level
  bool is_missing = false;
  std::string href{};  // empty: none
  uint64_t cells = 0;
  Statistics numbers{};         // of the cells' values, if the distribution has numbers
  std::vector<double> shape{};  // counts over even steps, the same for each level
};

// Numbers of cells by the levels of a column. Without numbers, the count of cells in each level.
struct Distribution {
  std::string of;  // "CD3E"
  std::string by;  // "cell_type"
  bool has_numbers = true;
  uint64_t cells = 0;  // all, also those of levels left out
  std::vector<LevelRow> rows{};
  uint64_t more = 0;         // number of levels left out: the smallest, or those with the lowest means
  std::string shape_text{};  // what the shapes of the rows show
  std::string matrix{};      // of a gene, if there are several: "raw"
};

// The text to type to read the subject: "R", "x <- readRDS(…)".
struct Instruction {
  std::string program;
  std::string text;
};

// A field of a form: a choice among options, or a text with suggestions.
struct FormField {
  struct Option {
    std::string value;
    std::string text;
  };
  std::string label;
  std::string name;
  std::string value;
  std::vector<Option> options{};
  bool is_choice = false;
  bool is_number = false;
};

// Fields that together form the query of the page's address.
struct Form {
  std::vector<FormField> fields;
  std::vector<std::pair<std::string, std::string>> hidden{};  // sent unchanged
};

// Links to the same page with another choice: "Genes", "CD3E".
struct Picks {
  std::string text;
  std::vector<TakeAs> links;
  std::string current{};  // label of the current choice
};

// A part of the address that matches nothing, and the nearest alternatives.
struct Problem {
  std::string text;
  std::vector<TakeAs> near{};
};

// The links to the other pages of a long list of `all` items called `what`. This page begins with item
// `from`, as ?from= gives it.
struct Pager {
  Query query;
  const char* what;
  uint64_t from, on_page, all;
};

// A store in a folder of stores.
struct StoreCard {
  std::string name;
  std::string href;
  std::string kind;
  std::string what;
  std::string error{};      // why it does not open; empty: it does
  std::string thumbnail{};  // generated HTML
  std::optional<uint64_t> size{};
  std::string date{};
};

// A heading, and below it the forms in which something can be taken.
struct Forms {
  std::string heading;
  std::vector<TakeAs> forms;
  const char* key = nullptr;  // in JSON; null: it has none
};

// The numbers of a page as a table, to be sent in place of it as a file: "markers.csv", "markers.xlsx".
struct Attachment {
  std::string name;  // without an ending
  Table table;
};

struct Contents {
  std::vector<ContentRow> rows;
  bool is_cut = false;  // some members are left out
};

struct OpenWithLines {
  std::vector<Instruction> lines;
  std::vector<TakeAs> viewers;
};

struct Section;

// Sections beside others, or below them if the page is narrow.
struct SideBySide {
  std::vector<Section> first, second;
};

struct Section {
  // Distributions are those of several genes by one column, with the same levels in one order.
  // Lists of rows are names of a very long list, facts are attributes, and entries are all names of the
  // folder.
  std::variant<Form, std::vector<Picks>, Figure, Distribution, Grid, Pager, std::vector<StoreCard>,
               std::vector<ContentRow>, Forms, Attachment, LeftOut, Contents, OpenWithLines,
               std::vector<Distribution>, std::vector<ColumnFact>, std::vector<Fact>,
               std::vector<FolderEntry>, SideBySide>
      content;

  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(content);
  }
};

struct PageModel {
  template <class Kind>
  void add(Kind section) {
    sections.push_back({std::move(section)});
  }

  // Returns the first section of a kind, or null.
  template <class Kind>
  const Kind* find() const {
    for (const Section& section : sections)
      if (section.is<Kind>()) return &std::get<Kind>(section.content);
    return nullptr;
  }

  std::string title;
  std::string sub;
  std::string shown{};  // what the address asks for, "CD3E"; empty: the page itself
  std::string kind;
  std::vector<Fact> facts;
  std::vector<std::string> notes;  // parts that could not be read, and why
  std::vector<Problem> problems;
  std::vector<Section> sections;  // below the facts, the notes and the problems
  int status = 200;               // of the reply
  bool has_script = false;        // of the cells
};

}  // namespace plainfs::serve
