//! LEVEL_BASED's numbers in words, and its word of 64 bits as a drawing.

mod drawing;

use super::classic::no_level_shares;
use super::standing::{against, among, holding_back, rank_in_words};
use super::steps::Steps;
use super::{Emphasis, Line, heading};
use crate::base::number::Value;
use crate::base::number::{amount, counted, fraction, grouped, percent, word, word_for};
use crate::base::shown::{Shown, sentence};
use crate::model::{Kind, NodeId, Noun};
use crate::report::View;
use crate::rules::policy::level_based::{Buckets, levels as bucket_levels};
use crate::rules::policy::{ColumnId, Explanation, Level};

/// Returns the sentence, then the word, shares, usage and bucket level by level, and the factor of a user.
pub(super) fn lines(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Vec<Line> {
    let word = Word::of(view, levels);
    let Some(last) = levels.last() else {
        return vec![root(view, explanation)];
    };
    let mut lines = vec![
        sentence(view, explanation, &word, last).and(Emphasis::Plain, held_back(view, levels)),
        Line::default(),
    ];
    let steps = Steps::new(view, levels.iter().map(|level| level.node).collect());
    let buckets = word.buckets;

    lines.push(heading("Priority", &layout(buckets)));
    lines.extend(drawing::lines(view, &word));
    steps.each(&mut lines, |index, label| {
        place(view, &word, &levels[index], label)
    });

    lines.push(heading("Shares", "S = shares / shares of the level"));
    steps.each(&mut lines, |index, label| {
        shares(view, &levels[index], label)
    });

    lines.push(heading(
        "Usage",
        &sentence!("U = usage / usage of the {}", view.settings.noun().one),
    ));
    steps.each(&mut lines, |index, label| {
        usage(view, &levels[index], label)
    });

    let how = sentence!(
        "S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × ({} - 1) without fraction",
        bucket_hex(buckets, buckets.full())
    );
    lines.push(heading("Bucket", &how));
    steps.each(&mut lines, |index, label| {
        bucket(view, &word, &levels[index], label)
    });

    lines.extend(factor(view, explanation));
    lines.extend(notes(view, &word, levels));
    lines
}

/// The 64-bit priority of the explained node, and the nodes that fill its buckets.
struct Word {
    buckets: Buckets,
    bits: u64,
    /// By level: the node that filled the bucket.
    owners: Vec<Option<NodeId>>,
    /// The explained node.
    node: NodeId,
}

impl Word {
    fn of(view: &View<'_>, levels: &[Level]) -> Self {
        let buckets = Buckets::of(bucket_levels(view.tree, view.settings));
        let node = levels.last().map_or(NodeId::ROOT, |level| level.node);
        let mut word = Self {
            buckets,
            bits: bits(view, ColumnId::PriorityFsRaw, node),
            owners: vec![None; buckets.levels() as usize],
            node,
        };
        for level in levels {
            // A bucket that was filled is never 0.
            let is_filled = bits(view, ColumnId::LevelFsWord, level.node) > 0;
            let place = depth(view, level.node) as usize;
            if let Some(owner) = word.owners.get_mut(place).filter(|_| is_filled) {
                *owner = Some(level.node);
            }
        }
        word
    }

    /// Returns the value in a level's bucket, in hexadecimal.
    fn hex(&self, level: u32) -> Option<Shown> {
        let value = self.buckets.value(self.bits, level)?;
        Some(bucket_hex(self.buckets, value))
    }
}

/// A bucket's value with as many hexadecimal digits as its bits need.
fn bucket_hex(buckets: Buckets, value: u64) -> Shown {
    let digits = buckets.width().div_ceil(4) as usize;
    sentence!("{value:0digits$X}")
}

fn bits(view: &View<'_>, column: ColumnId, node: NodeId) -> u64 {
    match view.value(column, node) {
        Value::Word(bits) => bits,
        _ => 0,
    }
}

fn number(view: &View<'_>, column: ColumnId, node: NodeId) -> f64 {
    view.evaluation.number(column, node).unwrap_or(f64::NAN)
}

/// Returns the level of a node in the 64-bit priority, from 0.
fn depth(view: &View<'_>, node: NodeId) -> u32 {
    match view.value(ColumnId::Level, node) {
        Value::Count(level) => u32::try_from(level).unwrap_or(u32::MAX),
        _ => u32::MAX,
    }
}

/// The reason for the value of a node's bucket.
enum Reason {
    /// Shares and usage.
    Quotient,
    /// A user with shares `parent`: full.
    PassedUser,
    /// An account with shares `parent`: none.
    PassedAccount,
    /// Below the last level that has a bucket: none.
    TooDeep,
    /// No shares: full.
    NoShares,
    /// No usage: full.
    NoUsage,
}

impl Reason {
    fn of(view: &View<'_>, word: &Word, node: NodeId) -> Self {
        let is_parent = view.tree.shares(node).is_parent();
        match view.tree.kind(node) {
            Kind::Account if is_parent => Self::PassedAccount,
            _ if depth(view, node) >= word.buckets.levels() => Self::TooDeep,
            Kind::User if is_parent => Self::PassedUser,
            _ if number(view, ColumnId::NormShares, node) == 0.0 => Self::NoShares,
            _ if number(view, ColumnId::EffectvUsage, node) <= 0.0 => Self::NoUsage,
            _ => Self::Quotient,
        }
    }
}

fn shares(view: &View<'_>, level: &Level, label: &str) -> Line {
    let total = i64::try_from(level.family_shares).unwrap_or(i64::MAX);
    let Some(own) = level.shares.count() else {
        return Line::from(sentence!(
            "{label}parent: gets none of {}'s {}",
            view.label(level.account),
            shares_counted(total),
        ));
    };
    if total == 0 {
        return Line::from(sentence!("{label}{}: ", no_level_shares(level))).and(
            Emphasis::Strong,
            fraction(number(view, ColumnId::NormShares, level.node)),
        );
    }
    let line = Line::from(sentence!(
        "{label}{} / {} = ",
        grouped(own),
        shares_counted(total)
    ))
    .and(
        Emphasis::Strong,
        fraction(number(view, ColumnId::NormShares, level.node)),
    );
    if level.has_wrapped {
        let note = "; the sum overflows 32 bits, and Slurm divides by the remainder";
        return line.and(Emphasis::Over, note);
    }
    line
}

fn shares_counted(count: i64) -> Shown {
    let word = word_for(count, "share", "shares");
    sentence!("{} {word}", grouped(count))
}

fn usage(view: &View<'_>, level: &Level, label: &str) -> Line {
    let of_account = number(view, ColumnId::Usage, level.account);
    let own = number(view, ColumnId::Usage, level.node);
    let part = number(view, ColumnId::EffectvUsage, level.node);
    if of_account == 0.0 {
        let account = view.label(level.account);
        return Line::from(sentence!("{label}nothing was used in {account}: "))
            .and(Emphasis::Strong, fraction(part));
    }
    let line = Line::from(sentence!(
        "{label}{} / {} = ",
        amount(own),
        amount(of_account)
    ))
    .and(Emphasis::Strong, fraction(part));
    if part > 1.0 {
        let note = sentence!(
            "; more than the recorded usage of its {}",
            view.settings.noun().one
        );
        return line.and(Emphasis::Dim, note);
    }
    line
}

fn bucket(view: &View<'_>, word: &Word, level: &Level, label: &str) -> Line {
    let hex = word.hex(depth(view, level.node)).unwrap_or_default();
    let because = |text: &str| Line::from(sentence!("{label}{text}"));
    let line = match Reason::of(view, word, level.node) {
        Reason::PassedAccount => {
            return because(&sentence!(
                "shares parent: the {} has no bucket of its own",
                view.settings.noun().one
            ));
        }
        Reason::TooDeep => return because("below the last level that has a bucket"),
        Reason::PassedUser => because("a user with shares parent has a full bucket: "),
        Reason::NoShares => because("no shares fill the bucket: "),
        Reason::NoUsage => because("no usage fills the bucket: "),
        Reason::Quotient => {
            let shares = number(view, ColumnId::NormShares, level.node);
            let target = 0.1 + 0.9 * shares;
            because(&sentence!(
                "S' = {}, F = 2^-({} / {}) = {}, value ",
                fraction(target),
                fraction(number(view, ColumnId::EffectvUsage, level.node)),
                fraction(target),
                fraction(number(view, ColumnId::BucketFactor, level.node)),
            ))
        }
    };
    let standing = among(
        level.siblings_ahead,
        level.sibling_count,
        level.siblings_tied,
    );
    line.and(Emphasis::Strong, hex)
        .and(Emphasis::Dim, sentence!("; {standing}"))
}

/// Returns the layout of the 64-bit priority.
fn layout(buckets: Buckets) -> Shown {
    let width = buckets.width();
    let each = match buckets.levels() {
        1 => sentence!("PriorityLevels=1: one bucket of {width} bits"),
        levels => sentence!("PriorityLevels={levels}: {levels} buckets of {width} bits"),
    };
    let unused = match buckets.unused() {
        0 => "no bit unused".into(),
        1 => "the last bit unused".into(),
        unused => sentence!("the last {unused} bits unused"),
    };
    let full = bucket_hex(buckets, buckets.full());
    sentence!("{each}, the largest value {full}; {unused}")
}

/// Returns the position of a node's bucket in the 64-bit priority.
fn place(view: &View<'_>, word: &Word, level: &Level, label: &str) -> Line {
    let depth = depth(view, level.node);
    let (shift, hex) = match (word.buckets.shift(depth), word.hex(depth)) {
        (Some(shift), Some(hex)) if bits(view, ColumnId::LevelFsWord, level.node) > 0 => {
            (shift, hex)
        }
        _ => {
            return Line::from(sentence!(
                "{label}adds nothing to the priority of its {}",
                view.settings.noun().one
            ));
        }
    };
    let shifted = match shift {
        0 => "not shifted".into(),
        shift => sentence!("shifted left by {}", counted(shift as usize, "bit", "bits")),
    };
    Line::from(sentence!("{label}level {depth}: {hex}, {shifted}"))
}

/// Returns the factor of a user.
fn factor(view: &View<'_>, explanation: &Explanation) -> Vec<Line> {
    let Some(rank) = explanation.rank else {
        return Vec::new();
    };
    let users = amount(explanation.user_count as f64);
    let result = number(view, ColumnId::Factor, explanation.node);
    vec![
        heading(
            "Factor",
            "(users - rank) / users, always below 1, and 0 for the last unless it ties",
        ),
        Line::from(sentence!(
            "  {}  ({users} - {}) / {users} = ",
            view.label(explanation.node),
            amount(f64::from(rank)),
        ))
        .and(Emphasis::Strong, fraction(result)),
    ]
}

/// Returns notes on unusual numbers of the path.
fn notes(view: &View<'_>, word: &Word, levels: &[Level]) -> Vec<Line> {
    let has = |wanted: fn(&Reason) -> bool| {
        levels
            .iter()
            .any(|level| wanted(&Reason::of(view, word, level.node)))
    };
    let mut notes = Vec::new();
    let mut note = |text: Shown| notes.push(Line::of(Emphasis::Dim, text));
    if has(|reason| matches!(reason, Reason::NoShares)) {
        note(
            "Slurm leaves F at 1 for nodes without shares, so they rank first on their level."
                .into(),
        );
    }
    if has(|reason| matches!(reason, Reason::PassedAccount)) {
        let Noun { one, any, .. } = view.settings.noun();
        note(sentence!(
            "Members of {any} with shares parent compete on the level of that {one}."
        ));
    }
    if has(|reason| matches!(reason, Reason::TooDeep)) {
        note(sentence!(
            "Below the deepest level all users of {} tie. A larger PriorityLevels separates them.",
            view.settings.noun().any
        ));
    }
    let node = levels.last().map(|level| level.node);
    if let Some(node) = node.filter(|&node| view.evaluation.is_open_word(node)) {
        let bound = |column| crate::base::number::word(bits(view, column, node));
        note(sentence!(
            "The last unit depends on the controller's processor: the priority is from {} to {}.",
            bound(ColumnId::PriorityFsRawLeast),
            bound(ColumnId::PriorityFsRawMost)
        ));
    }
    notes
}

/// Returns the sentence of the root.
fn root(view: &View<'_>, explanation: &Explanation) -> Line {
    let users = counted(explanation.user_count, "user", "users");
    let usage = amount(number(view, ColumnId::Usage, NodeId::ROOT));
    Line::of(Emphasis::Strong, view.label(explanation.node)).and(
        Emphasis::Plain,
        sentence!(" is the root: all of the shares, usage {usage} in all, {users} below it."),
    )
}

/// Returns which account above holds the node back, as a sentence; empty if none does.
fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(level) = holding_back(levels) else {
        return Shown::default();
    };
    sentence!(
        " It is held back by {}, which has used {} of {}'s usage, target {}.",
        view.label(level.node),
        percent(number(view, ColumnId::EffectvUsage, level.node)),
        view.label(level.account),
        percent(number(view, ColumnId::NormShares, level.node))
    )
}

/// Returns the explanation as an admin would give it to a user.
fn sentence(view: &View<'_>, explanation: &Explanation, own: &Word, level: &Level) -> Line {
    let node = explanation.node;
    let comma = if explanation.tied > 0 { "," } else { "" };
    let opening = sentence!(
        "{}{comma} with the 64-bit priority ",
        rank_in_words(view, explanation)
    );
    let account = view.label(level.account);
    let why = match Reason::of(view, own, node) {
        Reason::PassedAccount => {
            sentence!("its shares are parent, so its members compete in {account}")
        }
        Reason::PassedUser => {
            sentence!(
                "its shares are parent, so it ranks first in {account}"
            )
        }
        Reason::TooDeep => match view.tree.kind(node) {
            Kind::User => sentence!("it is below the deepest level, so all users of {account} tie"),
            Kind::Account => "it is below the deepest level, so all its users tie".into(),
        },
        Reason::NoShares if level.has_wrapped => {
            "the shares of its level overflow 32 bits and add up to 0, so it counts as without shares and ranks first".into()
        }
        Reason::NoShares => "it has no shares, so it ranks first on its level".into(),
        Reason::NoUsage if number(view, ColumnId::Usage, level.account) == 0.0 => {
            sentence!("nothing was used in {account}, so none of its members is ahead")
        }
        Reason::NoUsage => {
            sentence!("it has used none of {account}'s usage, so no sibling is ahead")
        }
        Reason::Quotient if level.has_wrapped => {
            "the shares of its level overflow 32 bits, so its own portion is wrong".into()
        }
        Reason::Quotient => {
            let used = number(view, ColumnId::EffectvUsage, node);
            let shares = number(view, ColumnId::NormShares, node);
            return Line::of(Emphasis::Strong, view.label(node))
                .and(Emphasis::Plain, opening)
                .and(Emphasis::Strong, word(own.bits))
                .and(Emphasis::Plain, ": it has used ")
                .and(against(used, shares), percent(used))
                .and(
                    Emphasis::Plain,
                    sentence!(
                        " of {account}'s usage, target {}.",
                        percent(shares)
                    ),
                );
        }
    };
    Line::of(Emphasis::Strong, view.label(node))
        .and(Emphasis::Plain, opening)
        .and(Emphasis::Strong, word(own.bits))
        .and(Emphasis::Plain, sentence!(": {why}."))
}
