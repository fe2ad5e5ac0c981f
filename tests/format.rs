//! Files in and out.

mod convert;
mod csv;
mod input;
mod native;
mod pbs;
