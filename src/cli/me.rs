//! `fairscope me`: the page of one user, or a page for every user in a directory.

use super::ask::ask;
use super::source::{self, Opened, ReadArgs, SourceArgs, go_on};
use super::values::{PAGE_FORMS, TableArgs, forms};
use super::{Outcome, output};
use crate::analysis::queue::Queue;
use crate::analysis::user::{IdleRecoveries, MedianUser, UserStanding};
use crate::base::number::counted;
use crate::base::save::{save_each, spare, spare_folder};
use crate::base::shown::{Shown, sentence, shown};
use crate::format::slurm::companion::Companion;
use crate::model::{NodeId, Tree};
use crate::open::live;
use crate::open::waiting::GivenOutputs;
use crate::report::me::{UserPage, associations_of};
use crate::report::question::{AskedUser, Question};
use crate::report::{Form, Output, emit};
use clap::Args as Arguments;
use color_eyre::eyre::{self, bail};
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
    #[arg(long, short = 'o', value_name = "FORM", default_value = "text", value_parser = forms(PAGE_FORMS))]
    pub format_out: Form,
    /// Write a page for every user, each in a file of its own
    #[arg(long, requires = "out")]
    pub all: bool,
    /// The directory for the pages, which replace those of an earlier run
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Name other users too
    #[arg(long)]
    pub show_others: bool,
}

/// Prints the page of the named user, or of the login name; with --all writes the pages of all users.
pub(super) fn run(args: &MeArgs) -> Outcome {
    if args.out.is_some() && !args.all {
        bail!(
            "--out takes the pages of --all; one page: fairscope me SOURCE NAME -o html > NAME.html"
        );
    }
    let words = SourceAndName::of(args)?;
    let source = SourceArgs::of(words.sources, args.reading.clone());
    let opened = source::open(&source)?;
    opened.mention_remarks(&source);
    let queue = queue(&opened);
    if let Some(folder) = &args.out {
        let pages = UserPages::of(&opened, queue.as_ref(), args);
        return pages.write(folder);
    }
    let associations = match words.name {
        Some(name) => named_associations(&opened, name)?,
        None => own_associations(&opened)?,
    };
    let question = Question::User(AskedUser {
        associations,
        shows_others: args.show_others,
    });
    let form = TableArgs::plain(args.format_out);
    ask(&opened, &question, queue.as_ref(), &form)
}

/// What the words of `me` are.
struct SourceAndName<'a> {
    /// None with a live scheduler.
    sources: Vec<PathBuf>,
    /// The user whose page is asked for; `None` for the login name, and for all users.
    name: Option<&'a OsString>,
}

impl<'a> SourceAndName<'a> {
    /// Splits the words; fails if a user is named beside --all, or a second one.
    fn of(args: &'a MeArgs) -> eyre::Result<Self> {
        let mut words = args.words.iter();
        let mut sources = Vec::new();
        if args.reading.live.is_none() {
            sources.extend(words.next().map(PathBuf::from));
        }
        let mut name = None;
        if !args.all {
            name = words.next();
        }
        if let Some(surplus) = words.next() {
            let surplus = shown(surplus.as_bytes());
            bail!("one user too many: {surplus}; expected one, or none with --all");
        }
        Ok(Self { sources, name })
    }
}

/// Returns the jobs that wait, if outputs of sprio were found with the tree. One that cannot be read is only mentioned.
fn queue(opened: &Opened) -> Option<Queue> {
    let found = &opened.source.companions;
    if found.of(Companion::Sprio).is_empty() {
        return None;
    }
    let given = GivenOutputs::default();
    match Queue::read(&opened.scenario, given, found, &mut go_on) {
        Ok((queue, _)) => Some(queue),
        Err(error) => {
            let error = Shown::error(&error);
            output::complain(&sentence!("the page has no waiting jobs: {error}"));
            None
        }
    }
}

/// Returns the associations of a user; the error names the nearest user that the tree has.
fn associations(opened: &Opened, user: &[u8]) -> Result<Vec<NodeId>, Shown> {
    let scenario = &opened.scenario;
    associations_of(scenario.tree(), scenario.settings(), user)
}

/// Returns the associations of the user that the command line names.
fn named_associations(opened: &Opened, name: &OsString) -> eyre::Result<Vec<NodeId>> {
    match associations(opened, name.as_bytes()) {
        Ok(nodes) => Ok(nodes),
        Err(error) => bail!(error),
    }
}

/// Returns the associations of the login name.
fn own_associations(opened: &Opened) -> eyre::Result<Vec<NodeId>> {
    let Some(login) = login() else {
        bail!(
            "neither USER, LOGNAME nor id -un tells the login name; name a user after the source"
        );
    };
    match associations(opened, login.as_bytes()) {
        Ok(nodes) => Ok(nodes),
        Err(error) => {
            bail!("the login name is no user here; name a user after the source: {error}")
        }
    }
}

/// Returns the login name as the environment or the system tells it; `None` if neither does.
fn login() -> Option<OsString> {
    for variable in ["USER", "LOGNAME"] {
        if let Some(login) = env::var_os(variable)
            && !login.is_empty()
        {
            return Some(login);
        }
    }
    live::login_name()
}

/// The pages of all users, each of which becomes a file.
struct UserPages<'a> {
    /// The tree that the pages are about.
    opened: &'a Opened,
    /// The jobs that wait; `None` if they are not known.
    queue: Option<&'a Queue>,
    /// The form of the pages, and whether they name other users.
    args: &'a MeArgs,
    /// The associations of each user, in the order of the tree.
    users: Vec<Vec<NodeId>>,
    /// The median of all users, which is on every page; `None` where it would mislead.
    median: Option<MedianUser>,
    /// Whether the tree is small enough to look for the recovery of every user.
    has_recovery: bool,
}

impl<'a> UserPages<'a> {
    /// Returns the pages, to be written; recovery is left out for a tree beyond [`MOST_RECOVERIES`].
    fn of(opened: &'a Opened, queue: Option<&'a Queue>, args: &'a MeArgs) -> Self {
        let tree = opened.scenario.tree();
        let users = associations_by_user(tree);
        let evaluations = users.len().saturating_mul(tree.node_count());
        Self {
            opened,
            queue,
            args,
            users,
            median: MedianUser::of(&opened.scenario),
            has_recovery: evaluations <= MOST_RECOVERIES,
        }
    }

    /// Writes the page of each user into a directory.
    fn write(&self, folder: &Path) -> Outcome {
        if !self.has_recovery {
            output::complain(
                "the pages leave out recovery, because the tree is too large to simulate it for every user; fairscope me \
                 SOURCE NAME tells it for one",
            );
        }
        let request = &self.opened.source.reference.request;
        let sources = request.files();
        spare_folder(folder, &sources)?;
        let count = self.users.len();
        let mut progress = output::Progress::of("pages", count);
        let idle = self.idle_recoveries()?;
        let users = self.users.iter().enumerate();
        let pages = users.map(|(place, nodes)| {
            progress.show(place);
            let file = self.file_of(nodes, place);
            let path = folder.join(&file);
            spare(&path, &sources)?;
            let page = self.page(nodes, &idle)?;
            eyre::Ok((file, page))
        });
        save_each(folder, pages)?;
        drop(progress);
        let pages = counted(count, "page", "pages");
        let folder = shown(folder.as_os_str().as_bytes());
        let told = format!("{pages} in {folder}\n");
        output::print_whole(Form::Text, told)
    }

    /// Returns when each user recovers if everybody stops; nothing of a tree that is too large for it.
    fn idle_recoveries(&self) -> eyre::Result<IdleRecoveries> {
        if !self.has_recovery {
            return Ok(IdleRecoveries::default());
        }
        let scenario = &self.opened.scenario;
        let nodes: Vec<NodeId> = scenario.tree().users().collect();
        let idle = IdleRecoveries::of(scenario, &nodes, &mut to_the_end)?;
        Ok(idle)
    }

    /// Returns the name of the file for a user's page.
    fn file_of(&self, nodes: &[NodeId], place: usize) -> String {
        let tree = self.opened.scenario.tree();
        let user = tree.name(nodes[0]);
        let name = file_name(user, place);
        let ending = self.args.format_out.ending();
        format!("{name}.{ending}")
    }

    /// Returns the page of the user with these associations.
    fn page(&self, nodes: &[NodeId], idle: &IdleRecoveries) -> eyre::Result<Vec<u8>> {
        let scenario = &self.opened.scenario;
        let mut user = UserStanding::of(scenario, nodes);
        if self.has_recovery {
            user.add_recovery(scenario, idle, &mut to_the_end)?;
        }
        let page = UserPage {
            view: self.opened.view(),
            user,
            median: self.median,
            queue: self.queue,
            shows_others: self.args.show_others,
        };
        let mut bytes = Vec::new();
        let out = &mut Output::new(&mut bytes, None);
        emit(out, &page, self.args.format_out)?;
        Ok(bytes)
    }
}

/// Lets a simulation run to its end: a command has no key that stops it.
const fn to_the_end(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns the associations of each user, the users in the order in which the tree first has them.
fn associations_by_user(tree: &Tree) -> Vec<Vec<NodeId>> {
    let mut users: Vec<Vec<NodeId>> = Vec::new();
    let mut places = HashMap::new();
    for node in tree.users() {
        let name = tree.name(node);
        let place = *places.entry(name).or_insert(users.len());
        match users.get_mut(place) {
            Some(user) => user.push(node),
            None => users.push(vec![node]),
        }
    }
    users
}

/// Returns a file name for a user that no other has: letters, digits, `.`, `_` and `-` as they are, other bytes as `%` and
/// two digits, and of a long name the beginning and its place in the tree.
fn file_name(user: &[u8], place: usize) -> String {
    let mut name = String::new();
    for &byte in user {
        let is_hidden_file = byte == b'.' && name.is_empty();
        let is_plain = byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if is_plain && !is_hidden_file {
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
