//! What a rank depends on.

use crate::analysis::solve::{HEAVIEST, RankChange, RivalCost, Sensitivity, Standing};
use crate::base::number::{counted, fraction, grouped, ordinal, short, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, path_of};
use crate::report::field::Row;
use crate::report::render::document::{Document, Front};
use crate::report::render::json::{self, Lines, List, object};
use crate::report::{Report, View, with_shares};
use std::io::{self, Write};

/// Returns what a rank depends on, as prose.
pub fn sensitivity_lines(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
    let node = view.path(sensitivity.node);
    let Some(rank) = sensitivity.standing.rank else {
        return vec![sentence!(
            "{node} has no rank: it has no users, or the policy excludes it."
        )];
    };
    let users = counted(sensitivity.user_count, "user", "users");
    let (place, shares) = (ordinal(rank as usize), with_shares(sensitivity.shares));
    let mut lines = vec![sentence!("{node} is {place} of {users} with {shares}.")];
    let turn = |turn: Option<RankChange>, what: &str| match turn {
        Some(RankChange { shares, rank }) => {
            let rank = match rank {
                Some(rank) => sentence!("ranks {}", ordinal(rank as usize)),
                None => "has no rank".into(),
            };
            let word = word_for(shares, "share", "shares");
            sentence!("With {} {word} it {rank}.", grouped(shares))
        }
        None => sentence!("With {what} its rank does not change."),
    };
    lines.push(turn(sensitivity.more, "more shares"));
    lines.push(turn(sensitivity.fewer, "fewer shares"));
    lines.push(Shown::default());
    lines.push("Users ahead of it, by the level where their paths diverge:".into());
    for level in &sensitivity.levels {
        let (one, many) = match view.tree.kind(level.node) {
            Kind::Account => (
                "user is in sibling accounts",
                "users are in sibling accounts",
            ),
            Kind::User => ("user is a sibling", "users are siblings"),
        };
        let users = counted(level.users_ahead, one, many);
        lines.push(sentence!("  {users} of {}", view.path(level.node)));
    }
    lines.push(Shown::default());
    lines.extend(rivals(view, sensitivity));
    lines
}

fn rivals(view: &View<'_>, sensitivity: &Sensitivity) -> Vec<Shown> {
    if sensitivity.rivals.is_empty() {
        return vec!["No sibling of it or of a node above it has used anything.".into()];
    }
    let looked = match sensitivity.others {
        0 => Shown::default(),
        others => sentence!(
            " (the {HEAVIEST} with the highest usage on each level; {} more were not checked)",
            grouped(others)
        ),
    };
    let mut lines = vec![sentence!(
        "If a sibling of it or of a node above it had used nothing{looked}:"
    )];
    let rivals = sensitivity.rivals.iter();
    let rivals: Vec<_> = rivals.filter(|rival| rival.gained != 0).collect();
    if rivals.is_empty() {
        lines.push("  its rank would not change".into());
    }
    for rival in rivals {
        lines.push(rival_line(view, sensitivity.standing, rival));
    }
    lines
}

fn rival_line(view: &View<'_>, now: Standing, rival: &RivalCost) -> Shown {
    let places = usize::try_from(rival.gained.unsigned_abs()).unwrap_or(usize::MAX);
    let places = counted(places, "place", "places");
    let gain = match rival.gained {
        0.. => sentence!("{places} gained"),
        _ => sentence!("{places} lost"),
    };
    let factors = match (now.factor, rival.without.factor) {
        (Some(now), Some(then)) => sentence!(", factor {} → {}", fraction(now), fraction(then)),
        _ => Shown::default(),
    };
    let (path, usage) = (view.path(rival.node), short(rival.usage));
    sentence!("  {path} (used {usage}): {gain}{factors}")
}

pub(crate) struct RankSensitivity<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) sensitivity: &'a Sensitivity,
}

impl Report for RankSensitivity<'_> {
    fn front(&self) -> Front {
        let path = self.view.path(self.sensitivity.node);
        Front::of(sentence!("What the rank of {path} depends on"), self.view)
    }

    fn document(&self) -> Document<'_> {
        let mut document = Document::default();
        document.lines(sensitivity_lines(self.view, self.sensitivity));
        document
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { view, sensitivity } = *self;
        let path = |node| path_of(view.tree, node);
        let turn = |turn: Option<RankChange>| {
            turn.map(|turn| object! { shares: turn.shares, rank: turn.rank })
        };
        let levels = sensitivity.levels.iter().map(|level| {
            object! { path: path(level.node), users_ahead: level.users_ahead }
        });
        let siblings = sensitivity.rivals.iter().map(|rival| {
            object! {
                path: path(rival.node),
                usage: rival.usage,
                rank_without: rival.without.rank,
                places_gained: rival.gained,
                factor_without: rival.without.factor,
            }
        });
        let body = object! {
            node: path(sensitivity.node),
            before: Row::alone(view, sensitivity.node),
            sensitivity: Lines(object! {
                more: turn(sensitivity.more),
                fewer: turn(sensitivity.fewer),
                levels: Lines(List(levels)),
                siblings: Lines(List(siblings)),
                siblings_left_out: sensitivity.others,
            }),
            text: sensitivity_lines(view, sensitivity).join("\n"),
        };
        json::write(out, view, body)
    }
}
