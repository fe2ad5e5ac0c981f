//! Files in and out: what a scheduler or a person wrote becomes a [`Snapshot`] and a list of [`Problem`]s.
//!
//! A parser does not fail on a bad line: it returns what it understood and says what it made of the rest.
//! [`LoadError`] is for what cannot be read at all. Nothing here prints, and nothing here writes a source.

pub mod convert;
pub mod csv;
pub mod example;
pub mod input;
pub mod native;
pub mod pbs;
pub mod problem;
mod source;
mod text;

pub use example::example;
pub use problem::{Problem, Problems, Severity};

use crate::model::{SettingError, Snapshot};
use std::ops::ControlFlow;
use std::path::PathBuf;

macro_rules! formats {
    ($($variant:ident, $name:literal, $help:literal;)*) => {
        /// A kind of file fairscope opens.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $(#[doc = $help] $variant,)*
        }

        impl Format {
            /// All formats, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the command line and in JSON.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What is read, in one line.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

formats! {
    Pbs, "pbs", "a PBS sched_priv directory, or a resource_group file with --usage and --sched-config";
    Csv, "csv", "parent,name,shares,usage,type with a header line";
    Toml, "toml", "fairscope's own trees and scenarios";
}

impl Format {
    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
    }
}

/// What to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path; `-` is standard input.
    pub path: PathBuf,
    /// The format, where the user said it; else it is found from the content.
    pub format: Option<Format>,
    /// The usage file that goes with a `resource_group` file.
    pub usage: Option<PathBuf>,
    /// The `sched_config` that goes with a `resource_group` file.
    pub sched_config: Option<PathBuf>,
    /// `--set KEY=VALUE`, in order; they win over what the source says.
    pub settings: Vec<(String, String)>,
}

/// How far loading has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is being read.
    pub file: String,
    /// Bytes read so far.
    pub bytes: u64,
    /// Bytes in all, where that is known.
    pub total: Option<u64>,
    /// Nodes made so far.
    pub nodes: usize,
}

/// Called now and then while loading; breaking off cancels.
pub type Report<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// One edit of a saved scenario, as text of the edit language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// What to do: `shares group1/bob=20`.
    pub text: String,
    /// Why, in the user's words; empty if they gave none.
    pub reason: String,
    /// The line of the file it stands in.
    pub line: usize,
}

/// What loading gave.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The tree and its settings.
    pub snapshot: Snapshot,
    /// What was odd or wrong.
    pub problems: Problems,
    /// The policy the file asks for, by name.
    pub policy: Option<String>,
    /// The edits of a scenario, still to be applied; empty for anything else.
    pub edits: Vec<SavedEdit>,
    /// The path of the scenario file, where one was opened: what saving goes back to.
    pub scenario: Option<PathBuf>,
}

/// Why a source could not be opened at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The source is not there, is of the wrong kind, or holds nothing we know. The sentence says what and how to mend.
    #[error("{0}")]
    Refused(String),
    /// Reading failed.
    #[error("{path}: {error}")]
    Read {
        /// The file, as it may be shown.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A `--set` that does not fit.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The user cancelled.
    #[error("loading was cancelled")]
    Cancelled,
}

/// Opens a source.
///
/// # Errors
/// If it cannot be read at all.
pub fn load(request: &Request, report: Report<'_>) -> Result<Loaded, LoadError> {
    use crate::model::{Kind, NodeId, Position, Settings, Shares, Source, TreeBuilder};
    let is_stdin = request.path.as_os_str() == "-";
    if is_stdin || request.path.is_file() {
        let read = if is_stdin {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map(|_| bytes)
        } else {
            std::fs::read(&request.path)
        };
        let bytes = read.map_err(|error| LoadError::Read {
            path: String::new(),
            error,
        })?;
        return if bytes.starts_with(b"#") || bytes.starts_with(b"fairscope") {
            native::parse(bytes, request, report)
        } else {
            csv::parse(bytes, request, report)
        };
    }
    let path = request.path.join("resource_group");
    let text = std::fs::read_to_string(&path).map_err(|error| LoadError::Read {
        path: crate::shown::shown(path.as_os_str().as_encoded_bytes()),
        error,
    })?;
    let mut builder = TreeBuilder::new(b"TREEROOT");
    builder.set_shares(NodeId::ROOT, Shares::new(-1));
    let name = builder.intern(b"unknown");
    let unknown = builder.push(NodeId::ROOT, name, Kind::Account, Position::First);
    builder.follow_pbs(unknown);
    let mut nodes = vec![(b"root".to_vec(), NodeId::ROOT)];
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [name, group, parent, shares] = fields[..] else {
            continue;
        };
        let Some((_, parent)) = nodes.iter().find(|(name, _)| name == parent.as_bytes()) else {
            continue;
        };
        let id = builder.intern(name.as_bytes());
        let node = builder.push(*parent, id, Kind::User, Position::First);
        builder.set_shares(node, Shares::new(shares.parse().unwrap_or(0)));
        builder.set_group(node, group.parse().unwrap_or(0));
        nodes.push((name.as_bytes().to_vec(), node));
    }
    let usage = std::fs::read(request.path.join("usage")).unwrap_or_default();
    for record in usage.get(32..).unwrap_or_default().chunks_exact(64) {
        let end = record.iter().position(|&byte| byte == 0).unwrap_or(0);
        let node = nodes.iter().find(|(name, _)| *name == record[..end]);
        if let Some(&(_, node)) = node {
            let amount = f64::from_le_bytes(record[56..].try_into().expect("eight bytes"));
            builder.record(node, amount, !builder.has_children(node));
        }
    }
    let mut settings = Settings::default();
    for (key, value) in &request.settings {
        settings.set(key, value)?;
    }
    builder.set_shares(unknown, Shares::new(settings.pbs.unknown_shares.into()));
    Ok(Loaded {
        snapshot: Snapshot {
            tree: builder.build(),
            settings,
            source: Source {
                format: "pbs",
                path: request.path.to_string_lossy().into_owned(),
                title: String::new(),
                taken: None,
                usage_unit: "cput".to_owned(),
            },
        },
        problems: Problems::default(),
        policy: None,
        edits: Vec::new(),
        scenario: None,
    })
}
