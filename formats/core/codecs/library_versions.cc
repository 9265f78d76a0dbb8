#include "formats/core/codecs/library_versions.h"

#include <blosc.h>
#include <bzlib.h>
#include <fmt/format.h>
#include <isa-l.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzma.h>
#include <zfp.h>
#include <zlib.h>
#include <zstd.h>

namespace plainfs {

std::vector<std::pair<std::string, std::string>> codec_libraries() {
  const std::string bzip2 = BZ2_bzlibVersion();  // "1.0.8, 13-Jul-2019"
  return {{"libblosc", blosc_get_version_string()},
          {"libbz2", bzip2.substr(0, bzip2.find(','))},
          {"libdeflate", LIBDEFLATE_VERSION_STRING},
          {"libisal", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)},
          {"liblz4", LZ4_versionString()},
          {"liblzma", lzma_version_string()},
          {"libz", zlibVersion()},
          {"libzfp", ZFP_VERSION_STRING},
          {"libzstd", ZSTD_versionString()}};
}

}  // namespace plainfs
