// Plays a slow disk: preloaded into a process (LD_PRELOAD), each sync sleeps for SLOW_DISK_MS milliseconds, and then
// syncs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_for_disk(void) {
  const char *setting = getenv("SLOW_DISK_MS");
  double milliseconds = setting ? atof(setting) : 0;
  struct timespec left = {(time_t)(milliseconds / 1000), 0};
  left.tv_nsec = (long)((milliseconds - left.tv_sec * 1000.0) * 1e6);
  while (nanosleep(&left, &left) != 0) {
  }
}

int fsync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_for_disk();
  return real(file);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_for_disk();
  return real(file);
}
