//! `fairscope me`: the page of one user, or a page for every user in a directory.

use super::ask::ask;
use super::source::{self, Opened, ReadArgs, SourceArgs};
use super::values::{PAGE_FORMS, TableArgs, forms};
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::analysis::user::{IdleRecoveries, UserStanding};
use crate::base::number::counted;
use crate::base::save::{save_each, spare, spare_folder};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::companion::Companion;
use crate::model::NodeId;
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::me::{UserPage, associations_of};
use crate::report::question::{AskedUser, Question};
use crate::report::{Form, Output, emit};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail, eyre};
use std::collections::HashMap;
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
    #[arg(value_names = ["SOURCE", "NAME"], num_args = 1..=2, required_unless_present = "live")]
    pub words: Vec<OsString>,
    #[command(flatten)]
    pub reading: ReadArgs,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = forms(PAGE_FORMS))]
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
    let count = usize::from(args.reading.live.is_none()).min(args.words.len());
    let (sources, names) = args.words.split_at(count);
    if let Some(surplus) = names.get(usize::from(!args.all)) {
        let name = shown(surplus.as_bytes());
        bail!("one user too many: {name}; expected one, or none with --all");
    }
    let sources = sources.iter().map(PathBuf::from).collect();
    let source = SourceArgs::of(sources, args.reading.clone());
    let opened = source::open(&source)?;
    opened.mention_remarks(&source);
    let queue = queue(&opened);
    if let Some(folder) = args.out.as_deref() {
        return write_all(&opened, queue.as_ref(), args, folder);
    }
    let nodes = match names.first() {
        Some(name) => associations(&opened, name.as_bytes()).map_err(|error| eyre!(error))?,
        None => own_associations(&opened)?,
    };
    let question = Question::User(AskedUser {
        associations: nodes,
        shows_others: args.show_others,
    });
    let form = TableArgs::plain(args.format_out);
    ask(&opened, &question, queue.as_ref(), &form)
}

/// Returns the jobs that wait, if outputs of sprio were found with the tree. One that cannot be read is only mentioned.
fn queue(opened: &Opened) -> Option<Queue> {
    if opened.source.companions.of(Companion::Sprio).is_empty() {
        return None;
    }
    let found = &opened.source.companions;
    let given = GivenOutputs::default();
    let report = &mut |_: &_| ControlFlow::Continue(());
    match Queue::read(&opened.scenario, given, found, report) {
        Ok((queue, _)) => Some(queue),
        Err(error) => {
            let error = Shown::error(&error);
            output::complain(&sentence!("the page has no waiting jobs: {error}"));
            None
        }
    }
}

fn associations(opened: &Opened, user: &[u8]) -> Result<Vec<NodeId>, Shown> {
    let scenario = &opened.scenario;
    associations_of(scenario.tree(), scenario.settings(), user)
}

/// Returns the associations of the login name.
fn own_associations(opened: &Opened) -> eyre::Result<Vec<NodeId>> {
    let mut logins = ["USER", "LOGNAME"].into_iter().filter_map(env::var_os);
    let login = logins.find(|login| !login.is_empty());
    let Some(login) = login.or_else(live::login_name) else {
        bail!(
            "neither USER, LOGNAME nor id -un tells the login name; name a user after the source"
        );
    };
    associations(opened, login.as_bytes()).map_err(|error| {
        let advice = "the login name has no association here; name a user after the source";
        eyre!(sentence!("{advice}: {error}"))
    })
}

/// Writes the page of each user into a directory.
fn write_all(opened: &Opened, queue: Option<&Queue>, args: &MeArgs, folder: &Path) -> Outcome {
    let tree = opened.scenario.tree();
    let form = args.format_out;
    let mut users: Vec<Vec<NodeId>> = Vec::new();
    let mut places = HashMap::new();
    for node in tree.users() {
        let place = *places.entry(tree.name(node)).or_insert(users.len());
        match users.get_mut(place) {
            Some(user) => user.push(node),
            None => users.push(vec![node]),
        }
    }
    let is_small = users.len().saturating_mul(tree.node_count()) <= MOST_RECOVERIES;
    if !is_small {
        output::complain(
            "the pages leave out recovery, because the tree is too large to simulate it for every user; fairscope me \
             SOURCE NAME tells it for one",
        );
    }
    let ending = match form.name() {
        "text" => "txt",
        "markdown" => "md",
        name => name,
    };
    let sources = opened.source.reference.request.files();
    spare_folder(folder, &sources)?;
    let mut progress = output::Progress::of("pages", users.len());
    let go_on = &mut |_| ControlFlow::Continue(());
    let idle = if is_small {
        let nodes: Vec<NodeId> = tree.users().collect();
        IdleRecoveries::of(&opened.scenario, &nodes, go_on)?
    } else {
        IdleRecoveries::default()
    };
    let pages = users.iter().enumerate().map(|(place, nodes)| {
        progress.show(place);
        let path = format!("{}.{ending}", file_name(tree.name(nodes[0]), place));
        spare(&folder.join(&path), &sources)?;
        let mut user = UserStanding::of(&opened.scenario, nodes);
        if is_small {
            user.add_recovery(&opened.scenario, &idle, go_on)?;
        }
        let mut bytes = Vec::new();
        let out = &mut Output::new(&mut bytes, None);
        let page = UserPage {
            view: opened.view(),
            user,
            queue,
            shows_others: args.show_others,
        };
        emit(out, &page, form)?;
        eyre::Ok((path, bytes))
    });
    save_each(folder, pages)?;
    drop(progress);
    let pages = counted(users.len(), "page", "pages");
    let folder = shown(folder.as_os_str().as_bytes());
    output::print_whole(Form::Text, format!("{pages} in {folder}\n"))
}

/// Returns a file name for a user that no other has: letters, digits, `.`, `_` and `-` as they are, other bytes as `%` and
/// two digits, and of a long name the beginning and its place in the tree.
fn file_name(user: &[u8], place: usize) -> String {
    let mut name = String::new();
    for &byte in user {
        let is_hidden_file = byte == b'.' && name.is_empty();
        if !is_hidden_file && (byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
            name.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(name, "%{byte:02X}");
        }
    }
    match name.get(..LONGEST_NAME) {
        Some(start) => format!("{start}%~{place}"),
        None => name,
    }
}
