#include "formats/foreign.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "formats/core/codecs/inflate.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/printable.h"
#include "formats/core/text/utf8.h"
#include "formats/core/text/web_page.h"

namespace plainfs {
namespace {

using namespace std::string_view_literals;

struct Magic {
  uint64_t offset;
  std::string_view bytes;
  std::string_view what;
};

constexpr uint64_t kTarMark = 257;
constexpr std::string_view kChangedHdf5 =
    "an HDF5 file that was damaged by a transfer as text; copy it again as binary";

constexpr std::string_view kOldMatlab =
    "a MATLAB file of before version 7.3, which scipy.io.loadmat, R.matlab and octave read; save -v7.3 "
    "writes HDF5";

// Sources: each format's own specification.
constexpr Magic kMagic[] = {
    {12, "BC\x02\0"sv, "a BGZF file, as BAM and VCF are: samtools, bcftools or bgzip read it"},
    {0, "\x93NUMPY"sv, "a NumPy array, a plain file already"},
    {0, "BZh"sv, "a bzip2 file without a store inside"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz file without a store inside"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd file without a store inside"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive; unpack it first"},
    {kTarMark, "ustar"sv, "a tar archive with a damaged first header; copy or download it again"},
    {0, "ARROW1"sv, "an Arrow (Feather) file, which pandas and R's arrow read"},
    {0, "SQLite format 3\0"sv, "an SQLite database, which sqlite3 reads"},
    {0, "CDF\x01"sv, "a netCDF file of the classic format; nccopy -k netCDF-4 converts it to HDF5"},
    {0, "CDF\x02"sv, "a netCDF file of the classic format; nccopy -k netCDF-4 converts it to HDF5"},
    {0, "II*\0"sv, "a TIFF image"},
    {0, "MM\0*"sv, "a TIFF image"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "\x0e\x03\x13\x01"sv, "an HDF4 file; h4toh5 converts it to HDF5"},
    {0, "MATLAB 5.0 MAT-file"sv, kOldMatlab},
    {0, "\x80\x04\x95"sv, "a Python pickle, which pandas.read_pickle reads; only open one that you trust"},
    {0, "\x80\x05\x95"sv, "a Python pickle, which pandas.read_pickle reads; only open one that you trust"},
    {0, "SIMPLE  ="sv, "a FITS file, which astropy reads"},
    {0, "\0\x05\x16\x07"sv,
     "metadata that macOS keeps beside a file (AppleDouble); the file itself has the same name without ._"},
    {0, "version https://git-lfs.github.com/spec/"sv,
     "a pointer of Git LFS to a file that was not fetched; run git lfs pull"},
    {0, "/annex/objects/"sv, "a pointer of git-annex to a file that was not fetched; run git annex get"},
    // Remains of the signatures of HDF5 and gzip in damaged files.
    {0, "\x89HDF\n"sv, kChangedHdf5},
    {0, "\x89HDF\r\r\n"sv, kChangedHdf5},
    {0, "\x09HDF"sv, kChangedHdf5},
    {0, "\xc2\x89HDF"sv, kChangedHdf5},
    {0, "\xef\xbf\xbdHDF"sv, kChangedHdf5},
    {0, "\x1f\xc2\x8b"sv, "a gzip file that was damaged by a transfer as text; copy it again as binary"},
    {0, "\x1f\xef\xbf\xbd"sv, "a gzip file that was damaged by a transfer as text; copy it again as binary"},
    {0, "FCS3."sv, "a flow cytometry file (FCS), which flowCore in R and fcsparser in Python read"},
    {0, "FCS2."sv, "a flow cytometry file (FCS), which flowCore in R and fcsparser in Python read"},
    {0, "\x26\xfc\x8f\x88"sv, "a bigWig file, which rtracklayer, pyBigWig and genome browsers read"},
    {0, "\x6c\x1b\x01"sv, "a .bed file of PLINK, which plink and bed-reader read"},
    {0, "FEA1"sv, "a Feather file of version 1, which pandas and R's arrow read"},
    {0, "ZISRAWFILE"sv,
     "a microscope image of Zeiss (CZI), which Bio-Formats reads; bioformats2raw writes OME-Zarr"},
    {0, "RDX"sv, "an R workspace, which is read under a name in .RData"},
};

// Files that are known by their names alone.
struct Ending {
  std::string_view ending;
  std::string_view what;
};
constexpr Ending kEndings[] = {
    {".cloupe",
     "a file of 10x's Loupe Browser, which no other program reads; use filtered_feature_bc_matrix.h5 of the "
     "same run"},
    {".vloupe",
     "a file of 10x's Loupe V(D)J Browser, which no other program reads; use the .csv files of the same run"},
    {".annoy",
     "an index of nearest neighbours (Annoy), which Seurat and uwot load; the object that it belongs to has "
     "the data"},
};

constexpr std::string_view kGem =
    "a table of Stereo-seq (GEM) with a line for each gene and place, which stereopy reads; its .gef is HDF5";

// Returns the integer number i of text in that byte order. Requires: text holds it.
uint32_t word_of(std::string_view text, size_t i, bool is_big_endian) {
  uint32_t word = 0;
  for (size_t byte = 0; byte < 4; ++byte) {
    const size_t place = i * 4 + (is_big_endian ? byte : 3 - byte);
    word = word << 8 | static_cast<unsigned char>(text[place]);
  }
  return word;
}

// Returns whether text begins with a variable of a MATLAB file of version 4, which has no signature: five
// integers (a type that determines the byte order, rows, columns, whether it is complex, the length of the
// name) and a name.
bool is_matlab_4(std::string_view text) {
  constexpr size_t kHeaderBytes = 20, kLongestName = 64;
  for (const bool is_big_endian : {false, true}) {
    if (text.size() < kHeaderBytes) return false;
    const uint32_t type = word_of(text, 0, is_big_endian), length = word_of(text, 4, is_big_endian);
    const bool is_type = type / 1000 == (is_big_endian ? 1 : 0) && type / 100 % 10 == 0 &&
                         type / 10 % 10 <= 5 && type % 10 <= 2;
    if (!is_type || word_of(text, 3, is_big_endian) > 1 || length < 2 || length > kLongestName) continue;
    if (text.size() < kHeaderBytes + length) continue;
    const std::string_view name = text.substr(kHeaderBytes, length - 1);
    const bool is_name =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return c == '_' || std::isalnum(c); });
    if (is_name && text[kHeaderBytes + length - 1] == '\0') return true;
  }
  return false;
}

constexpr uint64_t kFirstBytes = 512;  // enough to recognise a tar archive

// Returns whether text is UTF-8 without control characters. text: the first bytes of a file; its last
// character may be cut off.
bool is_readable_text(std::string_view text) {
  for (size_t cut = 0; cut < 4 && cut < text.size(); ++cut) {
    const std::string_view whole = text.substr(0, text.size() - cut);
    if (!is_utf8(whole)) continue;
    return std::none_of(whole.begin(), whole.end(), [](char c) {
      return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
    });
  }
  return false;
}

// Returns whether text is the beginning of a GEM file: lines of "#Key=value", then the names of its columns.
bool is_gem(std::string_view text) {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.starts_with("geneID\tx\ty\t") || text.starts_with("geneID\tgeneName\tx\ty\t");
}

std::string kind_of_text(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (is_gem(text)) return std::string(kGem);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (is_web_page(text))
    return "a web page (HTML) that was saved in place of the file; download the file itself";
  if (starts_with_any(text, {"<?xml", "<error"}) && text.find("<Error") != std::string_view::npos)
    return "a server's error message (XML) that was saved in place of the file; download the file itself";
  constexpr size_t kMaxQuoted = 60;
  const std::string_view line = text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
  if (line.empty()) return {};
  std::string quoted(line.substr(0, kMaxQuoted));
  while (!is_utf8(quoted)) quoted.pop_back();
  return fmt::format("a text file that begins with \"{}\"", printable(quoted));
}

std::string kind_of_gzip(const File& file) {
  constexpr uint64_t kMaxRead = 64 << 10;
  const Bytes inside = gzip_beginning(file.read_at(0, std::min(file.size(), kMaxRead)), kFirstBytes);
  const std::string_view text = as_text(inside);
  if (is_gem(text)) return std::string(kGem) + "; unpack it first";
  return "a gzip file without a store inside (an R object is read under a name in .rds or .RData)";
}

// Describes a zip archive. Its directory is at the end of the file, before a comment of up to 65,535 bytes.
std::string kind_of_zip(const File& file) {
  constexpr uint64_t kMaxBehind = 65557;
  const uint64_t size = std::min(file.size(), kMaxBehind);
  if (as_text(file.read_at(file.size() - size, size)).find("PK\5\6") == std::string_view::npos)
    return "a truncated zip archive; copy or download it again";
  return "a zip archive without a Zarr store; unpack it first, or mount it with fuse-zip";
}

}  // namespace

std::string foreign_kind(const std::string& path, Context& context) {
  const FilePtr file = context.files.open(path);
  if (file->size() == 0) return "an empty file; copy or download it again";
  const Bytes first = file->read_at(0, std::min(file->size(), kFirstBytes));
  const std::string_view text = as_text(first);
  for (const Magic& magic : kMagic) {
    if (text.size() > magic.offset && text.substr(magic.offset).starts_with(magic.bytes))
      return std::string(magic.what);
  }
  if (text.starts_with("\x1f\x8b")) return kind_of_gzip(*file);
  if (text.starts_with("PK\x03\x04")) return kind_of_zip(*file);
  if (is_matlab_4(text)) return std::string(kOldMatlab);
  if (text.find_first_not_of('\0') == std::string_view::npos)
    return "a file that begins with only zeros; copy or download it again";
  for (const Ending& known : kEndings)
    if (lower_case(path).ends_with(known.ending)) return std::string(known.what);
  return is_readable_text(text) ? kind_of_text(text) : std::string();
}

}  // namespace plainfs
