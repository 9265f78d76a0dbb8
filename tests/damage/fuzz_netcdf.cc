// libFuzzer: any bytes as a NetCDF classic file. Reads its header, and the values and attributes of every
// variable with a bounded size. An Error is a valid outcome. A crash, a hang or a leak is not.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/containers/netcdf/netcdf.h"
#include "formats/core/base/error.h"
#include "formats/core/model/arrays/array.h"
#include "formats/core/model/node.h"
#include "tests/support/test_context.h"

namespace {

using namespace plainfs;

constexpr uint64_t kMaxRead = 1 << 12;

void read_some(const Array& array) {
  array.check();
  Box box = whole(array.shape());
  for (uint64_t& extent : box.extent) extent = std::min<uint64_t>(extent, 16);
  if (element_count(box.extent) <= kMaxRead) array.read(box);
  // The last elements, so that a length beyond the file is noticed.
  for (size_t axis = 0; axis < box.extent.size(); ++axis)
    box.origin[axis] = array.shape()[axis] - box.extent[axis];
  if (element_count(box.extent) <= kMaxRead) array.read(box);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = ::memfd_create("netcdf", MFD_CLOEXEC);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) __builtin_trap();
  TestContext context(size_t{16} << 20, 0);
  try {
    const Probe probe("/proc/self/fd/" + std::to_string(file), context.files);
    if (netcdf::recognises(probe)) {
      const Store store = netcdf::open(probe, context);
      attributes_of(store.root);
      for (const Member& member : store.root.parts->members()) {
        try {
          attributes_of(member.node);
          if (const auto* array = std::get_if<LabelledArray>(&member.node.content)) read_some(*array->values);
        } catch (const Error&) {
        }
      }
    }
  } catch (const Error&) {
  }
  ::close(file);
  return 0;
}
