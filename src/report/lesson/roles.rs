//! The roles of a lesson: its nodes by what they are, and how those that fit are found on other trees.

use super::Pick;
use super::cases::{Case, CaseSearch, MOST_TRIED};
use crate::base::shown::{Shown, sentence, shown};
use crate::model::{NodeId, path_of};
use crate::open::opened::apply_text;
use crate::scenario::Scenario;
use toml::de::DeTable;

/// The keys of the table of roles that are none.
pub(super) const WORDS: &[&str] = &["pick", "title"];

/// A role, and the path of the node that has it.
pub(super) type Role = (&'static str, String);

/// An edit of a lesson, and the order that it puts two nodes in.
struct OrderingEdit {
    /// In the edit language, with roles in the place of paths.
    edit: &'static str,
    /// The place in the case of the node that ranks first then.
    first: usize,
    /// The place of the node that ranks behind it.
    next: usize,
}

impl Pick {
    /// Returns the roles of a lesson.
    pub(super) const fn roles(self) -> &'static [&'static str] {
        match self {
            Self::UnusedUser => &["user", "rival", "account", "side", "opposite"],
            Self::OverUser => &["user", "account", "neighbour"],
            Self::Siblings => &["one", "other", "user", "rival"],
            Self::Heavy => &["user", "account"],
            Self::TwoUsers | Self::Tie => &["one", "other"],
            Self::Dilution => &["lab", "sibling", "user"],
        }
    }

    /// Returns the edits of a lesson whose order it promises.
    const fn edits(self) -> &'static [OrderingEdit] {
        match self {
            Self::UnusedUser => &[OrderingEdit {
                edit: "shares @side*=10",
                first: 0,
                next: 1,
            }],
            Self::Tie => &[
                OrderingEdit {
                    edit: "usage @other+=3600",
                    first: 0,
                    next: 1,
                },
                OrderingEdit {
                    edit: "usage @one+=7200",
                    first: 1,
                    next: 0,
                },
            ],
            Self::OverUser => &[
                OrderingEdit {
                    edit: "shares @user*=10",
                    first: 2,
                    next: 0,
                },
                OrderingEdit {
                    edit: "shares @account*=10",
                    first: 0,
                    next: 2,
                },
            ],
            Self::Siblings => &[OrderingEdit {
                edit: "shares @other*=100",
                first: 3,
                next: 2,
            }],
            Self::TwoUsers | Self::Heavy | Self::Dilution => &[],
        }
    }

    /// Returns the roles with the paths of the nodes of the clearest case on a tree.
    ///
    /// # Errors
    /// The sentence says what was looked for.
    pub fn cast(self, scenario: &Scenario) -> Result<Vec<Role>, Shown> {
        let search = CaseSearch::of(scenario);
        let fitting = match self {
            Self::UnusedUser => self.first_fitting(scenario, search.unused()),
            Self::Tie => self.first_fitting(scenario, search.tied().into_iter()),
            Self::OverUser => self.first_fitting(scenario, search.over_served()),
            Self::Siblings => self.first_fitting(scenario, search.unequal().into_iter()),
            Self::TwoUsers => self.first_fitting(scenario, search.differing()),
            Self::Heavy => self.first_fitting(scenario, search.heavy()),
            Self::Dilution => self.first_fitting(scenario, search.diluting().into_iter()),
        };
        if let Some(cast) = fitting {
            return Ok(cast);
        }
        let title = shown(scenario.base().source.title.as_bytes());
        let needed = self.help();
        let mut misfit = sentence!("no nodes of {title} fit this lesson, which needs {needed}");
        if scenario.tree().part().is_some() {
            misfit += &Shown::from("; only a part of the tree is listed");
        }
        Err(misfit)
    }

    /// Returns the paths of the first case that fits. `None` if none of those tried does.
    fn first_fitting(
        self,
        scenario: &Scenario,
        cases: impl Iterator<Item = Case>,
    ) -> Option<Vec<Role>> {
        for case in cases.take(MOST_TRIED) {
            if let Some(cast) = self.fits(scenario, &case) {
                return Some(cast);
            }
        }
        None
    }

    /// Returns the paths of a case that a lesson can name, if its edits put its nodes in the order that it promises.
    fn fits(self, scenario: &Scenario, case: &[NodeId]) -> Option<Vec<Role>> {
        let mut cast = Vec::new();
        for (&role, &node) in self.roles().iter().zip(case) {
            let path = path_of(scenario.tree(), node)?;
            let is_role = self
                .roles()
                .iter()
                .any(|role| path.contains(&format!("@{role}")));
            if is_role || path.contains(['{', '}', '"', '\\']) {
                return None;
            }
            cast.push((role, path));
        }
        let mut edited = scenario.clone();
        for ordering in self.edits() {
            let edit = fill(ordering.edit, &cast);
            apply_text(&mut edited, edit.as_bytes()).ok()?;
            let evaluation = edited.evaluation();
            let first = evaluation.rank(case[ordering.first]);
            let next = evaluation.rank(case[ordering.next]);
            if first >= next {
                return None;
            }
        }
        Some(cast)
    }
}

/// Returns the text of a lesson with paths in the places of its roles, as in `@user`: those of `cast`, or its own.
pub fn fill(text: &str, cast: &[Role]) -> String {
    let mut filled = text.to_owned();
    for (role, path) in cast {
        filled = filled.replace(&format!("@{role}"), path);
    }
    for (role, path) in own_roles(text) {
        filled = filled.replace(&format!("@{role}"), &path);
    }
    filled
}

/// Returns the roles that a lesson casts itself, each with its path.
fn own_roles(text: &str) -> Vec<(String, String)> {
    let mut cast = Vec::new();
    if let Ok(lesson) = DeTable::parse(text)
        && let Some(value) = lesson.get_ref().get("roles")
        && let Some(roles) = value.get_ref().as_table()
    {
        for (role, value) in roles {
            if !WORDS.contains(&&**role.get_ref())
                && let Some(path) = value.get_ref().as_str()
            {
                cast.push((role.get_ref().to_string(), path.to_owned()));
            }
        }
    }
    cast
}
