//! Powers of two, as glibc's `powl` gives them on x86-64.
