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

// What to type to read it: "R", "x <- readRDS(…)".
struct Way {
  std::string program;
  std::string text;
};

struct PageModel {
  std::string title;
  std::string sub;
  std::string kind;
  std::vector<Fact> facts;
  std::vector<TakeAs> views;
  std::vector<ContentRow> contents;
  bool is_cut = false;  // there is more below than contents has
  std::vector<Figure> figures;
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
