// Files and directories of other programs, each implemented in the file of its name. Others have separate
// headers: rds.h, parquet.h, tenx_h5.h, big_wig.h, picture.h, bgzf.h.
#pragma once

#include <functional>
#include <string_view>

#include "formats/core/cf/dataset.h"
#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/model/seurat_object.h"
#include "fs/native/byte_layout.h"
#include "fs/text/view_entry.h"

namespace plainfs {

// Returns an annotated matrix as AnnData's .h5ad in the encoding of anndata 0.8, which all later versions
// read. Reads the lengths of all texts, and checks the tables for missing values.
ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context);
// Returns the .h5ad as anndata writes it with compression="gzip": datasets in chunks, texts of any length,
// codes as small as pandas stores them.
std::unique_ptr<const PackedForm> packed_h5ad(const AnnotatedMatrix& matrix, Context& context);

// The largest chunk of anndata_zarr().
struct ZarrLimits {
  uint64_t numbers = 131072;           // elements of rank 1
  uint64_t texts = 65536;              // elements
  uint64_t columns = 256;              // along the second axis
  uint64_t bytes = uint64_t{1} << 20;  // for rank 2 and higher
};
// Returns an annotated matrix as AnnData's Zarr of version 2, with the same elements as its .h5ad: what
// anndata 0.8 writes with zarr-python 2 and no compressor. make: called when the directory is first entered.
// An element is read when its own directory is.
ListEntries anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits = {});

// Returns a Seurat object held by a store, as an .rds file: what saveRDS(x, compress = FALSE) of R 4.2 writes
// for the object that Seurat 4.3 builds from the same parts. Seurat 4 and 5 read it. Keys and identities
// missing from the store are generated as Seurat does. Throws unsupported if Seurat refuses names, damaged if
// parts do not fit.
ByteLayout seurat_rds(SeuratObject object, Context& context);
// Returns a Seurat object built from annotated matrices (fs/native/seurat_parts.h).
ByteLayout seurat_rds(const JointMatrices& joint, Context& context);

// Returns a sparse matrix as the directory of BPCells, unpacked, in its version 2, for open_matrix_dir.
// Values are uint if they are non-negative integers that fit, otherwise float or double; the values are
// searched if their type does not decide it. Indices ascend in each column (or in each row of a matrix stored
// by row), as BPCells requires. Names that do not fit are left out. Reading throws damaged if the parts do
// not fit or an entry is duplicated, and unsupported if BPCells cannot represent a value or name.
ListEntries bpcells_directory(const SparseMatrix& matrix, Context& context);

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

// CF data as NetCDF classic files, which CDO, NCO, GDAL, R and every other reader of NetCDF open.

// Returns whether NetCDF classic has a type for the values of a variable.
bool has_netcdf(const CfVariable& variable);
// Returns whether a variable with an axis has such a type.
bool has_netcdf(const CfDataset& dataset);

// Returns all variables of a dataset in one file. Reads the values of 64-bit integers (of up to 2^20
// elements) and the lengths of texts. Throws unsupported if two variables have over 2^32 - 4 bytes, or a
// dimension is too long.
ByteLayout netcdf_file(const CfDataset& dataset, Context& context);
// Returns one variable after the variables that it refers to: coordinates, bounds, grid mapping and the like.
// Throws as above, and unsupported if the values of the variable do not fit.
ByteLayout netcdf_file(const CfDataset& dataset, const CfVariable& variable, Context& context);

// Images in the formats that microscopy programs open.

// Returns whether OME-TIFF supports the pixels and the size. A damaged image has a file too, which reports
// the error.
bool has_ome_tiff(const Image& image);
// Returns all levels as a tiled BigTIFF: one directory per plane (z, then c, then t), with levels as its
// subdirectories. software: the name of the writing program. Requires: has_ome_tiff(). Throws the image's
// error. Reads nothing.
ByteLayout ome_tiff(const Image& image, std::string_view software);
// Returns the largest level for programs that support neither BigTIFF nor tiles: TIFF 6.0 in strips, one
// directory per plane in ImageJ's order (c, then z, then t), with a description that ImageJ opens as a
// hyperstack. Otherwise like ome_tiff(). Throws unsupported if it would have 4 GiB or more.
ByteLayout imagej_tiff(const Image& image, std::string_view software);

}  // namespace plainfs
