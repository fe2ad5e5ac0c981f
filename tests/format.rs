//! Files in and out.

mod convert;
mod csv;
mod native;
