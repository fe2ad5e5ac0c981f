//! `fairscope me`: the page of one user, or a page for every user in a directory.

use super::source::{self, Opened, ReadArgs, SourceArgs};
use super::values::{PLAN_FORMS, forms};
use super::{FINE, Outcome, output};
use crate::analysis::user::UserStandings;
use crate::base::number::counted;
use crate::base::save::{save_each, spare};
use crate::base::shown::{sentence, shown};
use crate::model::NodeId;
use crate::report::me::{UserPage, associations_of};
use crate::report::{Form, emit};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use std::collections::{HashMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The most users times nodes for whose pages recovery is looked for: each takes two hundred evaluations of the tree.
const MOST_RECOVERIES: usize = 1 << 22;

/// The longest file name without its ending.
const LONGEST_NAME: usize = 200;

/// `fairscope me`
#[derive(Arguments, Debug)]
pub struct MeArgs {
    /// The source unless --live is given, then the user [default: the login name]
    ///
    /// A user is given by its name, or by the path of one of its associations.
    #[arg(value_names = ["SOURCE", "NAME"], num_args = 1..=2, required_unless_present = "live")]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub reading: ReadArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = forms(PLAN_FORMS))]
    pub format_out: Form,
    /// Write a page for every user, each in a file of its own
    #[arg(long, requires = "out")]
    pub all: bool,
    /// The directory for the pages, which replace those of an earlier run
    #[arg(long, value_name = "DIR", requires = "all")]
    pub out: Option<PathBuf>,
    /// Name other users too
    #[arg(long)]
    pub show_others: bool,
}

pub(super) fn run(args: &MeArgs) -> Outcome {
    let (sources, name) = match (&args.words[..], args.reading.live) {
        ([source, name @ ..], None) => (vec![PathBuf::from(source)], name.first()),
        ([], _) => (Vec::new(), None),
        ([name], Some(_)) => (Vec::new(), Some(name)),
        ([_, more, ..], Some(_)) => bail!(
            "too many arguments: --live replaces the source, so {} is a second user; leave out one of them",
            shown(more.as_bytes())
        ),
    };
    if let Some(name) = name.filter(|_| args.all) {
        bail!(
            "--all writes the pages of all users; leave out {}",
            shown(name.as_bytes())
        );
    }
    let source = SourceArgs {
        sources,
        reading: args.reading.clone(),
    };
    let opened = source::open(&source)?;
    opened.mention_remarks(&source);
    if let Some(folder) = args.out.as_deref() {
        return write_all(&opened, args, folder);
    }
    let nodes = match name {
        Some(name) => {
            associations_of(&opened.view(), name.as_bytes()).map_err(|error| eyre!(error))?
        }
        None => own_associations(&opened)?,
    };
    let user = UserStandings::new(&opened.scenario)
        .of(&nodes, true, &mut |_| ControlFlow::Continue(()))?;
    let page = UserPage {
        view: opened.view(),
        user: &user,
        shows_others: args.show_others,
    };
    output::print(args.format_out, |out| emit(out, &page, args.format_out))
}

/// Returns the associations of the login name.
fn own_associations(opened: &Opened) -> eyre::Result<Vec<NodeId>> {
    let logins = ["USER", "LOGNAME"].into_iter().filter_map(env::var_os);
    let Some(login) = logins.into_iter().find(|login| !login.is_empty()) else {
        bail!(
            "the login name is unknown, because USER and LOGNAME are not set; name a user after the source"
        );
    };
    associations_of(&opened.view(), login.as_bytes()).map_err(|error| {
        let login = shown(login.as_bytes());
        eyre!(sentence!(
            "the login name {login} has no association here; name a user after the source: {error}"
        ))
    })
}

/// Writes the page of each user into a directory.
fn write_all(opened: &Opened, args: &MeArgs, folder: &Path) -> Outcome {
    let tree = opened.scenario.tree();
    let mut users: Vec<Vec<NodeId>> = Vec::new();
    let mut places = HashMap::new();
    for node in tree.users() {
        let place = *places.entry(tree.name(node)).or_insert(users.len());
        if place == users.len() {
            users.push(Vec::new());
        }
        users[place].push(node);
    }
    let sources = opened.reference.request.files();
    let with_recovery = users.len().saturating_mul(tree.node_count()) <= MOST_RECOVERIES;
    if !with_recovery {
        output::complain(
            "the tree is too large to look for the recovery of every user, so the pages leave it out; \
             fairscope me SOURCE NAME tells it for one",
        );
    }
    let form = args.format_out;
    let ending = if form == Form::Markdown {
        "md"
    } else if form == Form::Text {
        "txt"
    } else {
        form.name()
    };
    let mut names = HashSet::new();
    let paths = users
        .iter()
        .map(|nodes| file_name(tree.name(nodes[0]), ending, &mut names));
    let paths: Vec<String> = paths.collect();
    for path in &paths {
        spare(&folder.join(path), &sources)?;
    }
    let mut standings = UserStandings::new(&opened.scenario);
    let mut failure = None;
    let pages = users.iter().zip(paths).map_while(|(nodes, path)| {
        let write = || {
            let user = standings.of(nodes, with_recovery, &mut |_| ControlFlow::Continue(()))?;
            let view = opened.view();
            let page = UserPage {
                view,
                user: &user,
                shows_others: args.show_others,
            };
            let mut bytes = Vec::new();
            emit(&mut bytes, &page, form)?;
            eyre::Ok((path, bytes))
        };
        write().map_err(|error| failure = Some(error)).ok()
    });
    save_each(folder, pages)?;
    if let Some(error) = failure {
        return Err(error);
    }
    let pages = counted(users.len(), "page", "pages");
    let folder = shown(folder.as_os_str().as_bytes());
    output::print(Form::Text, |out| writeln!(out, "{pages} in {folder}"))?;
    Ok(FINE)
}

/// Returns a file name for a user that no other has: letters, digits, `.`, `_` and `-` as they are, other bytes as `%` and
/// two digits, and of a long name the beginning and a number.
fn file_name(user: &[u8], ending: &str, taken: &mut HashSet<String>) -> String {
    let mut name = String::new();
    for (place, &byte) in user.iter().enumerate() {
        let is_plain =
            byte.is_ascii_alphanumeric() || b"_-".contains(&byte) || (byte == b'.' && place > 0);
        // Writing to a String cannot fail.
        let _ = if is_plain {
            write!(name, "{}", byte as char)
        } else {
            write!(name, "%{byte:02X}")
        };
    }
    if name.len() > LONGEST_NAME || name.is_empty() {
        name.truncate(LONGEST_NAME);
        let numbers = (1..).map(|number| format!("{name}%~{number}"));
        name = numbers
            .into_iter()
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        taken.insert(name.clone());
    }
    format!("{name}.{ending}")
}
