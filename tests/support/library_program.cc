// The program of libhdf5's process, for tests.
#include "formats/containers/hdf5/process/serve.h"

int main() {
  return plainfs::hdf5::serve_library();
}
