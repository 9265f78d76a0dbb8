// The files of an array: text, the bytes of its elements, MATLAB's variable.
#pragma once

#include <memory>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/layout/byte_layout.h"
#include "fs/text/text_file.h"
#include "fs/views/file_rows.h"

namespace plainfs {

// Returns an array as CSV (fs/VIEWS.md, section 3): one element per line at rank 0 and 1, one row per line at
// rank 2; at higher ranks the lines run over all indices but the last, in order. With names, it has a header
// and a name before each line. Requires: array.values has no compounds as elements.
std::unique_ptr<TextSource> csv_array(LabelledArray array, Context& context);

// Returns an array of numbers as a MAT-file of version 5, which MATLAB, Octave and scipy.io.loadmat open: one
// variable, `data`, not compressed, so that its size follows from the shape. Source: "MAT-File Format", The
// MathWorks, chapter 1, level 5. In column order; rank 0 becomes 1 x 1, rank 1 a column. Integers and reals
// keep their type, reals of 16 bits become reals of 32, booleans become logical. Integers that may be missing
// become doubles with NaN. Throws unsupported if the variable would have 2^31 bytes or more, the limit of the
// format.
ByteLayout array_mat(const ArrayPtr& array, Context& context);
// Returns whether the array has a MAT-file: integers, reals or booleans, and not a null dataspace. Booleans
// and integers of 64 bits that may be missing have none.
bool has_mat(const Array& array);

// NAME.csv of an array of numbers or texts, and of one of compounds, which are rows of a table. It is found
// by name alone if the array has over 2^36 values.
std::unique_ptr<TextSource> csv_of_array(const LabelledArray& array, Context& context);
bool is_too_long_to_list(const LabelledArray& array);
void offer_csv_of_array(const FileRow& row, const Node& node, Context& context, Files& files);
// NAME.npy, and NAME.bin without the header.
template <bool with_header>
void offer_array_bytes(const FileRow& row, const Node& node, Context& context, Files& files);
void offer_mat(const FileRow& row, const Node& node, Context& context, Files& files);

}  // namespace plainfs
