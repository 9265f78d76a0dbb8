// How the values of a column are shown, by its logical type.
#pragma once

#include "formats/containers/parquet/leaf.h"

namespace plainfs::parquet {

struct ShownForm {
  LeafForm form;
  bool is_number_text = false;  // the text of a decimal, which is a number in JSON
  // Bytes of unknown meaning: text if all values of the column are, otherwise hex.
  bool is_undecided = false;
};

// Returns the form of a leaf. is_wkb: the file states that it has geometries. Throws damaged if its logical
// type is impossible for its physical one, unsupported if its unit is unknown.
ShownForm shown_form(const Column& column, bool is_wkb);

// Returns whether the texts are UTF-8 without control characters other than TAB, LF and CR.
bool are_plain_texts(const Elements& texts);
// Returns the texts as lower-case hex, missing ones as they are.
Elements as_hex(const Elements& texts);

}  // namespace plainfs::parquet
