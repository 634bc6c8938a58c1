// Plays a disk that has failed: preloaded into a process (LD_PRELOAD), it refuses every write of a database while there is a file at
// FAILING_DISK, and every sync while there is one there or at FAILING_SYNC.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static int has_failed(const char *variable, int code) {
  const char *file = getenv(variable);
  if (!file || access(file, F_OK) != 0) return 0;
  errno = code;
  return 1;
}

static int sync_has_failed(void) { return has_failed("FAILING_DISK", EIO) || has_failed("FAILING_SYNC", EIO); }

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = (ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
  return has_failed("FAILING_DISK", EROFS) ? -1 : real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) real = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  return has_failed("FAILING_DISK", EROFS) ? -1 : real(file, bytes, count, offset);
}

int ftruncate64(int file, off64_t length) {
  static int (*real)(int, off64_t);
  if (!real) real = (int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64");
  return has_failed("FAILING_DISK", EROFS) ? -1 : real(file, length);
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return sync_has_failed() ? -1 : real(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  return sync_has_failed() ? -1 : real(file);
}
