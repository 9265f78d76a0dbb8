// Makes calls fail now and then, at random but from a seed. Loaded with LD_PRELOAD into the tested program.
//
// FAULTS_KINDS   the kinds that fail, separated by commas; calls if unset, and nothing fails for any other
// word:
//   calls        system calls that read a store, on files below one folder
//   memory       malloc, calloc, realloc and the like, of any size (operator new uses these), from the first
//   access
//                to the folder on: the start of the program is up to libc and the libraries. One failure in
//                four is followed at once by more of the same thread, as if memory were really short.
//   threads      pthread_create (EAGAIN)
//   delays       nothing fails: calls of the kinds "calls" and "threads", and those between the program and
//   libhdf5's
//                process, take 1 to 50 ms longer
// FAULTS_FOLDER  the folder with the affected files; unset: none
// FAULTS_SEED    selects the failing calls
// FAULTS_RATE    how many calls in a million fail
// FAULTS_LOG     a descriptor that gets a line for each fault; unset: none
// FAULTS_NAME    the number, from 1, of the call that would change a name (rename, symlink, unlink) but is
// not made:
//                the process group is killed before it. With a minus before the number the call fails instead
//                (EPERM).
// FAULTS_KEEPER  FAULTS_NAME for a program that this one starts; unset: 0
//
// libhdf5's process inherits only the HDF5_* variables. So HDF5_FAULTS_KINDS, HDF5_FAULTS_SEED and
// HDF5_FAULTS_RATE apply to it if FAULTS_KINDS is absent. Its memory fails from the first question on.
//
// Allocations of libhdf5 in the program itself, which write the metadata of .h5ad and .h5 files, never fail:
// it reads the error stack of a new thread without checking that it exists, and crashes. In its own process
// they may fail. The list of destructors of a thread never fails either: libc ends the program without memory
// for it. Both names of each call are defined here: the system must not map one to the other.
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kMaxDescriptors = 65536 };

enum Kind { kCalls = 1, kMemory = 2, kThreads = 4, kDelays = 8 };

static unsigned kinds;
static const char* folder;
static size_t folder_length;
static uint64_t seed, rate;
static int log_descriptor = -1;
static long at_name;
static atomic_long names;
static atomic_uint_fast64_t calls;
static atomic_bool is_below[kMaxDescriptors];  // descriptors of files below the folder

static atomic_bool is_armed;  // memory may fail

// The range of libhdf5's code in the program.
static uintptr_t library_start, library_end;

static int find_library(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size, (void)data;
  if (!strstr(object->dlpi_name, "/libhdf5")) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    library_start = object->dlpi_addr + part->p_vaddr;
    library_end = library_start + part->p_memsz;
  }
  return 1;
}

static unsigned kinds_of(const char* text) {
  unsigned found = 0;
  if (strstr(text, "calls")) found |= kCalls;
  if (strstr(text, "memory")) found |= kMemory;
  if (strstr(text, "threads")) found |= kThreads;
  if (strstr(text, "delays")) found |= kDelays;
  return found;
}

__attribute__((constructor)) static void read_settings(void) {
  const char* text = getenv("FAULTS_KINDS");
  const int is_library = !text && getenv("HDF5_FAULTS_KINDS");
  kinds = is_library ? kinds_of(getenv("HDF5_FAULTS_KINDS")) : text ? kinds_of(text) : kCalls;
  if (!is_library) dl_iterate_phdr(find_library, NULL);
  folder = getenv("FAULTS_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  text = getenv(is_library ? "HDF5_FAULTS_SEED" : "FAULTS_SEED");
  seed = text ? strtoull(text, NULL, 10) : 0;
  text = getenv(is_library ? "HDF5_FAULTS_RATE" : "FAULTS_RATE");
  rate = text ? strtoull(text, NULL, 10) : 0;
  text = getenv("FAULTS_NAME");
  at_name = text ? atol(text) : 0;
  if (text) setenv("FAULTS_NAME", getenv("FAULTS_KEEPER") ? getenv("FAULTS_KEEPER") : "0", 1);
  text = getenv("FAULTS_LOG");
  if (text) log_descriptor = atoi(text);
}

static uint64_t mixed(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static uint64_t next_random(void) {
  return mixed(seed * 0x100000001b3u + atomic_fetch_add(&calls, 1));
}

static void write_log(const char* call, size_t size) {
  if (log_descriptor >= 0) dprintf(log_descriptor, "%s %zu\n", call, size);
}

static void delay(uint64_t random) {
  const struct timespec time = {0, (long)(1 + random % 50) * 1000000};
  const int before = errno;
  nanosleep(&time, NULL);
  errno = before;
}

// Returns a random number if this call must fail, otherwise 0.
static uint64_t fault(enum Kind kind, const char* call) {
  if (!(kinds & (kind | kDelays))) return 0;
  const uint64_t random = next_random();
  if (random % 1000000 >= rate) return 0;
  const uint64_t more = mixed(random) | 1;
  const int is_delay = kinds & kDelays && (!(kinds & kind) || more & 2);
  write_log(is_delay ? "delay" : call, 0);
  if (!is_delay) return more;
  delay(more >> 8);
  return 0;
}

static int is_path_below(const char* path) {
  const int is_below = folder && path && strncmp(path, folder, folder_length) == 0 &&
                       (path[folder_length] == '/' || path[folder_length] == '\0');
  if (is_below) atomic_store(&is_armed, 1);
  return is_below;
}

static int is_descriptor_below(int descriptor) {
  return descriptor >= 0 && descriptor < kMaxDescriptors && atomic_load(&is_below[descriptor]);
}

static int opened(int descriptor, int below) {
  if (descriptor >= 0 && descriptor < kMaxDescriptors) atomic_store(&is_below[descriptor], below);
  return descriptor;
}

// Sets errno to one of `errors` and returns -1.
static int failing(uint64_t random, const int* errors, size_t count) {
  errno = errors[(random >> 8) % count];
  return -1;
}
#define FAIL(random, ...) \
  failing(random, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRAP_OPEN(name)                                                           \
  int name(const char* path, int flags, ...) {                                    \
    va_list more;                                                                 \
    va_start(more, flags);                                                        \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                 \
    const int below = is_path_below(path);                                        \
    const uint64_t random = below ? fault(kCalls, #name) : 0;                     \
    if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR);          \
    return opened(NEXT(name)(path, flags, mode), below);                          \
  }
WRAP_OPEN(open)
WRAP_OPEN(open64)

#define WRAP_OPENAT(name)                                                                 \
  int name(int at, const char* path, int flags, ...) {                                    \
    va_list more;                                                                         \
    va_start(more, flags);                                                                \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;         \
    va_end(more);                                                                         \
    const int below = is_path_below(path) || (path[0] != '/' && is_descriptor_below(at)); \
    const uint64_t random = below ? fault(kCalls, #name) : 0;                             \
    if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR);                  \
    return opened(NEXT(name)(at, path, flags, mode), below);                              \
  }
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

// The number may be reused at once.
int close(int descriptor) {
  opened(descriptor, 0);
  return NEXT(close)(descriptor);
}

int closedir(DIR* directory) {
  opened(dirfd(directory), 0);
  return NEXT(closedir)(directory);
}

// openat2 has no wrapper function, and Boost does not use that of statx.
long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(more, long);
  va_end(more);
  const int is_open = number == SYS_openat2;
  const int below = (is_open || number == SYS_statx) && is_path_below((const char*)a[1]);
  const uint64_t random = below ? fault(kCalls, is_open ? "openat2" : "statx") : 0;
  if (random && !is_open) return FAIL(random, EIO, ENOMEM, EACCES);
  if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR, ENOSYS);
  const long result = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (is_open) opened((int)result, below);
  return result;
}

#define WRAP_STAT(name, type)                                               \
  int name(const char* path, struct type* status) {                         \
    const uint64_t random = is_path_below(path) ? fault(kCalls, #name) : 0; \
    if (random) return FAIL(random, EIO, ENOMEM, EACCES);                   \
    return NEXT(name)(path, status);                                        \
  }
WRAP_STAT(stat, stat)
WRAP_STAT(lstat, stat)
WRAP_STAT(stat64, stat64)
WRAP_STAT(lstat64, stat64)

#define WRAP_FSTAT(name, type)                                                          \
  int name(int descriptor, struct type* status) {                                       \
    const uint64_t random = is_descriptor_below(descriptor) ? fault(kCalls, #name) : 0; \
    if (random) return FAIL(random, EIO, ENOMEM);                                       \
    return NEXT(name)(descriptor, status);                                              \
  }
WRAP_FSTAT(fstat, stat)
WRAP_FSTAT(fstat64, stat64)

#define WRAP_FSTATAT(name, type)                                                                       \
  int name(int at, const char* path, struct type* status, int flags) {                                 \
    const uint64_t random = is_path_below(path) || is_descriptor_below(at) ? fault(kCalls, #name) : 0; \
    if (random) return FAIL(random, EIO, ENOMEM, EACCES);                                              \
    return NEXT(name)(at, path, status, flags);                                                        \
  }
WRAP_FSTATAT(fstatat, stat)
WRAP_FSTATAT(fstatat64, stat64)

int statx(int at, const char* path, int flags, unsigned mask, struct statx* status) {
  const uint64_t random = is_path_below(path) || is_descriptor_below(at) ? fault(kCalls, "statx") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(statx)(at, path, flags, mask, status);
}

int access(const char* path, int mode) {
  const uint64_t random = is_path_below(path) ? fault(kCalls, "access") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(access)(path, mode);
}

// Returns whether the call fails.
static int ends_before_name(void) {
  if (at_name == 0) return 0;
  const long number = atomic_fetch_add(&names, 1) + 1;
  if (number == at_name) kill(0, SIGKILL);
  if (number != -at_name) return 0;
  errno = EPERM;
  return 1;
}

int rename(const char* from, const char* to) {
  return ends_before_name() ? -1 : NEXT(rename)(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return ends_before_name() ? -1 : NEXT(renameat)(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return ends_before_name() ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int symlink(const char* target, const char* path) {
  return ends_before_name() ? -1 : NEXT(symlink)(target, path);
}

int unlink(const char* path) {
  return ends_before_name() ? -1 : NEXT(unlink)(path);
}

ssize_t readlink(const char* path, char* out, size_t size) {
  const uint64_t random = is_path_below(path) ? fault(kCalls, "readlink") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(readlink)(path, out, size);
}

char* realpath(const char* path, char* out) {
  const uint64_t random = is_path_below(path) ? fault(kCalls, "realpath") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES), NULL;
  return NEXT(realpath)(path, out);
}

// Fails, or returns nothing as at the end of a shorter file, or returns a part.
#define WRAP_READ(name, parameters, ...)                                                \
  ssize_t name parameters {                                                             \
    const uint64_t random = is_descriptor_below(descriptor) ? fault(kCalls, #name) : 0; \
    if (random % 8 == 7) return 0;                                                      \
    if (random && (random >> 4) % 3) return FAIL(random, EIO, ENOMEM, EINTR);           \
    if (random && size > 1) size = 1 + random / 1024 % (size - 1);                      \
    return NEXT(name)(__VA_ARGS__);                                                     \
  }
WRAP_READ(read, (int descriptor, void* out, size_t size), descriptor, out, size)
WRAP_READ(pread, (int descriptor, void* out, size_t size, off_t offset), descriptor, out, size, offset)
WRAP_READ(pread64, (int descriptor, void* out, size_t size, off64_t offset), descriptor, out, size, offset)

DIR* opendir(const char* path) {
  const int below = is_path_below(path);
  const uint64_t random = below ? fault(kCalls, "opendir") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES), NULL;
  DIR* const directory = NEXT(opendir)(path);
  if (directory) opened(dirfd(directory), below);
  return directory;
}

DIR* fdopendir(int descriptor) {
  const uint64_t random = is_descriptor_below(descriptor) ? fault(kCalls, "fdopendir") : 0;
  if (random) return FAIL(random, EIO, ENOMEM), NULL;
  return NEXT(fdopendir)(descriptor);
}

#define WRAP_READDIR(name, type)                                                              \
  struct type* name(DIR* directory) {                                                         \
    const uint64_t random = is_descriptor_below(dirfd(directory)) ? fault(kCalls, #name) : 0; \
    if (random) return FAIL(random, EIO, ENOMEM), NULL;                                       \
    return NEXT(name)(directory);                                                             \
  }
WRAP_READDIR(readdir, dirent)
WRAP_READDIR(readdir64, dirent64)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  if (fault(kThreads, "pthread_create")) return EAGAIN;
  return NEXT(pthread_create)(thread, attributes, start, argument);
}

// Between the program and libhdf5's process. The first question marks the start of its work.
ssize_t recvmsg(int descriptor, struct msghdr* message, int flags) {
  if (kinds & kDelays) fault(kDelays, "recvmsg");
  const ssize_t got = NEXT(recvmsg)(descriptor, message, flags);
  if (!folder) atomic_store(&is_armed, 1);
  return got;
}

int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* program);

// Memory. libc's own functions also have other names, so that no lookup is needed, which might itself
// allocate.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* before, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

// Per thread; initial-exec, because another model may allocate.
static __thread unsigned failures_left __attribute__((tls_model("initial-exec")));
static __thread int is_inside __attribute__((tls_model("initial-exec")));

#define CALLER __builtin_return_address(0)

static int memory_fails(const char* call, size_t size, const void* caller) {
  if (!(kinds & kMemory) || !atomic_load_explicit(&is_armed, memory_order_relaxed) || is_inside) return 0;
  if ((uintptr_t)caller >= library_start && (uintptr_t)caller < library_end) return 0;
  if (failures_left > 0) {
    --failures_left;
  } else {
    const uint64_t random = next_random();
    if (random % 1000000 >= rate) return 0;
    const uint64_t more = mixed(random);
    if (more % 4 == 0) failures_left = more / 4 % 16;
  }
  ++is_inside;  // writing may allocate
  write_log(call, size);
  --is_inside;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) {
  return memory_fails("malloc", size, CALLER) ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return memory_fails("calloc", count * size, CALLER) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* before, size_t size) {
  return size > 0 && memory_fails("realloc", size, CALLER) ? NULL : __libc_realloc(before, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return memory_fails("aligned_alloc", size, CALLER) ? NULL : __libc_memalign(alignment, size);
}
void* memalign(size_t alignment, size_t size) {
  return memory_fails("memalign", size, CALLER) ? NULL : __libc_memalign(alignment, size);
}
int __cxa_thread_atexit_impl(void (*destroy)(void*), void* object, void* program) {
  ++is_inside;
  const int result = NEXT(__cxa_thread_atexit_impl)(destroy, object, program);
  --is_inside;
  return result;
}

// libhdf5 allocates with it too.
char* strdup(const char* text) {
  const size_t size = strlen(text) + 1;
  char* const copy = memory_fails("strdup", size, CALLER) ? NULL : __libc_malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}
int vasprintf(char** out, const char* format, va_list values) {
  if (memory_fails("vasprintf", 0, CALLER)) return -1;
  ++is_inside;
  const int length = NEXT(vasprintf)(out, format, values);
  --is_inside;
  return length;
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const found = memory_fails("posix_memalign", size, CALLER) ? NULL : __libc_memalign(alignment, size);
  if (!found) return ENOMEM;
  *out = found;
  return 0;
}
