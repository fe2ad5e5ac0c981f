//! Our own TOML.
