// Makes system calls on the files below one folder fail now and then, at random but from a seed: loaded with
// LD_PRELOAD into the program that is tested. Only the calls by which a store is read are touched.
//
// FAULTS_FOLDER  the folder whose files are affected; unset: none
// FAULTS_SEED    which calls fail
// FAULTS_RATE    how many of a million do
// FAULTS_LOG     a descriptor to which each fault is written as a line; unset: none
// Both names of each call are here: the system must not make one of the other.
#undef _FILE_OFFSET_BITS
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMostDescriptors = 65536 };

static const char* folder;
static size_t folder_length;
static uint64_t seed, rate;
static int log_descriptor = -1;
static atomic_uint_fast64_t calls;
static atomic_bool is_below[kMostDescriptors];  // descriptors of files below the folder

__attribute__((constructor)) static void read_settings(void) {
  folder = getenv("FAULTS_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  const char* text = getenv("FAULTS_SEED");
  seed = text ? strtoull(text, NULL, 10) : 0;
  text = getenv("FAULTS_RATE");
  rate = text ? strtoull(text, NULL, 10) : 0;
  text = getenv("FAULTS_LOG");
  if (text) log_descriptor = atoi(text);
}

static uint64_t mixed(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

// A random number where this call is to fail, else 0.
static uint64_t fault(const char* call) {
  const uint64_t random = mixed(seed * 0x100000001b3u + atomic_fetch_add(&calls, 1));
  if (random % 1000000 >= rate) return 0;
  if (log_descriptor >= 0) dprintf(log_descriptor, "%s\n", call);
  return mixed(random) | 1;
}

static int is_path_below(const char* path) {
  return folder && path && strncmp(path, folder, folder_length) == 0 &&
         (path[folder_length] == '/' || path[folder_length] == '\0');
}

static int is_descriptor_below(int descriptor) {
  return descriptor >= 0 && descriptor < kMostDescriptors && atomic_load(&is_below[descriptor]);
}

static int opened(int descriptor, int below) {
  if (descriptor >= 0 && descriptor < kMostDescriptors) atomic_store(&is_below[descriptor], below);
  return descriptor;
}

// Sets errno to one of the errors and returns -1.
static int failing(uint64_t random, const int* errors, size_t count) {
  errno = errors[(random >> 8) % count];
  return -1;
}
#define FAIL(random, ...) \
  failing(random, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRAP_OPEN(name)                                                                  \
  int name(const char* path, int flags, ...) {                                           \
    va_list more;                                                                        \
    va_start(more, flags);                                                               \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;        \
    va_end(more);                                                                        \
    const int below = is_path_below(path);                                               \
    const uint64_t random = below ? fault(#name) : 0;                                    \
    if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR);                 \
    return opened(NEXT(name)(path, flags, mode), below);                                 \
  }
WRAP_OPEN(open)
WRAP_OPEN(open64)

#define WRAP_OPENAT(name)                                                                \
  int name(int at, const char* path, int flags, ...) {                                   \
    va_list more;                                                                        \
    va_start(more, flags);                                                               \
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;        \
    va_end(more);                                                                        \
    const int below = is_path_below(path) || (path[0] != '/' && is_descriptor_below(at)); \
    const uint64_t random = below ? fault(#name) : 0;                                    \
    if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR);                 \
    return opened(NEXT(name)(at, path, flags, mode), below);                             \
  }
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

// Its number may be given to anything next.
int close(int descriptor) {
  opened(descriptor, 0);
  return NEXT(close)(descriptor);
}

int closedir(DIR* directory) {
  opened(dirfd(directory), 0);
  return NEXT(closedir)(directory);
}

// openat2 has no function of its own, and Boost does not use that of statx.
long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(more, long);
  va_end(more);
  const int is_open = number == SYS_openat2;
  const int below = (is_open || number == SYS_statx) && is_path_below((const char*)a[1]);
  const uint64_t random = below ? fault(is_open ? "openat2" : "statx") : 0;
  if (random && !is_open) return FAIL(random, EIO, ENOMEM, EACCES);
  if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES, EINTR, ENOSYS);
  const long result = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (is_open) opened((int)result, below);
  return result;
}

#define WRAP_STAT(name, type)                                                            \
  int name(const char* path, struct type* status) {                                      \
    const uint64_t random = is_path_below(path) ? fault(#name) : 0;                      \
    if (random) return FAIL(random, EIO, ENOMEM, EACCES);                                \
    return NEXT(name)(path, status);                                                     \
  }
WRAP_STAT(stat, stat)
WRAP_STAT(lstat, stat)
WRAP_STAT(stat64, stat64)
WRAP_STAT(lstat64, stat64)

#define WRAP_FSTAT(name, type)                                                           \
  int name(int descriptor, struct type* status) {                                        \
    const uint64_t random = is_descriptor_below(descriptor) ? fault(#name) : 0;          \
    if (random) return FAIL(random, EIO, ENOMEM);                                        \
    return NEXT(name)(descriptor, status);                                               \
  }
WRAP_FSTAT(fstat, stat)
WRAP_FSTAT(fstat64, stat64)

#define WRAP_FSTATAT(name, type)                                                         \
  int name(int at, const char* path, struct type* status, int flags) {                   \
    const uint64_t random = is_path_below(path) || is_descriptor_below(at) ? fault(#name) : 0; \
    if (random) return FAIL(random, EIO, ENOMEM, EACCES);                                \
    return NEXT(name)(at, path, status, flags);                                          \
  }
WRAP_FSTATAT(fstatat, stat)
WRAP_FSTATAT(fstatat64, stat64)

int statx(int at, const char* path, int flags, unsigned mask, struct statx* status) {
  const uint64_t random = is_path_below(path) || is_descriptor_below(at) ? fault("statx") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(statx)(at, path, flags, mask, status);
}

int access(const char* path, int mode) {
  const uint64_t random = is_path_below(path) ? fault("access") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(access)(path, mode);
}

ssize_t readlink(const char* path, char* out, size_t size) {
  const uint64_t random = is_path_below(path) ? fault("readlink") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES);
  return NEXT(readlink)(path, out, size);
}

char* realpath(const char* path, char* out) {
  const uint64_t random = is_path_below(path) ? fault("realpath") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EACCES), NULL;
  return NEXT(realpath)(path, out);
}

// An error, nothing as at the end of a shorter file, or a part.
#define WRAP_READ(name, parameters, ...)                                                 \
  ssize_t name parameters {                                                              \
    const uint64_t random = is_descriptor_below(descriptor) ? fault(#name) : 0;          \
    if (random % 8 == 7) return 0;                                                       \
    if (random && (random >> 4) % 3) return FAIL(random, EIO, ENOMEM, EINTR);            \
    if (random && size > 1) size = 1 + random / 1024 % (size - 1);                       \
    return NEXT(name)(__VA_ARGS__);                                                      \
  }
WRAP_READ(read, (int descriptor, void* out, size_t size), descriptor, out, size)
WRAP_READ(pread, (int descriptor, void* out, size_t size, off_t offset), descriptor, out, size, offset)
WRAP_READ(pread64, (int descriptor, void* out, size_t size, off64_t offset), descriptor, out, size, offset)

DIR* opendir(const char* path) {
  const int below = is_path_below(path);
  const uint64_t random = below ? fault("opendir") : 0;
  if (random) return FAIL(random, EIO, ENOMEM, EMFILE, EACCES), NULL;
  DIR* const directory = NEXT(opendir)(path);
  if (directory) opened(dirfd(directory), below);
  return directory;
}

DIR* fdopendir(int descriptor) {
  const uint64_t random = is_descriptor_below(descriptor) ? fault("fdopendir") : 0;
  if (random) return FAIL(random, EIO, ENOMEM), NULL;
  return NEXT(fdopendir)(descriptor);
}

#define WRAP_READDIR(name, type)                                                         \
  struct type* name(DIR* directory) {                                                    \
    const uint64_t random = is_descriptor_below(dirfd(directory)) ? fault(#name) : 0;    \
    if (random) return FAIL(random, EIO, ENOMEM), NULL;                                  \
    return NEXT(name)(directory);                                                        \
  }
WRAP_READDIR(readdir, dirent)
WRAP_READDIR(readdir64, dirent64)
