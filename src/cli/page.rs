//! `fairscope page`: the page of the release with a tree of a site in it, which opens first.

mod contents;
mod release;

use super::files::{NameArgs, converted};
use super::output::{self, Content};
use super::source::{self, Opened, SourceArgs, uses_of_standard_input};
use super::values::address;
use super::{FINE, Outcome};
use crate::base::number::grouped;
use crate::base::save::{SaveError, save_each, spare};
use crate::base::shown::{Shown, sentence, shown, visible};
use crate::format::{Format, is_example};
use crate::report::simulate::Moments;
use crate::report::words;
use clap::Args as Arguments;
use clap::builder::NonEmptyStringValueParser;
use color_eyre::eyre::{self, bail};
use contents::{PageContents, PageFile};
use jiff::Timestamp;
use release::ReleasePage;
use serde::Serialize;
use std::path::PathBuf;

/// The name of the page, of the release and of a site.
const PAGE: &str = "fairscope.html";

/// `fairscope page`
#[derive(Arguments, Debug)]
pub struct PageArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// The page of the release [default: fairscope.html beside the program]
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// The directory for fairscope.html, which replaces that of an earlier run
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// The words above the explorer [default: the cluster and the time of the tree]
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub title: Option<String>,
    /// Where these words lead: an address of http or https, or a relative one
    #[arg(long, value_name = "URL", value_parser = address)]
    pub link: Option<String>,
    #[command(flatten)]
    pub names: NameArgs,
}

/// The facts of the tree in a page, under the names by which the page reads them.
#[derive(Debug, Serialize)]
struct SiteTree<'a> {
    title: &'a Shown,
    link: Option<&'a str>,
    policy: Option<&'static str>,
    settings: Vec<(String, String)>,
    format: Option<&'static str>,
    cluster: Option<&'a str>,
    files: &'a [PageFile],
    open: &'a [String],
}

/// What of a source is in its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Its files as they are.
    Files,
    /// The tree that is read from it, for this reason.
    Tree(&'static str),
    /// The tree with pseudonyms instead of names.
    Anonymised,
}

/// Writes the page of the release with a tree in it, and says what it holds.
pub(super) fn run(args: &PageArgs) -> Outcome {
    refuse_what_is_no_file(args)?;
    let page = ReleasePage::find(args.page.as_deref())?;
    let opened = source::open(&args.source)?;
    if let Some(path) = &opened.scenario_path {
        let name = shown(path.as_os_str().as_encoded_bytes());
        bail!(
            "{name} is a scenario, which names its tree by a path, and a page has no other files; give the tree, or write it \
             with the edits first: fairscope convert FILE --to toml --out tree.toml"
        );
    }
    let target = args.out.join(PAGE);
    spare(&target, &spared(args, &opened))?;
    if let Err(SaveError::Source(name)) = spare(&target, &[page.path().to_owned()]) {
        bail!("{name} is the page that is read; name another directory with --out");
    }
    let held = held(args, &opened);
    let contents = contents(args, &opened, held)?;
    let title = match &args.title {
        Some(title) => visible(title),
        None => usual_title(&opened, held),
    };
    let reading = &args.source.reading;
    let mut tree = SiteTree {
        title: &title,
        link: args.link.as_deref(),
        policy: None,
        settings: Vec::new(),
        format: None,
        cluster: None,
        files: &contents.files,
        open: &contents.open,
    };
    if held == Held::Files {
        if let Some(policy) = reading.policy() {
            tree.policy = Some(policy.name());
        }
        if let Some(format) = reading.format {
            tree.format = Some(format.name());
        }
        tree.settings = reading.settings();
        tree.cluster = reading.cluster.as_deref();
    }
    let text = page.with(&title, &tree)?;
    let size = grouped(text.len());
    let file = (PAGE.to_owned(), text.into_bytes());
    save_each(&args.out, std::iter::once(eyre::Ok(file)))?;
    opened.mention_problems(&args.source);
    let name = shown(target.as_os_str().as_encoded_bytes());
    let told = told(&opened, &contents, held);
    output::print_whole(
        Content::Text,
        format!("{name}  {size} bytes\n{title}\n{told}\n"),
    )?;
    Ok(FINE)
}

/// Refuses a scheduler and the built-in trees.
fn refuse_what_is_no_file(args: &PageArgs) -> eyre::Result<()> {
    if let Some(scheduler) = args.source.reading.live {
        let scheduler = scheduler.name();
        bail!(
            "a page holds files; save those of the scheduler first, and give the directory: fairscope snapshot --live \
             {scheduler} --out DIR"
        );
    }
    for source in &args.source.sources {
        if is_example(source) {
            bail!(
                "every page has the built-in trees; a link opens one of them, such as {PAGE}#example=small"
            );
        }
    }
    Ok(())
}

/// Returns the files that are never written: those of the source and the key file.
fn spared(args: &PageArgs, opened: &Opened) -> Vec<PathBuf> {
    let request = &opened.source.reference.request;
    let mut files = request.files();
    // A page of an earlier run may be among the files of a directory, and is none of the tree's.
    files.retain(|file| file.file_name() != Some(PAGE.as_ref()));
    files.extend_from_slice(&opened.source.read);
    files.extend_from_slice(&args.source.sources);
    files.extend_from_slice(request.source.more());
    files.extend(request.beside.given().cloned());
    files.extend(args.names.anonymise.clone());
    files
}

/// Returns what of a source its page holds: the files, if a page can read them and be told how.
fn held(args: &PageArgs, opened: &Opened) -> Held {
    let reading = &args.source.reading;
    if args.names.anonymise.is_some() {
        return Held::Anonymised;
    }
    if uses_of_standard_input(&args.source.sources, reading) > 0 {
        return Held::Tree("standard input can be read only once");
    }
    if opened.scenario.base().source.format == Format::FluxDb {
        return Held::Tree("a page cannot read a database");
    }
    if reading.jobs.is_some() {
        return Held::Tree("a page cannot charge jobs");
    }
    if reading.timezone.is_some() {
        return Held::Tree("a page reads local times as UTC");
    }
    Held::Files
}

/// Returns the files that a page opens. What is lost where they are written as one tree is told on standard error.
fn contents(args: &PageArgs, opened: &Opened, held: Held) -> eyre::Result<PageContents> {
    if held == Held::Files {
        return PageContents::of_files(&opened.source.read_files()?);
    }
    let pseudonyms = args.names.pseudonyms()?;
    let scenario = &opened.scenario;
    let conversion = converted(scenario, pseudonyms.as_ref(), Format::Toml)?;
    for loss in &conversion.losses {
        output::complain(&loss.clause());
    }
    let taken = match scenario.settings().time.taken {
        Some(taken) => taken,
        None => Timestamp::now().as_second(),
    };
    PageContents::of_tree(&conversion, taken)
}

/// Returns the title of a page for which none is given: the cluster, or else the source, and the time of the tree.
fn usual_title(opened: &Opened, held: Held) -> Shown {
    let source = &opened.scenario.base().source;
    let subject = if held == Held::Anonymised {
        "an anonymised cluster".into()
    } else if !source.cluster.is_empty() {
        shown(source.cluster.as_bytes())
    } else if source.path == "-" {
        "this cluster".into()
    } else {
        source.title.clone()
    };
    let taken = opened.scenario.settings().time.taken;
    if taken.is_none() {
        return sentence!("Shares of {subject}");
    }
    let time = Moments { taken }.text(0);
    sentence!("Shares of {subject}, {time} UTC")
}

/// Returns what a page holds, and who can read it.
fn told(opened: &Opened, contents: &PageContents, held: Held) -> Shown {
    let what = match held {
        Held::Anonymised => {
            return "The page holds one tree with pseudonyms instead of names. Whoever has the key file can test guesses: \
                    keep it secret."
                .into();
        }
        Held::Tree(reason) => {
            sentence!("The page holds one tree in fairscope's own format, because {reason}.")
        }
        Held::Files => {
            let names = words::listed(&contents.names);
            let verb = if contents.names.len() == 1 {
                "it is"
            } else {
                "they are"
            };
            match &opened.source.series {
                Some(series) => {
                    let count = series.dumps().len();
                    sentence!("The page holds {names}, the newest of {count} dumps, as {verb}.")
                }
                None => sentence!("The page holds {names} as {verb}."),
            }
        }
    };
    sentence!(
        "{what} Whoever can open the page can read all of it, with the names of users; --anonymise KEYFILE writes \
         pseudonyms instead."
    )
}
