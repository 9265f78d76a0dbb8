// The program of libhdf5's process, for tests.
#include "formats/hdf5/process/serve.h"

int main() {
  return plainfs::hdf5::serve_library();
}
