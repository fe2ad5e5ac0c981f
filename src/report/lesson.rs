//! Lessons: a tree, and steps that each do something to it and say what happened.
//!
//! A lesson is a file in TOML, built in or a site's own. Its sentences name the numbers, which are computed from the
//! tree of the step, so that it cannot tell anything that the program does not compute.

mod caption;
mod cases;
mod make;
mod print;
mod question;
mod read;
mod roles;
mod site;
mod staged;

pub use caption::{Caption, Sides};
pub use make::{MadeLesson, steps_for};
pub use print::{Answers, Printing, write};
pub(crate) use question::{Question, Reply};
pub use roles::fill;
pub use site::Site;
pub use staged::{Stage, Staged};

use crate::base::nearest::unknown;
use crate::base::shown::{Shown, sentence};
use crate::base::table::table;
use crate::format::{Example, Request};
use crate::rules::policy::{ColumnId, Policy};
use std::path::PathBuf;

/// The name of the cluster of a built-in tree in a lesson. Without one, a plan would say what to write instead.
pub(crate) const TRAINING: &str = "training";

/// A lesson as its file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// The file, as messages name it.
    pub(crate) file: Shown,
    /// Its title.
    pub(crate) title: Shown,
    /// What it is about, in a sentence or two.
    pub(crate) about: Shown,
    /// How many minutes it takes; `None` if its author does not say.
    pub(crate) minutes: Option<u64>,
    /// The tree: a built-in one, or a file.
    pub source: PathBuf,
    /// The line that names the tree, from 1.
    pub(crate) source_line: u64,
    /// How nodes of another tree are found that fit; `None` if it is about its own tree alone.
    pub pick: Option<Pick>,
    /// Its title on another tree; `None` if that is the same.
    pub(crate) other_title: Option<Shown>,
    /// The other tree on which it is played, instead of its own.
    pub other: Option<Box<Request>>,
    /// The steps. There is at least one.
    pub steps: Vec<Step>,
    /// What it comes to, said with the numbers of the last step; `None` if its author does not say.
    pub(crate) summary: Option<Caption>,
}

/// A step of a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// The trees it is for: `example`, the lesson's own; `other`, or others of a policy, by its name; empty for all.
    pub(crate) trees: Vec<&'static str>,
    /// What it is about, in a few words; `None` if its author does not say.
    pub(crate) title: Option<Shown>,
    /// The built-in tree with which it begins; `None` goes on with that of the step before.
    pub(crate) example: Option<Example>,
    /// What is said, after a question was answered.
    pub text: Caption,
    /// What is done to the tree, in the edit language, each with its line.
    pub(crate) edits: Vec<(u64, String)>,
    /// The policy from here on; `None` keeps that of the step before.
    pub(crate) policy: Option<Policy>,
    /// What is shown of it.
    pub view: StepView,
    /// What is asked before anything is done.
    pub question: Option<Question>,
    /// What the reader is to do.
    pub task: Option<Task>,
}

/// What is on the screen in a step. What is not given stays as in the step before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepView {
    /// The path of the selected node, with its line.
    pub select: Option<(u64, String)>,
    /// The screen, by its name.
    pub(crate) screen: Option<&'static str>,
    /// The columns beside the names; empty shows those that fit.
    pub(crate) columns: Option<Vec<ColumnId>>,
    /// How much of the why pane is shown.
    pub why: Option<WhyView>,
    /// The names of the actions that are performed in this step alone.
    pub actions: Vec<&'static str>,
}

table! {
    /// What nodes of a tree fit a lesson.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Pick {
        UnusedUser, "unused-user", "a user with shares that used nothing, below an account over its target, behind a user elsewhere that used something";
        OverUser, "over-user", "a user with shares below an account over its target, behind a user elsewhere, whom more shares of that account bring ahead and own shares do not";
        Siblings, "siblings", "two accounts of one level with users, one served less than the other, under a policy that compares level by level";
        TwoUsers, "two-users", "two users of one account with shares that used different amounts";
        Heavy, "heavy", "a user with shares that used something, in an account with other users";
        Tie, "tie", "two users of one rank, and a tie that more usage breaks";
        Dilution, "dilution", "an account with shares and users beside another one";
    }
}

table! {
    /// How much of the why pane is shown.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WhyView {
        Shown, "shown", "Below or beside the rows";
        Full, "full", "In place of the rows";
        Hidden, "hidden", "Not at all";
    }
}

/// What the reader is to do in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The line that says when it is done.
    pub(crate) line: u64,
    /// What is asked for.
    pub text: Caption,
    /// When it is done.
    pub(crate) until: Until,
    /// What is said then.
    pub done: Caption,
    /// What is said after an edit that does not do.
    pub not_yet: Option<Caption>,
    /// What is said too after a second one.
    pub hint: Option<Caption>,
}

/// When a task is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// A node reached a goal, in the words of `solve`.
    Goal { node: String, goal: String },
    /// A node is selected, by its path.
    Selected(String),
    /// An action was performed, by its name.
    Action(&'static str),
}

table! {
    /// For whom a lesson is, or what scheduler it is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LessonGroup {
        Start, "Start here", "Start here";
        Slurm, "Slurm", "Slurm";
        Pbs, "PBS", "PBS";
        Flux, "Flux", "Flux";
        Admins, "Shares", "For those who set shares";
        Users, "Queue", "For those who wait in the queue";
        LevelBased, "LEVEL_BASED", "LEVEL_BASED, in no current release of Slurm: one path of three lessons";
        Appendix, "Appendix", "Appendix: what documents get wrong";
    }
}

/// A built-in lesson.
struct BuiltIn {
    /// Its group.
    group: LessonGroup,
    /// Its name.
    name: &'static str,
    /// Its file.
    text: &'static str,
}

/// Defines the list of the built-in lessons from their groups and their names, which are those of their files. The program
/// holds a static once, and the texts of a constant once for each part of it that names the constant.
macro_rules! built_in {
    ($($group:ident: $($name:literal)*;)*) => {
        /// The built-in lessons, in the order in which they teach.
        static BUILT_IN: &[BuiltIn] = &[$($(BuiltIn {
            group: LessonGroup::$group,
            name: $name,
            text: include_str!(concat!("../../assets/lessons/", $name, ".toml")),
        },)*)*];
    };
}

built_in! {
    Start: "zero" "tour";
    Slurm: "fair-tree" "half-life" "classic" "ties";
    Pbs: "suzy" "walk" "strangers";
    Flux: "flux";
    Admins: "dilution" "myths";
    Users: "user" "waiting";
    LevelBased: "level-based" "objective" "asymptote";
    Appendix: "errata";
}

impl Lesson {
    /// Returns the lesson for another tree, whose nodes it names already.
    pub(crate) fn on(self, other: Request) -> Self {
        let title = self.other_title.clone();
        Self {
            title: title.unwrap_or(self.title),
            other: Some(Box::new(other)),
            ..self
        }
    }

    /// Returns the names of the built-in lessons, in the order in which they teach.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|lesson| lesson.name)
    }

    /// Returns the names of the built-in lessons of a group.
    pub fn names_in(group: LessonGroup) -> Vec<&'static str> {
        let mut names = Vec::new();
        for lesson in BUILT_IN {
            if lesson.group == group {
                names.push(lesson.name);
            }
        }
        names
    }

    /// Returns its title, and how long it takes.
    pub(crate) fn listed(&self) -> Shown {
        match self.minutes {
            Some(minutes) => sentence!("{} ({minutes} min)", self.title),
            None => self.title.clone(),
        }
    }

    /// Returns its name if it is built in; `None` for a lesson in a file.
    pub(crate) fn built_in_name(&self) -> Option<&'static str> {
        Self::names().find(|&name| name == self.file.as_str())
    }

    /// Returns the name of the built-in lesson that teaches next; `None` behind the last one, and for a lesson in a file.
    pub(crate) fn next(&self) -> Option<&'static str> {
        let own = self.built_in_name()?;
        let place = BUILT_IN.iter().position(|lesson| lesson.name == own)?;
        let next = BUILT_IN.get(place + 1)?;
        Some(next.name)
    }

    /// Returns the text of a built-in lesson; the error names the nearest one.
    pub(crate) fn text_of(name: &str) -> Result<&'static str, Shown> {
        for lesson in BUILT_IN {
            if lesson.name == name {
                return Ok(lesson.text);
            }
        }
        Err(unknown("lesson", name, Self::names()))
    }
}
