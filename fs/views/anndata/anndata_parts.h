// An annotated matrix as the elements of an AnnData, in the encoding of anndata 0.8.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/annotated/mudata_parts.h"
#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/contents/annotated_matrix.h"
#include "formats/core/model/context.h"

namespace plainfs {

using AnnDataAttributes = std::vector<hdf5::SkeletonAttribute>;

// The destination of the elements: groups and arrays at paths, in any kind of AnnData file or folder.
class AnnDataLayout {
 public:
  virtual ~AnnDataLayout() = default;

  // Adds the group "/obs", for example. Must be called before its members are added.
  virtual void group(const std::string& path, AnnDataAttributes attributes) = 0;
  // Replaces the attributes of a group that was added.
  virtual void change_group(const std::string& path, AnnDataAttributes attributes) = 0;
  // Adds an array with the shape of `values` (as users see it, in C order): numbers (also complex ones) and
  // booleans in their own type, everything else as text. A missing text is NA, a missing real NaN.
  virtual void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) = 0;
  // Adds an array with all values as text.
  virtual void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) = 0;
  // Adds an array of integers of `bytes` bytes each.
  virtual void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                        AnnDataAttributes attributes) = 0;
  // Adds an array of codes for `categories` categories, -1 if missing.
  virtual void codes(const std::string& path, const ArrayPtr& values, uint64_t categories,
                     AnnDataAttributes attributes) = 0;

  // Adds an array of records.
  virtual void records(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) = 0;
  // Adds an element without a value.
  virtual void empty(const std::string& path, AnnDataAttributes attributes) = 0;

  // Adds what put() puts at `path` and below, on a layout of this kind: now, or on first use. Returns the
  // reason if it is already known that the layout cannot hold it; then nothing was added.
  using Put = std::function<void(AnnDataLayout& out)>;
  virtual std::optional<Error> part(const std::string& path, Put put) = 0;
  // Adds such a part now, because its values decide whether the layout can hold it.
  virtual std::optional<Error> part_now(const std::string& path, Put put) {
    return part(path, std::move(put));
  }
  // Adds a part that readers do not find by themselves, like part(). Does nothing in layouts that cannot have
  // unlisted names.
  virtual void unlisted_part(const std::string&, const Put&) {}
};

// Returns the number of bytes that pandas uses for a code of `categories` categories.
uint32_t bytes_of_codes(uint64_t categories);

// Puts `matrix` into `out`. Reads texts, and checks tables for missing values, when `out` adds the parts that
// contain them. A column, layer or similar element that `out` cannot hold is left out and logged. Later
// columns of the same name get .1, .2, and so on. Throws damaged if the parts do not fit each other, and
// unsupported if `out` cannot hold X or the names of an axis. Logs each part of the store that is not in the
// file (formats/annotated/left_out.h). file: what these lines call it, "the .h5ad".
void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out,
                 const std::string& file = "the .h5ad");

// Puts a MuData, as put_anndata() does an AnnData. Returns the names of the modalities: one that cannot be
// the name of a group is changed and logged.
std::vector<std::string> put_mudata(const MuDataParts& parts, Context& context, AnnDataLayout& out);

}  // namespace plainfs
