#include "formats/containers/hdf5/library/file_driver.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>

#include "formats/containers/hdf5/library/library.h"
#include "formats/core/base/local_file.h"

namespace plainfs::hdf5 {
namespace {

// An open file of the driver. The library's own part comes first.
struct DriverFile : H5FD_t {
  FilePtr file;
  Sources* sources = nullptr;
  uint64_t failed_before = 0;  // times_failed() when it was opened
  haddr_t end_of_addresses = 0;
};

const DriverFile& driver_file(const H5FD_t* file) {
  return *static_cast<const DriverFile*>(file);
}

// Guarded by the library's lock, like every call of the driver.
std::exception_ptr& first_failure() {
  static auto& failure = *new std::exception_ptr;
  return failure;
}

// The number of failed reads by fingerprint, for the few files with any. Guarded like first_failure().
std::unordered_map<uint64_t, uint64_t>& failures() {
  static auto& failures = *new std::unordered_map<uint64_t, uint64_t>;
  return failures;
}

// Returns the result of call, or `failed` if it throws: exceptions must not pass through C frames.
template <class Result, class Call>
Result guarded(Result failed, Call&& call) noexcept {
  try {
    return call();
  } catch (...) {
    keep_driver_error();
  }
  return failed;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  return guarded<H5FD_t*>(nullptr, [&]() -> H5FD_t* {
    auto* sources = static_cast<Sources*>(const_cast<void*>(H5Pget_driver_info(access)));
    if (!sources || (flags & (H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC)) != 0) return nullptr;
    FilePtr file = sources->open_if_exists(name);
    if (!file) return nullptr;
    auto opened = std::make_unique<DriverFile>();
    opened->file = std::move(file);
    opened->sources = sources;
    opened->failed_before = times_failed(*opened->file);
    return opened.release();
  });
}

herr_t close_file(H5FD_t* file) {
  delete static_cast<DriverFile*>(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const H5FD_t* file) {
    return std::pair(driver_file(file).file->fingerprint(), driver_file(file).failed_before);
  };
  return key(a) < key(b) ? -1 : key(a) > key(b);
}

// Reports a descriptor for a local file. The library then asks for it, and finds files beside the target of a
// symbolic link.
herr_t query(const H5FD_t* file, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_SUPPORTS_SWMR_IO |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  if (file && dynamic_cast<const LocalFile*>(driver_file(file).file.get()))
    *flags |= H5FD_FEAT_POSIX_COMPAT_HANDLE;
  return 0;
}

herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
  static thread_local int descriptor = -1;
  descriptor = driver_file(file).file->descriptor();
  *handle = &descriptor;
  return descriptor < 0 ? -1 : 0;
}

haddr_t get_end_of_addresses(const H5FD_t* file, H5FD_mem_t) {
  return driver_file(file).end_of_addresses;
}
herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  static_cast<DriverFile*>(file)->end_of_addresses = address;
  return 0;
}
haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return driver_file(file).file->size();
}

// Returns zeros beyond the end of the file, like the library's own drivers: the library looks for signatures
// there.
herr_t read(H5FD_t* driven, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  const File& file = *driver_file(driven).file;
  const herr_t result = guarded<herr_t>(-1, [&] {
    const std::span<std::byte> out(static_cast<std::byte*>(buffer), size);
    const size_t existing = address < file.size() ? std::min<uint64_t>(size, file.size() - address) : 0;
    if (existing > 0) file.read_at(address, out.first(existing));
    std::memset(out.data() + existing, 0, size - existing);
    return 0;
  });
  if (result < 0) ++failures()[file.fingerprint()];
  return result;
}

herr_t refuse_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) {
  return -1;
}

// The driver's information is the Sources itself. It need not be copied or freed.
void* get_information(H5FD_t* file) {
  return driver_file(file).sources;
}
void* copy_information(const void* sources) {
  return const_cast<void*>(sources);
}
herr_t free_information(void*) {
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver = driver_class_named("plainfs", 0);
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(void*);
  driver.fapl_get = get_information;
  driver.fapl_copy = copy_information;
  driver.fapl_free = free_information;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = get_end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = get_end_of_file;
  driver.get_handle = get_handle;
  driver.read = read;
  driver.write = refuse_write;
  return driver;
}

// Registers the driver once and forever, since files may be open until the process ends.
hid_t driver_id() {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = checked_call(H5FDregister(&driver), "libhdf5 refuses a file driver");
  return id;
}

}  // namespace

void read_through(Sources& sources, hid_t access) {
  checked_call(H5Pset_driver(access, driver_id(), &sources), "file driver");
}

uint64_t times_failed(const File& file) {
  const auto found = failures().find(file.fingerprint());
  return found == failures().end() ? 0 : found->second;
}

void keep_driver_error() noexcept {
  if (!first_failure()) first_failure() = std::current_exception();
}

void throw_driver_error() {
  if (const std::exception_ptr failure = std::exchange(first_failure(), nullptr))
    std::rethrow_exception(failure);
}

void throw_passing_driver_error() {
  const std::exception_ptr failure = std::exchange(first_failure(), nullptr);
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
  }
}

void forget_driver_error() {
  first_failure() = nullptr;
}

H5FD_class_t driver_class_named(const char* name, [[maybe_unused]] int number) {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
  driver.version = H5FD_CLASS_VERSION;
#endif
#if H5_VERSION_GE(1, 13, 0)
  // The first number that is not registered, and those after it.
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 256 + number);
#endif
  driver.name = name;
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  constexpr H5FD_mem_t kFreeLists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(kFreeLists), std::end(kFreeLists), driver.fl_map);
  return driver;
}

}  // namespace plainfs::hdf5
