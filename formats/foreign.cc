#include "formats/foreign.h"

#include <algorithm>
#include <string_view>

namespace plainfs {
namespace {

using namespace std::string_view_literals;

struct Magic {
  uint64_t offset;
  std::string_view bytes;
  std::string_view what;
};

// By each format's own specification.
constexpr Magic kMagic[] = {
    {12, "BC\x02\0"sv, "a BGZF file, as BAM and VCF are: samtools, bcftools or bgzip read it"},
    {0, "\x1f\x8b"sv,
     "a gzip file (of a tar archive, an R object or text); unpack it first (an R object is read under a name "
     "in .rds or .RData)"},
    {0, "\x93NUMPY"sv, "a NumPy array, a plain file already"},
    {0, "BZh"sv, "a bzip2 file; unpack it first"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz file; unpack it first"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd file; unpack it first"},
    {0, "PK\x03\x04"sv, "a zip archive that holds no Zarr store; unpack it first, or mount it with fuse-zip"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive; unpack it first"},
    {257, "ustar"sv, "a tar archive; unpack it first"},
    {0, "PAR1"sv, "a Parquet file, which pandas, R's arrow and DuckDB read"},
    {0, "ARROW1"sv, "an Arrow (Feather) file, which pandas and R's arrow read"},
    {0, "SQLite format 3\0"sv, "an SQLite database, which sqlite3 reads"},
    {0, "CDF\x01"sv, "a netCDF file of the classic format; nccopy -k netCDF-4 makes HDF5 of it"},
    {0, "CDF\x02"sv, "a netCDF file of the classic format; nccopy -k netCDF-4 makes HDF5 of it"},
    {0, "RDX"sv, "an R workspace, which is read under a name in .RData"},
    {0, "II*\0"sv, "a TIFF image"},
    {0, "MM\0*"sv, "a TIFF image"},
    {0, "%PDF"sv, "a PDF document"},
};

}  // namespace

std::string foreign_kind(const std::string& path, Context& context) {
  const FilePtr file = context.files.open(path);
  const Bytes first = file->read_at(0, std::min<uint64_t>(file->size(), 512));
  const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
  for (const Magic& magic : kMagic) {
    if (text.size() > magic.offset && text.substr(magic.offset).starts_with(magic.bytes))
      return std::string(magic.what);
  }
  return {};
}

}  // namespace plainfs
