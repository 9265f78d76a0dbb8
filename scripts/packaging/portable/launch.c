// Starts the program of a folder that carries its C library, on a system with another one, or none:
// FOLDER/plainfs is this launcher, linked statically, FOLDER/program the program, FOLDER/loader the dynamic
// loader of the C library, and FOLDER has all libraries. The program sees the name by which the launcher was
// called.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static int fail(const char* path, int error) {
  fprintf(stderr, "plainfs: %s: %s\n", path, strerror(error));
  return 127;
}

// Writes the folder of the launcher's file, with links followed, or ../lib/plainfs from there. Without /proc it is found by the name that
// the kernel was given.
static int find_folder(char* folder) {
  const char* given = (const char*)getauxval(AT_EXECFN);
  if (!realpath("/proc/self/exe", folder) && (!given || !realpath(given, folder))) return 0;
  char* end = strrchr(folder, '/');
  if (!end) return 0;
  *end = '\0';
  char loader[PATH_MAX + 16];
  snprintf(loader, sizeof loader, "%s/loader", folder);
  if (access(loader, X_OK) == 0) return 1;
  if (strlen(folder) + sizeof "/../lib/plainfs" > PATH_MAX) return 0;
  strcat(folder, "/../lib/plainfs");  // where pip puts it
  return 1;
}

int main(int count, char** words) {
  static char folder[PATH_MAX], loader[PATH_MAX + 16], program[PATH_MAX + 16];
  if (!find_folder(folder)) return fail("its folder", errno);
  snprintf(loader, sizeof loader, "%s/loader", folder);
  snprintf(program, sizeof program, "%s/program", folder);
  char** arguments = malloc((size_t)(count + 8) * sizeof *arguments);
  if (!arguments) return fail("its arguments", ENOMEM);
  int used = 0;
  arguments[used++] = loader;
  arguments[used++] = "--argv0";
  arguments[used++] = count > 0 ? words[0] : "plainfs";
  arguments[used++] = "--library-path";
  arguments[used++] = folder;
  arguments[used++] = program;
  for (int i = 1; i < count; ++i) arguments[used++] = words[i];
  arguments[used] = NULL;
  execv(loader, arguments);
  return fail(loader, errno);
}
