//! `fairscope lesson`: lists the lessons, plays one in the explorer, or prints it.

use super::open::{DrawingArgs, ExplorerArgs, check_without_explorer, explore};
use super::source::{self, Opened, ReadArgs, SourceArgs, read_own_file};
use super::values::{PAGE_FORMS, forms, page_address, row_of};
use super::{FOUND, Outcome, output};
use crate::base::nearest::unknown_of;
use crate::base::number::counted;
use crate::base::save::save_each;
use crate::base::shown::{Shown, sentence, shown, visible};
use crate::format::{Example, LoadError, Request};
use crate::report::lesson::{
    Answers, Lesson, LessonGroup, MadeLesson, Printing, Site, Staged, fill, steps_for,
};
use crate::report::{self, Form, Output};
use crate::scenario::Scenario;
use crate::tui;
use clap::{ArgGroup, Args as Arguments};
use color_eyre::eyre::{self, bail};
use std::io::IsTerminal as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The size in bytes of the largest lesson that is read.
const LARGEST_LESSON: u64 = 4 << 20;

/// `fairscope lesson`
#[derive(Arguments, Debug)]
#[command(
    group = ArgGroup::new("printed").args(["lesson", "all"]),
    mut_arg("ascii", |ascii| ascii.hide_short_help(true)),
    mut_arg("no_mouse", |no_mouse| no_mouse.hide_short_help(true))
)]
pub struct LessonArgs {
    /// A built-in lesson, or a file; without it, lists the built-in ones
    #[arg(value_name = "NAME")]
    pub lesson: Option<PathBuf>,
    /// Print the lesson in this form, even on a terminal
    #[arg(
        long,
        short = 'o',
        value_name = "FORM",
        requires = "printed",
        value_parser = forms(PAGE_FORMS)
    )]
    pub format_out: Option<Form>,
    /// Where the answers are in print
    #[arg(
        long,
        value_name = "WHERE",
        default_value = "inline",
        requires = "printed",
        value_parser = row_of(Answers::ALL, Answers::name, Answers::help)
    )]
    pub answers: Answers,
    /// Write all built-in lessons, each in a file of its own, and an index
    #[arg(long, requires = "out")]
    pub all: bool,
    /// The directory for the files, which replace those of an earlier run
    #[arg(long, value_name = "DIR", requires = "all")]
    pub out: Option<PathBuf>,
    /// Link each lesson to where it is played: an address of the explorer's page
    #[arg(long, value_name = "URL", requires = "all", value_parser = page_address)]
    pub page: Option<String>,
    /// Play it on this tree, with nodes of it that fit
    ///
    /// Several outputs of Slurm make one tree.
    #[arg(long = "source", value_name = "SOURCE", requires = "lesson")]
    pub sources: Vec<PathBuf>,
    /// Print a lesson about this tree, to be edited
    ///
    /// It has steps of the built-in lessons that fit the tree, with its nodes.
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["lesson", "sources"])]
    pub make: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadArgs,
    #[command(flatten)]
    pub drawing: DrawingArgs,
}

/// Lists the lessons, plays one in the explorer, or prints it. Exits with 1 if nothing of the given tree fits it.
pub(super) fn run(args: LessonArgs) -> Outcome {
    if let Some(source) = &args.make {
        return make(source, args.reading);
    }
    let form = args.format_out.unwrap_or(Form::Text);
    let printing = Printing::new(form, args.answers);
    if let Some(folder) = &args.out {
        return write_all(folder, &printing, args.page.as_deref());
    }
    if args.lesson.is_none() {
        return output::print_whole(output::Content::Text, lessons());
    }
    let is_played = args.format_out.is_none() && std::io::stdout().is_terminal();
    if is_played && args.answers != Answers::Inline {
        bail!("--answers is for print, and the lesson would be played; add --format-out text");
    }
    let mut sources = args.sources.iter();
    if is_played && sources.any(|source| source.as_os_str() == "-") {
        bail!(
            "a lesson reads its tree twice, and standard input can be read only once; give a file, or add --format-out text"
        );
    }
    let Some((opening, staged)) = prepare(args)? else {
        return Ok(FOUND);
    };
    if is_played {
        let request = staged.lesson.other.as_deref().cloned();
        return explore(request, opening);
    }
    check_without_explorer(&opening)?;
    output::print(printing.form, |out| {
        report::lesson::write(out, &staged, &tui::usual_key, printing)
    })
}

/// Writes every built-in lesson into a directory, and an index of them.
fn write_all(folder: &Path, printing: &Printing, page: Option<&str>) -> Outcome {
    if printing.form == Form::Json {
        bail!(
            "--all writes text, markdown or html; JSON of one lesson: fairscope lesson NAME -o json"
        );
    }
    if page.is_some() && printing.form != Form::Html {
        bail!("--page is for links of HTML; add -o html, or leave it out");
    }
    let site = site(printing.form, page)?;
    let mut index = Vec::new();
    site.write_index(&mut Output::new(&mut index, None))?;
    let mut files = vec![eyre::Ok((site.index_file().to_string(), index))];
    let mut progress = output::Progress::of("lessons", site.count());
    for place in 0..site.count() {
        progress.show(place);
        let lesson = page_of(&site, place, printing)?;
        let file = site.file_of(place).to_string();
        files.push(Ok((file, lesson)));
    }
    save_each(folder, files.into_iter())?;
    drop(progress);
    let count = counted(site.count(), "lesson", "lessons");
    let folder = shown(folder.as_os_str().as_bytes());
    let told = format!("{count} and an index in {folder}\n");
    output::print_whole(Form::Text, told)
}

/// Returns all built-in lessons as files of a form, with links to a page where they are played.
fn site(form: Form, page: Option<&str>) -> eyre::Result<Site> {
    let mut site = Site::new(form, page.map(visible));
    for &group in LessonGroup::ALL {
        for name in Lesson::names_in(group) {
            match tui::built_in_lesson(name) {
                Ok(lesson) => site.add(name, group, lesson),
                Err(reason) => bail!(reason),
            }
        }
    }
    Ok(site)
}

/// Returns the file of the lesson of a site with this place.
fn page_of(site: &Site, place: usize, printing: &Printing) -> eyre::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let Some(lesson) = site.lesson(place) else {
        return Ok(bytes);
    };
    let opened = open_own_tree(lesson)?;
    let staged = match Staged::new(Arc::new(lesson.clone()), &opened.scenario) {
        Ok(staged) => staged,
        Err(reason) => bail!(reason),
    };
    let linked = Printing {
        links: site.links(place),
        ..printing.clone()
    };
    let out = &mut Output::new(&mut bytes, None);
    report::lesson::write(out, &staged, &tui::usual_key, linked)?;
    Ok(bytes)
}

/// Returns the list of the built-in lessons by groups, those that were finished with a tick.
fn lessons() -> String {
    let finished = tui::finished_lessons();
    let mut longest = 0;
    for name in Lesson::names() {
        longest = longest.max(name.len());
    }
    let mut lines = Vec::new();
    for group in LessonGroup::ALL {
        lines.push(format!("\n{}\n", group.help()));
        for name in Lesson::names_in(*group) {
            if let Ok(lesson) = tui::built_in_lesson(name) {
                let mark = finished.mark(name);
                let title = lesson.listed();
                lines.push(format!("{mark} {name:longest$}  {title}\n"));
            }
        }
    }
    let listed = lines.concat();
    format!(
        "Lessons: fairscope lesson NAME, or L in the explorer\n{listed}\n\
         fairscope lesson FILE plays a lesson of your own; --make SOURCE begins one. fairscope help lessons tells more.\n"
    )
}

/// The text of a lesson, which is checked for each tree that it is played on.
struct LessonText {
    /// Its name in messages.
    name: Shown,
    /// The lesson in TOML.
    text: String,
    /// The directory that paths in the lesson begin at.
    folder: PathBuf,
}

impl LessonText {
    /// Finds a built-in lesson, or reads a file.
    fn find(path: &Path) -> eyre::Result<Self> {
        let mut folder = PathBuf::new();
        if let Some(parent) = path.parent() {
            folder.push(parent);
        }
        let word = path.to_str().unwrap_or_default();
        if let Ok(text) = Lesson::text_of(word) {
            return Ok(Self {
                name: shown(word.as_bytes()),
                text: text.to_owned(),
                folder,
            });
        }
        let name = shown(path.as_os_str().as_bytes());
        let bytes = match read_own_file(path, LARGEST_LESSON) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => bail!("{name}: larger than 4 MiB, too large for a lesson"),
            Err(LoadError::Missing(_)) if is_plain_word(word) => bail!(unknown_lesson(word)),
            Err(error) => bail!(error),
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, text, folder }),
            Err(_) => bail!("{name}: this is not UTF-8; a lesson is a file in TOML"),
        }
    }

    /// Reads the lesson as it is written. What is wrong with it is reported together.
    fn parse(&self) -> eyre::Result<Lesson> {
        self.parse_as(&self.text)
    }

    /// Reads the lesson with another text, such as that with the nodes of another tree.
    fn parse_as(&self, text: &str) -> eyre::Result<Lesson> {
        match tui::parse_lesson(&self.name, text, &self.folder) {
            Ok(lesson) => Ok(lesson),
            Err(refused) => bail!(output::listed(&refused, refused.len())),
        }
    }
}

/// The lessons of which a made one explains a rank: the first that fits.
const EXPLAINING: &[&str] = &["fair-tree", "user", "suzy", "classic", "half-life"];

/// The lessons of which a made one changes shares: the first that fits.
const CHANGING: &[&str] = &["dilution"];

/// Prints a lesson about a tree, to be edited. Exits with 1 if no built-in lesson fits the tree.
fn make(source: &Path, reading: ReadArgs) -> Outcome {
    if source.as_os_str() == "-" {
        bail!("a lesson names its tree by a path; save standard input to a file first");
    }
    let absolute = std::path::absolute(source)?;
    let is_example = Example::of(&Request::to_open(source)).is_some();
    let path = if is_example { source } else { &absolute };
    let Some(path) = path.to_str() else {
        bail!("the path of the tree is not UTF-8, and a lesson is; give it another name");
    };
    let policy_alone = ReadArgs {
        policy: reading.policy,
        ..ReadArgs::default()
    };
    if reading != policy_alone {
        bail!(
            "a lesson names its tree by a path alone; save what these options make of it first: fairscope convert SOURCE \
             --to toml --out tree.toml"
        );
    }
    let opened = source::open(&SourceArgs::of(vec![source.to_owned()], reading))?;
    let scenario = &opened.scenario;
    let mut made = MadeLesson {
        source: path,
        policy: scenario.policy().name(),
        steps: String::new(),
    };
    for names in [EXPLAINING, CHANGING] {
        for name in names {
            if let Some(longer) = with_steps_of(&made, name, scenario)? {
                made = longer;
                break;
            }
        }
    }
    if made.steps.is_empty() {
        let tried = [EXPLAINING, CHANGING].concat().join(", ");
        output::complain(&sentence!(
            "no nodes of this tree fit a built-in lesson ({tried}); fairscope help lessons tells how to write one"
        ));
        return Ok(FOUND);
    }
    output::print_whole(output::Content::Text, made.write())
}

/// Returns a made lesson with the steps of one more built-in lesson. `None` if that does not fit the tree.
fn with_steps_of<'a>(
    made: &MadeLesson<'a>,
    name: &str,
    scenario: &Scenario,
) -> eyre::Result<Option<MadeLesson<'a>>> {
    let text = LessonText::find(Path::new(name))?;
    let Some(pick) = text.parse()?.pick else {
        return Ok(None);
    };
    let Ok(cast) = pick.cast(scenario) else {
        return Ok(None);
    };
    let mut longer = made.clone();
    longer.steps += &steps_for(&fill(&text.text, &cast), made.policy);
    let lesson = text.parse_as(&longer.write())?;
    let fits = Staged::new(Arc::new(lesson), scenario).is_ok();
    Ok(fits.then_some(longer))
}

/// Returns whether a word may be the name of a built-in lesson rather than a path.
fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && !word.contains(['/', '.'])
}

/// Returns the message for a word that names no lesson, with the nearest one.
fn unknown_lesson(word: &str) -> Shown {
    let known: Vec<&str> = Lesson::names().collect();
    let names = known.join(", ");
    let accepted = format!("{names}; or the path of a file");
    unknown_of("lesson", word, &known, &accepted)
}

/// Returns the names of the built-in lessons that pick nodes of any tree.
fn lessons_for_others() -> Vec<&'static str> {
    let mut fitting = Vec::new();
    for name in Lesson::names() {
        if let Ok(lesson) = tui::built_in_lesson(name)
            && lesson.pick.is_some()
        {
            fitting.push(name);
        }
    }
    fitting
}

/// Tries all steps of a lesson out on its tree, or on another one. `None`, after saying so, if nothing there fits.
fn prepare(args: LessonArgs) -> eyre::Result<Option<(ExplorerArgs, Staged)>> {
    let name = args.lesson.clone().unwrap_or_default();
    let text = LessonText::find(&name)?;
    let own = text.parse()?;
    let other = source::request_if_given(&args.sources, &args.reading)?;
    let (lesson, opened) = match other {
        Some(other) => {
            let source = SourceArgs::of(args.sources, args.reading.clone());
            match cast(&text, &own, &source)? {
                Some((lesson, opened)) => (lesson.on(other), opened),
                None => return Ok(None),
            }
        }
        None if args.reading != ReadArgs::default() => {
            bail!("the options of a source need one; give --source SOURCE too")
        }
        None => {
            let opened = open_own_tree(&own)?;
            (own, opened)
        }
    };
    let is_other = lesson.other.is_some();
    let staged = match Staged::new(Arc::new(lesson), &opened.scenario) {
        Ok(staged) => staged,
        Err(reason) if is_other => {
            output::complain(&sentence!("{reason}; the lesson does not fit this tree"));
            return Ok(None);
        }
        Err(reason) => bail!(reason),
    };
    let opening = ExplorerArgs {
        reading: args.reading,
        drawing: args.drawing,
        lesson: Some(Arc::clone(&staged.lesson)),
        ..ExplorerArgs::default()
    };
    Ok(Some((opening, staged)))
}

/// Opens the tree that a lesson names.
fn open_own_tree(lesson: &Lesson) -> eyre::Result<Opened> {
    let source = SourceArgs::of(vec![lesson.source.clone()], ReadArgs::default());
    match source::open(&source) {
        Ok(opened) => Ok(opened),
        Err(error) => {
            let file = &lesson.file;
            let line = lesson.source_line;
            bail!("{file}:{line}: source: {error:#}")
        }
    }
}

/// Opens another tree, and returns a lesson with the nodes of it that fit. `None`, after saying so, if none do.
fn cast(
    text: &LessonText,
    own: &Lesson,
    source: &SourceArgs,
) -> eyre::Result<Option<(Lesson, Opened)>> {
    let Some(pick) = own.pick else {
        let name = &text.name;
        let fitting = lessons_for_others().join(", ");
        bail!("{name} is about its own tree alone; these lessons fit others: {fitting}");
    };
    let opened = source::open(source)?;
    match pick.cast(&opened.scenario) {
        Ok(cast) => {
            let filled = fill(&text.text, &cast);
            let lesson = text.parse_as(&filled)?;
            Ok(Some((lesson, opened)))
        }
        Err(reason) => {
            output::complain(&reason);
            Ok(None)
        }
    }
}
