//! What PBS's own `pbsfs` prints, byte for byte.
