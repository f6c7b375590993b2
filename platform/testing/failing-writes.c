/* Loaded before libc: what would change a file below $FAILING_FOLDER fails with the errno that $FAILING_WITH has in it; 0 lets it pass. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int fault(void) {
  static char *file;
  if (!file) file = getenv("FAILING_WITH");
  if (!file) return 0;
  static ssize_t (*real_read)(int, void *, size_t);
  if (!real_read) real_read = dlsym(RTLD_NEXT, "read");
  static int (*real_open)(const char *, int, ...);
  if (!real_open) real_open = dlsym(RTLD_NEXT, "open64");
  int fd = real_open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[16] = "";
  real_read(fd, text, sizeof text - 1);
  close(fd);
  return atoi(text);
}
static int is_below(const char *path) {
  const char *folder = getenv("FAILING_FOLDER");
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}
static int refuses_path(const char *path) {
  int code = is_below(path) ? fault() : 0;
  if (code) errno = code;
  return code;
}
static int refuses(int fd) {
  char link[64], path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX);
  if (length < 0) return 0;
  path[length] = 0;
  return refuses_path(path);
}
#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define OF_FD(result, name, parameters, arguments) \
  result name parameters { REAL(name); if (refuses(fd)) return -1; return real arguments; }
OF_FD(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n))
OF_FD(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o))
OF_FD(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
OF_FD(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t o), (fd, v, n, o))
OF_FD(int, ftruncate64, (int fd, off64_t n), (fd, n))
OF_FD(int, fsync, (int fd), (fd))
OF_FD(int, fdatasync, (int fd), (fd))
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { return pwrite64(fd, b, n, o); }
ssize_t pwritev(int fd, const struct iovec *v, int n, off_t o) { return pwritev64(fd, v, n, o); }
int ftruncate(int fd, off_t n) { return ftruncate64(fd, n); }
#define OF_PATH(name, parameters, arguments) \
  int name parameters { REAL(name); if (refuses_path(path)) return -1; return real arguments; }
OF_PATH(rename, (const char *path, const char *to), (path, to))
OF_PATH(unlink, (const char *path), (path))
OF_PATH(rmdir, (const char *path), (path))
OF_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; va_start(more, flags); mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; va_end(more); \
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && refuses_path(path)) return -1; \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
