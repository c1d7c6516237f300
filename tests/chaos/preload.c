/* LD_PRELOAD: a full or broken disk, and a clock that is wrong, for one process and without root.
 *
 *   CHAOS_DISK_FOLDER   writes to files below it fail ...
 *
 *   CHAOS_DISK_FAULT    ... with the errno in this file, an int that is mapped here and changed
 *                       from outside: ENOSPC, EIO, or 0 for none
 *
 *   CHAOS_CLOCK_SHIFT   seconds that the wall clock is ahead; less than 0: behind
 *
 * A write to a full disk takes half of the bytes before the next one is refused.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const int kNoFault = 0;
static const volatile int* fault = &kNoFault;
static const char* folder = "";
static time_t clock_shift = 0;

__attribute__((constructor)) static void Load(void) {
  const char* shift = getenv("CHAOS_CLOCK_SHIFT");
  if (shift != NULL) clock_shift = atol(shift);
  const char* path = getenv("CHAOS_DISK_FAULT");
  const char* wanted = getenv("CHAOS_DISK_FOLDER");
  if (path == NULL || wanted == NULL) return;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* mapped = mmap(NULL, sizeof(int), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return;
  folder = wanted;
  fault = mapped;
}

/* Whether `path` is to fail now; sets errno. */
static int FailsPath(const char* path) {
  const int number = *fault;
  if (number == 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
  errno = number;
  return 1;
}

static int FailsFile(int file) {
  if (*fault == 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t size = readlink(link, path, sizeof(path) - 1);
  if (size < 0) return 0;
  path[size] = '\0';
  return FailsPath(path);
}

#define REAL(type, name, ...)       \
  static type (*real)(__VA_ARGS__); \
  if (real == NULL) *(void**)(&real) = dlsym(RTLD_NEXT, name)

ssize_t write(int file, const void* data, size_t size) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (!FailsFile(file)) return real(file, data, size);
  return errno == ENOSPC && size > 1 ? real(file, data, size / 2) : -1;
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void*, size_t, off_t);
  if (!FailsFile(file)) return real(file, data, size, offset);
  return errno == ENOSPC && size > 1 ? real(file, data, size / 2, offset) : -1;
}
ssize_t pwrite64(int file, const void* data, size_t size, off_t offset) {
  return pwrite(file, data, size, offset);
}

int fsync(int file) {
  REAL(int, "fsync", int);
  return FailsFile(file) ? -1 : real(file);
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  return FailsFile(file) ? -1 : real(file);
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  return FailsFile(file) ? -1 : real(file, size);
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

int fallocate(int file, int mode, off_t offset, off_t size) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  return FailsFile(file) ? -1 : real(file, mode, offset, size);
}
int fallocate64(int file, int mode, off_t offset, off_t size) {
  return fallocate(file, mode, offset, size);
}

int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  return FailsPath(to) ? -1 : real(from, to);
}

int open(const char* path, int flags, ...) {
  REAL(int, "open", const char*, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return (flags & O_CREAT) && FailsPath(path) ? -1 : real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags | O_LARGEFILE, mode);
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  REAL(int, "clock_gettime", clockid_t, struct timespec*);
  const int failed = real(clock, now);
  if (failed == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_shift;
  return failed;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  REAL(int, "gettimeofday", struct timeval*, void*);
  const int failed = real(now, zone);
  if (failed == 0) now->tv_sec += clock_shift;
  return failed;
}

time_t time(time_t* now) {
  REAL(time_t, "time", time_t*);
  const time_t shifted = real(NULL) + clock_shift;
  if (now != NULL) *now = shifted;
  return shifted;
}

int timespec_get(struct timespec* now, int base) {
  REAL(int, "timespec_get", struct timespec*, int);
  const int got = real(now, base);
  if (got == TIME_UTC) now->tv_sec += clock_shift;
  return got;
}

/* A deadline is worked out from the shifted clock and goes to the kernel, whose clock isn't. Left as
 * it is, it would be over at once, and the caller would spin, or come by the shift too late. */
static struct timespec Unshifted(const struct timespec* deadline) {
  struct timespec unshifted = *deadline;
  unshifted.tv_sec -= clock_shift;
  return unshifted;
}

int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                           const struct timespec* restrict deadline) {
  static int (*real)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*) = NULL;
  if (real == NULL) real = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  const struct timespec unshifted = Unshifted(deadline);
  return real(condition, mutex, &unshifted);
}

/* The same of C11, which Debian's librdkafka uses. */
int cnd_timedwait(cnd_t* restrict condition, mtx_t* restrict mutex,
                  const struct timespec* restrict deadline) {
  REAL(int, "cnd_timedwait", cnd_t*, mtx_t*, const struct timespec*);
  const struct timespec unshifted = Unshifted(deadline);
  return real(condition, mutex, &unshifted);
}
