//! The ground floor: everything that does not depend on fairshare trees. Names of nodes, policies and file formats live
//! further up.

pub mod ascii;
pub mod cores;
#[cfg_attr(not(feature = "terminal"), path = "base/disk/held.rs")]
pub(crate) mod disk;
pub mod extended;
pub mod fingerprint;
pub mod fuzzy;
pub(crate) mod nearest;
pub mod number;
pub mod places;
#[cfg(feature = "terminal")]
pub mod save;
pub mod shell;
pub mod shown;
pub(crate) mod sort;
pub(crate) mod table;
