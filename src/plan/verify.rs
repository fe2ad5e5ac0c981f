//! Whether a plan was carried out.
