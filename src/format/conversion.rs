//! A tree written in a format.

use super::loss::Loss;

/// A tree in another format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// The files by name, the one with the tree first.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the format cannot hold.
    pub losses: Vec<Loss>,
}
