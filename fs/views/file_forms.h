// The forms of the files of views, to which the rows of the table of files (views.cc) refer.
#pragma once

#include "fs/views/view.h"

namespace plainfs::forms {

inline constexpr std::string_view kCsvType = "text/csv; charset=utf-8",
                                  kTsvType = "text/tab-separated-values; charset=utf-8",
                                  kTextType = "text/plain; charset=utf-8", kJsonType = "application/json",
                                  kGzipType = "application/gzip", kHdf5Type = "application/x-hdf5",
                                  kNetCdfType = "application/x-netcdf",
                                  kParquetType = "application/vnd.apache.parquet", kPngType = "image/png",
                                  kZipType = "application/zip",
                                  kXlsxType =
                                      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

// An open connection counts against R's limit of 128.
inline constexpr OpenWith kOpenSeurat[] = {
    {"R", "readRDS({})", "con <- url({}); x <- readRDS(con); close(con)  # a Seurat object"}};
inline constexpr OpenWith kOpenRds[] = {
    {"R", "readRDS({})", "con <- url({}); x <- readRDS(con); close(con)"}};
inline constexpr OpenWith kOpenH5ad[] = {
    {"Python", "anndata.read_h5ad({}, backed=\"r\")",
     "import anndata, fsspec\nx = anndata.read_h5ad(fsspec.open({}).open())"},
    {"shell", "", "curl -O {}"}};
inline constexpr OpenWith kOpenH5mu[] = {
    {"MuData", "", "import urllib.request, mudata\nx = mudata.read_h5mu(urllib.request.urlretrieve({})[0])"}};
inline constexpr OpenWith kOpenNetCdf[] = {
    {"Python", "xarray.open_dataset({})",
     "import io, urllib.request, xarray\nx = "
     "xarray.open_dataset(io.BytesIO(urllib.request.urlopen({}).read()))"},
    {"R", "ncdf4::nc_open({})",
     "download.file({}, \"store.nc\", mode = \"wb\"); x <- ncdf4::nc_open(\"store.nc\")"},
    {"shell", "ncdump -h {}", "curl -O {}"}};
inline constexpr OpenWith kOpenOmeTiff[] = {
    {"Python", "tifffile.imread({})",
     "import io, urllib.request, tifffile\nx = "
     "tifffile.imread(io.BytesIO(urllib.request.urlopen({}).read()))"},
    {"Fiji", "File > Import > Bio-Formats: {}", ""},
    {"shell", "", "curl -O {}"}};
inline constexpr OpenWith kOpenMtx[] = {
    {"Python", "scipy.io.mmread({})",
     "import urllib.request, scipy.io\nx = scipy.io.mmread(urllib.request.urlopen({}))"},
    {"shell", "", "curl -O {}"}};
inline constexpr OpenWith kOpenNpy[] = {
    {"Python", "numpy.load({}, mmap_mode=\"r\")",
     "import io, urllib.request, numpy\nx = numpy.load(io.BytesIO(urllib.request.urlopen({}).read()))"}};
inline constexpr OpenWith kOpenCsv[] = {
    {"R", "read.csv({}{})", "x <- read.csv({}{})", ", header = FALSE, blank.lines.skip = FALSE"},
    {"Python", "pandas.read_csv({}{})", "import pandas\nx = pandas.read_csv({}{})", ", header=None"},
    {"shell", "head {}", "curl {} | head"}};
inline constexpr OpenWith kOpenTsv[] = {{"R", "read.delim({}, header = FALSE, blank.lines.skip = FALSE)",
                                         "x <- read.delim({}, header = FALSE, blank.lines.skip = FALSE)"},
                                        {"shell", "head {}", "curl {} | head"}};
inline constexpr OpenWith kOpenFragments[] = {
    {"R", "read.delim({}, header = FALSE)", "x <- read.delim({}, header = FALSE)"},
    {"Python", "pandas.read_csv({}, sep=\"\\t\", header=None)",
     "import pandas\nx = pandas.read_csv({}, sep=\"\\t\", header=None)"},
    {"shell", "head {}", "curl {} | head"}};
inline constexpr OpenWith kOpenVcfGz[] = {{"shell", "bcftools view -h {}", "bcftools view -H {} | head"}};
inline constexpr OpenWith kOpenFragmentsGz[] = {{"shell", "tabix -l {}", "tabix -l {}"}};

inline constexpr Companion kVariantsIndex[] = {{".vcf.gz.tbi", ".vcf.gz.csi", false}},
                           kFragmentsIndex[] = {{".tsv.gz.tbi", ".tsv.gz.csi", false}},
                           kPlinkTables[] = {{".bim"}, {".fam"}}, kBgenSamples[] = {{".sample"}};

// ending, what, media, shows, opens, companions
inline constexpr FileForm kH5ad{".h5ad", "AnnData", kHdf5Type, Shows::whole, kOpenH5ad};
inline constexpr FileForm kSeurat{".rds", "a Seurat object for R", kBinaryType, Shows::whole, kOpenSeurat};
inline constexpr FileForm kH5mu{".h5mu", "MuData", kHdf5Type, Shows::whole, kOpenH5mu};
inline constexpr FileForm kH5muOfTypes{".h5mu", "", kHdf5Type, Shows::whole};
inline constexpr FileForm kAnnDataZarrZip{".zarr.zip", "the .zarr in one archive", kZipType, Shows::whole};
inline constexpr FileForm kAnnDataZarr{
    ".zarr", "for zarr, dask and Vitessce", kFolder, Shows::whole, {}, {}, &kAnnDataZarrZip};
inline constexpr FileForm kDataset{".nc", "NetCDF", kNetCdfType, Shows::whole, kOpenNetCdf};
inline constexpr FileForm kVariable{".nc", "one variable in NetCDF", kNetCdfType, Shows::values, kOpenNetCdf};
inline constexpr FileForm kLoom{".loom", "loom, with all zeros", kHdf5Type, Shows::whole};
inline constexpr FileForm kTenxH5{".h5", "10x Genomics", kHdf5Type, Shows::counts};
inline constexpr FileForm kVariantsGz{
    ".vcf.gz", "variants, with their index", kGzipType, Shows::whole, kOpenVcfGz, kVariantsIndex};
inline constexpr FileForm kFragmentsGz{
    ".tsv.gz", "fragments, with their index", kGzipType, Shows::whole, kOpenFragmentsGz, kFragmentsIndex};
inline constexpr FileForm kVariants{".vcf", "variants", kBinaryType, Shows::whole};
inline constexpr FileForm kPlinkBed{".bed",      "PLINK 1, with .bim and .fam", kBinaryType, Shows::whole, {},
                                    kPlinkTables};
inline constexpr FileForm kBgen{".bgen",     "genotypes, with .sample", kBinaryType, Shows::whole, {},
                                kBgenSamples};
inline constexpr FileForm kOmeTiff{".ome.tif", "an image", kBinaryType, Shows::whole, kOpenOmeTiff};
inline constexpr FileForm kFragments{".tsv", "fragments", kTsvType, Shows::whole, kOpenFragments};
inline constexpr FileForm kRanges{".bed", "ranges", kTextType, Shows::table};
inline constexpr FileForm kMtx{".mtx", "MatrixMarket", kTextType, Shows::matrix, kOpenMtx};
inline constexpr FileForm kMatrixRds{".rds", "a sparse matrix for R", kBinaryType, Shows::matrix, kOpenRds};
inline constexpr FileForm kTableRds{".rds", "a data frame for R", kBinaryType, Shows::table, kOpenRds};
inline constexpr FileForm kArrayRds{".rds", "an array for R", kBinaryType, Shows::text, kOpenRds};
inline constexpr FileForm kTableCsv{".csv", "a table", kCsvType, Shows::table, kOpenCsv};
inline constexpr FileForm kArrayCsv{".csv", "text", kCsvType, Shows::text, kOpenCsv};
inline constexpr FileForm kMatrixCsv{".csv", "a sparse matrix as a table with all zeros", kCsvType,
                                     Shows::text, kOpenCsv};
inline constexpr FileForm kTableParquet{".parquet", "for DuckDB, polars and Arrow", kParquetType,
                                        Shows::table};
inline constexpr FileForm kTableXlsx{".xlsx", "a table for Excel and LibreOffice", kXlsxType, Shows::table};
inline constexpr FileForm kWorkbook{".xlsx", "cells, genes and embeddings for Excel and LibreOffice",
                                    kXlsxType, Shows::whole};
inline constexpr FileForm kNpy{".npy", "NumPy", kBinaryType, Shows::values, kOpenNpy};
inline constexpr FileForm kMat{".mat", "for MATLAB and Octave", kBinaryType, Shows::values};
// Not written by `export`, unless a path names them.
inline constexpr FileForm kTsv{".tsv", "", kTsvType, Shows::detail, kOpenTsv};
inline constexpr FileForm kNamesTsv{".tsv", "", kTsvType};
inline constexpr FileForm kBin{".bin"};
inline constexpr FileForm kSizes{".sizes", "", kTextType};
inline constexpr FileForm kJson{".json", "", kJsonType};
inline constexpr FileForm kGz{".gz", "", kGzipType};
inline constexpr FileForm kTbi{".tbi"};
inline constexpr FileForm kCsi{".csi"};
inline constexpr FileForm kBim{".bim"};
inline constexpr FileForm kFam{".fam"};
inline constexpr FileForm kSample{".sample"};
inline constexpr FileForm kTiff{".tif", "for programs that open TIFF"};
inline constexpr FileForm kPng{".png", "a picture", kPngType};
inline constexpr FileForm kPreview{".png", "a picture", kPngType};
inline constexpr FileForm kBigWig{".bw", "for genome browsers"};
inline constexpr FileForm kBpcells{"", "for BPCells", kFolder};
inline constexpr FileForm kGenes{"", "one gene: NAME.csv, NAME.npy", kFolder};
inline constexpr FileForm kCells{"", "one cell: NAME.csv, NAME.npy", kFolder};
inline constexpr FileForm kBy{"", "the cells of each level: COLUMN/LEVEL/", kFolder};
inline constexpr FileForm kPseudobulk{"", "sums of each gene by level: COLUMN.csv", kFolder};
inline constexpr FileForm kPlaces{"", "parts at coordinates: DIM=VALUE.csv, .nc", kFolder};

}  // namespace plainfs::forms
