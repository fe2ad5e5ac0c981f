//! Which rule made recorded numbers.
