// An annotated matrix as the elements of an AnnData, in the encoding of anndata 0.8.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/containers/hdf5/library/skeleton.h"
#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"

namespace plainfs {

using AnnDataAttributes = std::vector<hdf5::SkeletonAttribute>;

// Where the elements are put: groups and arrays under paths, in whatever a file or folder of AnnData's is
// made of.
class AnnDataLayout {
 public:
  virtual ~AnnDataLayout() = default;

  // "/obs": before what is in it.
  virtual void group(const std::string& path, AnnDataAttributes attributes) = 0;
  // Gives a group that was put other attributes.
  virtual void change_group(const std::string& path, AnnDataAttributes attributes) = 0;
  // An array of values' shape (as users see it, in C order): numbers and truth values in their own type,
  // everything else as text. A missing text is NA, a missing real NaN.
  virtual void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) = 0;
  // The same as text, whatever they are.
  virtual void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) = 0;
  // Integers of so many bytes.
  virtual void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                        AnnDataAttributes attributes) = 0;
  // Places among so many categories, -1 where there is none.
  virtual void codes(const std::string& path, const ArrayPtr& values, uint64_t categories,
                     AnnDataAttributes attributes) = 0;

  // Puts what put() puts at path and below, on a layout of this kind: now, or when it is asked for. Returns
  // why the layout cannot hold it, if that is known by now; then nothing of it was put.
  using Put = std::function<void(AnnDataLayout& out)>;
  virtual std::optional<Error> part(const std::string& path, Put put) = 0;
  // The same of what no reader is to come to by itself: only where names can be found that are not listed.
  virtual void unlisted_part(const std::string&, const Put&) {}
};

// How many bytes pandas takes for a code of so many categories.
uint32_t bytes_of_codes(uint64_t categories);

// Looks through texts and for missing values in the tables where out has its parts put. A column, a layer and
// the like that out cannot hold is left out, which is logged; of columns of one name the later ones get .1,
// .2, …. Throws damaged if the parts do not fit each other, and unsupported if X or the names of an axis are
// such.
void put_anndata(const AnnotatedMatrix& matrix, Context& context, AnnDataLayout& out);

}  // namespace plainfs
