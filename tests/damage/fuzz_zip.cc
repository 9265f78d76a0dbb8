// libFuzzer: any bytes as a zip file. Reads its directory and every listed member. An Error is a valid
// outcome. A crash, a hang or a leak is not.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "formats/containers/zarr/zip_store.h"
#include "formats/core/base/error.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;
using namespace plainfs::zarr;

constexpr int kMaxDepth = 8;

void read_keys(const KeyStore& store, const std::string& folder, int depth) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  for (const char* name : {"0", "zarr.json", ".zarray", ".zgroup", ".zattrs"}) {
    try {
      if (const ValuePtr value = store.open(prefix + name)) {
        value->read_all();
        value->read(value->size() / 2, value->size() - value->size() / 2);
      }
    } catch (const Error&) {
    }
  }
  if (depth == kMaxDepth) return;
  for (const std::string& name : store.folders(folder)) read_keys(store, prefix + name, depth + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = ::memfd_create("zip", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  TestContext context(size_t{16} << 20, 0);
  try {
    FilePtr zip = context.files.open("/proc/self/fd/" + std::to_string(file));
    auto directory = std::make_shared<const ZipDirectory>(*zip);
    read_keys(*open_zip_store(std::move(zip), std::move(directory), "", context), "", 0);
  } catch (const Error&) {
  }
  ::close(file);
  return 0;
}
