// What a page says, before it is HTML or JSON. All of it is text as the store has it, escaped where
// it is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fs/serve/folder.h"

namespace plainfs::serve {

// "cells", "60,000"
struct Fact {
  std::string name;
  std::string value;
};

// One form of what the page is about: "csv", at an address that is relative to the page.
struct TakeAs {
  std::string label;
  std::string href;
  std::optional<uint64_t> size{};  // known, or little to find out
};

// Something below, and what it can be taken as.
struct ContentRow {
  std::string name;
  std::string href;
  std::string kind;
  std::string shape;
  std::vector<TakeAs> views{};
};

// A column of a table: what it holds, and the levels of a factor.
struct ColumnFact {
  std::string name;
  std::string type;
  std::string levels{};
};

// The first rows or entries of something.
struct Grid {
  struct Header {
    std::string name;
    bool is_number = false;
    std::string href{};     // sorts by it; empty: no link
    std::string mark{};     // of the order that is shown
    std::string summary{};  // of all that the column holds
  };
  struct Cell {
    std::string text;
    bool is_missing = false;
  };
  std::string caption;
  bool has_names = true;  // the first cell of a row is what the row is called
  std::vector<Header> header{};
  std::vector<std::vector<Cell>> rows{};
};

// A picture. html: escaped, made here.
struct Figure {
  std::string title;
  std::string html;
  std::string caption;
};

// A row of a distribution: the cells of one level.
struct LevelRow {
  std::string name;
  std::string href{};  // empty: none
  uint64_t cells = 0;
  double above = 0;  // the part of them with a value above zero
  double mean = 0, quartiles[3] = {0, 0, 0};
  std::vector<double> shape{};  // counts over even steps, the same of each level
};

// Numbers of cells by the levels of a column; without numbers how many cells each level has.
struct Distribution {
  std::string of;  // "CD3E"
  std::string by;  // "cell_type"
  bool has_numbers = true;
  std::vector<LevelRow> rows{};
  uint64_t more = 0;  // levels that are left out
};

// What to type to read it: "R", "x <- readRDS(…)".
struct Way {
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

// Fields that together are the query of the page's address.
struct Form {
  std::vector<FormField> fields;
  std::vector<std::pair<std::string, std::string>> hidden{};  // sent as they are
};

// Links to the same page with another choice: "Genes", "CD3E".
struct Picks {
  std::string words;
  std::vector<TakeAs> links;
  std::string current{};  // the label of the one that is shown
};

// A part of the address that fits nothing, and the nearest that does.
struct Problem {
  std::string text;
  std::vector<TakeAs> near{};
};

// A store of a folder of stores.
struct StoreCard {
  std::string name;
  std::string href;
  std::string kind;
  std::string what;
  std::string error{};      // why it does not open; empty: it does
  std::string thumbnail{};  // HTML, made here
  std::optional<uint64_t> size{};
  std::string date{};
};

// One page of a long list: its links to the pages before and after.
struct Pager {
  std::string words;  // "rows 1,001 to 1,100 of 20,000"
  std::vector<TakeAs> links{};
};

struct PageModel {
  std::string title;
  std::string sub;
  std::string kind;
  std::vector<Fact> facts;
  std::vector<TakeAs> views;
  std::vector<ContentRow> contents;
  bool is_cut = false;  // there is more below than contents has
  std::optional<Form> form;
  std::vector<Picks> picks;
  std::vector<Problem> problems;
  std::vector<Figure> figures;
  std::vector<Figure> beside;  // beside the figures, or below them where the page is narrow
  std::optional<Distribution> distribution;
  std::optional<Picks> downloads;  // of what is shown
  std::vector<StoreCard> stores;
  std::vector<ContentRow> names;  // of a list of very many, those of this page
  std::optional<Pager> pager;
  std::optional<Grid> first;
  std::vector<ColumnFact> columns;
  std::vector<TakeAs> by_name;  // parts that are found by their names: genes, cells, by, …
  std::vector<Way> ways;
  std::vector<TakeAs> viewers;
  std::vector<Fact> attributes;
  std::vector<std::string> notes;  // what could not be read, and why
  std::vector<FolderEntry> entries;
};

}  // namespace plainfs::serve
