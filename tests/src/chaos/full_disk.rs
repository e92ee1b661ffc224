//! A disk that is full while a file says so, for one process and its children.

use std::path::{Path, PathBuf};
use std::process::Command;

const CODE: &str = r#"
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/stat.h>
    #include <sys/uio.h>
    #include <unistd.h>
    static int is_full(int fd, off_t end) {
        const char *flag = getenv("FULL_WHILE"), *what = getenv("FULL_FAILS");
        if (!flag || !what || access(flag, F_OK)) return 0;
        struct stat st;
        if (fstat(fd, &st) || !S_ISREG(st.st_mode)) return 0;
        if (!strcmp(what, "growth") && end <= st.st_size) return 0;
        int bites = open(flag, O_WRONLY | O_APPEND);
        if (bites >= 0) { if (write(bites, "x", 1)) {} close(bites); }
        return 1;
    }
    #define WRITE(name) ssize_t name(int fd, const void *from, size_t size, off_t at) { \
        if (is_full(fd, at + (off_t)size)) { errno = ENOSPC; return -1; } \
        return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, #name))(fd, from, size, at); }
    WRITE(pwrite)
    WRITE(pwrite64)
    #define WRITEV(name) ssize_t name(int fd, const struct iovec *from, int count, off_t at) { \
        off_t end = at; for (int i = 0; i < count; i++) end += from[i].iov_len; \
        if (is_full(fd, end)) { errno = ENOSPC; return -1; } \
        return ((ssize_t (*)(int, const struct iovec *, int, off_t))dlsym(RTLD_NEXT, #name))(fd, from, count, at); }
    WRITEV(pwritev)
    WRITEV(pwritev64)
    #define ALLOCATE(name) int name(int fd, off_t at, off_t size) { \
        if (is_full(fd, at + size)) return ENOSPC; \
        return ((int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, #name))(fd, at, size); }
    ALLOCATE(posix_fallocate)
    ALLOCATE(posix_fallocate64)
"#;

/// The writes that fail on a full disk.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Full {
    /// Writes that make a file larger.
    Growth,
    /// Every write, as on a file system that never writes in place.
    Writes,
}

/// The library that a process is started with, and the file that says whether the disk is full.
#[derive(Clone, Debug)]
pub struct FullDisk {
    library: PathBuf,
    flag: PathBuf,
    full: Full,
}

impl FullDisk {
    /// Makes a disk in a folder that the process can read; it has free space at first.
    ///
    /// # Panics
    /// If there is no C compiler.
    pub fn new(folder: &Path, full: Full) -> Self {
        let source = folder.join("full.c");
        let (library, flag) = (folder.join("full.so"), folder.join("full"));
        std::fs::write(&source, CODE).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library);
        let built = compiler.arg(&source).arg("-ldl").status().unwrap();
        assert!(built.success(), "the C compiler is needed");
        Self {
            library,
            flag,
            full,
        }
    }

    /// Returns the environment with which the process must be started.
    pub fn environment(&self) -> [(&'static str, String); 3] {
        let fails = match self.full {
            Full::Growth => "growth",
            Full::Writes => "writes",
        };
        [
            ("LD_PRELOAD", self.library.to_string_lossy().into_owned()),
            ("FULL_WHILE", self.flag.to_string_lossy().into_owned()),
            ("FULL_FAILS", fails.to_owned()),
        ]
    }

    /// Makes the disk full.
    ///
    /// # Panics
    /// If the file cannot be made.
    pub fn fill(&self) {
        use std::os::unix::fs::PermissionsExt as _;

        let open = std::fs::Permissions::from_mode(0o666);
        // The file must not exist before writers may count in it.
        let new = self.flag.with_extension("new");
        std::fs::write(&new, "").unwrap();
        std::fs::set_permissions(&new, open).unwrap();
        std::fs::rename(new, &self.flag).unwrap();
    }

    /// Makes the disk have free space again. Returns the number of failed writes.
    ///
    /// # Panics
    /// If it was not filled.
    pub fn empty(&self) -> u64 {
        let bites = self.bites();
        std::fs::remove_file(&self.flag).unwrap();
        bites
    }

    /// Returns the number of writes that failed since the disk became full.
    ///
    /// # Panics
    /// If it was not filled.
    pub fn bites(&self) -> u64 {
        std::fs::metadata(&self.flag).unwrap().len()
    }
}
