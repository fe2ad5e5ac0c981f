//! Opening a file that says what shares should be: a list of them, or any tree.

mod drift;

pub use crate::format::desired::DesiredShares;
pub use drift::Drift;

use super::detect::recognize;
use super::opened::Opened;
use super::{load, load_inputs};
use crate::format::desired::read;
use crate::format::input::{self, PathKind};
use crate::format::{Format, LoadError, OnProgress, Problems, Request, flux};
use crate::model::path_of;
use std::path::Path;

/// A file of desired shares.
#[derive(Clone, Debug)]
pub struct DesiredFile {
    /// Its shares.
    pub list: Vec<DesiredShares>,
    /// The lines that could not be read.
    pub problems: Problems,
    /// Whether nodes are added that the tree lacks.
    pub adds: bool,
    /// The account of those whose own it does not tell.
    pub below: Option<Vec<u8>>,
}

impl DesiredFile {
    /// Reads a file. Fails if it cannot be read, or if it tells no shares.
    pub fn read(
        path: &Path,
        below: Option<Vec<u8>>,
        report: OnProgress<'_>,
    ) -> Result<Self, LoadError> {
        let mut desired = Self {
            list: Vec::new(),
            problems: Problems::of(input::name(path)),
            adds: true,
            below,
        };
        let request = Request {
            path: path.to_owned(),
            ..Request::default()
        };
        let is_file = path.as_os_str() == "-"
            || input::look(path)? == PathKind::File && !flux::is_database(path)?;
        let loaded = if is_file {
            let recognized = recognize(input::read(path, &mut *report)?);
            recognized.check()?;
            if matches!(recognized.format(), None | Some(Format::Csv)) {
                (desired.list, desired.problems) = read(&recognized.input)?;
                return Ok(desired);
            }
            load_inputs(vec![recognized.input], &request, report)?
        } else {
            load(&request, report)?
        };
        let opened = Opened::new(loaded, None);
        let tree = opened.scenario.tree();
        // To PBS, the shares of `unknown` are a setting.
        let nodes = tree.nodes().iter().skip(1);
        let nodes = nodes.filter(|&&node| Some(node) != tree.unknown());
        let list = nodes.filter_map(|&node| {
            // A name alone tells no account, and at the top nothing else does.
            let is_bare = tree.depth(node) == 1 && tree.ordinal(node).is_none();
            let slash = if is_bare { "/" } else { "" };
            Some(DesiredShares {
                place: [slash, &path_of(tree, node)?].concat().into_bytes(),
                kind: Some(tree.kind(node)).filter(|_| !tree.kinds_follow_shape()),
                shares: tree.shares(node),
                line: None,
            })
        });
        desired.list = list.collect();
        Ok(desired)
    }
}
