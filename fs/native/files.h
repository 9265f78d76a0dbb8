// Files and directories of other programs, each in the file of its name here. Others have a header of their
// own: rds.h, parquet.h, tenx_h5.h, big_wig.h, picture.h, bgzf.h.
#pragma once

#include <functional>
#include <string_view>

#include "formats/core/model/annotated_matrix.h"
#include "formats/core/model/array.h"
#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "formats/core/model/seurat_object.h"
#include "fs/native/byte_layout.h"

namespace plainfs {

// An annotated matrix as AnnData's .h5ad in the encoding of anndata 0.8, which all later versions read. Looks
// at the lengths of all texts, and for missing values in the tables.
ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context);
// The same as anndata writes it with compression="gzip": datasets in chunks, texts of any length, codes as
// small as pandas has them.
std::unique_ptr<const PackedForm> packed_h5ad(const AnnotatedMatrix& matrix, Context& context);

// How much a chunk of anndata_zarr() holds at most.
struct ZarrLimits {
  uint64_t numbers = 131072;           // elements of rank 1
  uint64_t texts = 65536;              // elements
  uint64_t columns = 256;              // along the second axis
  uint64_t bytes = uint64_t{1} << 20;  // of rank 2 and more
};
// An annotated matrix as AnnData's Zarr of version 2, the same elements as in its .h5ad: what anndata 0.8
// writes with zarr-python 2 and no compressor. make: called when the directory is first entered. An element
// is looked at when its own directory is.
ListMade anndata_zarr(std::function<AnnotatedMatrix()> make, Context& context, ZarrLimits limits = {});

// A whole Seurat object as an .rds file, as saveRDS(x, compress = FALSE) of R 4.2 writes what Seurat 4.3
// makes of the same parts; Seurat 4 and 5 read it. Of one that a store holds; keys and identities that it
// does not tell are made as Seurat makes them. Throws unsupported where Seurat refuses names, damaged where
// parts do not fit.
ByteLayout seurat_rds(SeuratObject object, Context& context);
// The same of what an object can be made of (fs/native/seurat_parts.h).
ByteLayout seurat_rds(const JointMatrices& joint, Context& context);

// A sparse matrix as the directory of BPCells, unpacked, in its version 2: what open_matrix_dir reads. Values
// are uint where they are whole numbers that fit, which is looked for where their type does not say so, else
// float or double. In each column (row, of a matrix stored by row) the indices rise, which BPCells relies on.
// Names that do not fit are left out. Reading throws damaged where the parts do not fit or an entry is there
// twice, and unsupported where BPCells has no such value or name.
ListMade bpcells_directory(const SparseMatrix& matrix, Context& context);

// An array of numbers as a MAT-file of version 5, which MATLAB, Octave and scipy.io.loadmat open: one
// variable, `data`, not compressed, so that its size follows from the shape. Source: "MAT-File Format", The
// MathWorks, chapter 1, level 5. In column order; of rank 0 1 x 1, of rank 1 a column. Integers and reals
// keep their type, reals of 16 bits are of 32, truth values logical; integers of which some may be missing
// are doubles, NaN those. Throws unsupported where it would have 2^31 bytes or more, which the format cannot
// say.
ByteLayout array_mat(const ArrayPtr& array, Context& context);
// Whether it is of integers, reals or truth values, and no null dataspace; not where some of its truth values
// or integers of 64 bits may be missing.
bool has_mat(const Array& array);

// Images as the files that programs of microscopy open.

// Whether OME-TIFF has pixels like these, and room for them. One that is damaged has a file, to say so.
bool has_ome_tiff(const Image& image);
// All levels as a tiled BigTIFF, a directory a plane (z, then c, then t), a level a subdirectory of it.
// software: who writes it. Requires: has_ome_tiff(). Throws the image's error. Reads nothing.
ByteLayout ome_tiff(const Image& image, std::string_view software);
// The largest level for programs that read neither BigTIFF nor tiles: TIFF 6.0 in strips, a directory a plane
// in ImageJ's order (c, then z, then t) and with its description, which opens as a hyperstack there. As
// above; throws unsupported where it would have 4 GiB or more.
ByteLayout imagej_tiff(const Image& image, std::string_view software);

}  // namespace plainfs
