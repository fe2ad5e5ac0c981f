//! LEVEL_BASED's numbers in words, and its word of 64 bits as a drawing.

use super::why::{
    self, Derivation, Step, Why, against, level_place, no_level_shares, number, rank_in_words, root,
};
use crate::base::number::{Value, amount, counted, fraction, grouped, percent, word};
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::model::{Kind, NodeId, Noun};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::level_based::{Buckets, levels as bucket_levels};
use crate::rules::policy::{ColumnId, Explanation, Level, holding_back};

pub(super) fn why(view: &View<'_>, explanation: &Explanation, levels: &[Level]) -> Why {
    let Some(last) = levels.last() else {
        return (root(view, explanation.user_count, ""), Vec::new());
    };
    let word = Word::of(view, levels);
    let sentence = sentence(view, explanation, &word, last).plain(held_back(view, levels));
    let buckets = word.buckets;
    let account = view.settings.noun().one;
    let full = bucket_hex(buckets, buckets.full());
    let value = sentence!(
        "S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × ({full} - 1) without fraction"
    );
    let mut priority = Derivation::of("Priority", layout(buckets))
        .along(levels, |level| place(view, &word, level));
    priority.drawing = drawn(view, &word);
    let mut derivations = vec![
        priority,
        Derivation::of("Shares", "S = shares / shares of the level")
            .along(levels, |level| shares(view, level)),
        Derivation::of("Usage", sentence!("U = usage / usage of the {account}"))
            .along(levels, |level| usage(view, level)),
        Derivation::of("Bucket", value).along(levels, |level| bucket(view, &word, level)),
    ];
    derivations.extend(factor(view, explanation));
    if let Some(last) = derivations.last_mut() {
        last.notes = notes(view, &word, levels);
    }
    (sentence, derivations)
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    let Some((last, above)) = levels.split_last() else {
        return Vec::new();
    };
    let own_word = Word::of(view, levels);
    let filled = |level: &Level| bucket(view, &own_word, level);
    let own = sentence!(
        "{}; 64-bit priority {}",
        filled(last).outcome(),
        word(own_word.bits)
    );
    vec![
        why::in_brief("Shares", levels, |level| shares(view, level)),
        why::in_brief("Usage", levels, |level| usage(view, level)),
        why::path_in_brief("Buckets", above, filled, own),
    ]
}

/// The 64-bit priority of the explained node, and the nodes that fill its buckets.
struct Word {
    buckets: Buckets,
    bits: u64,
    /// By level: the node that filled the bucket.
    owners: Vec<Option<NodeId>>,
    node: NodeId,
}

impl Word {
    fn of(view: &View<'_>, levels: &[Level]) -> Self {
        let buckets = Buckets::for_levels(bucket_levels(view.tree, view.settings));
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

/// Returns the level of a node in the 64-bit priority, from 0.
fn depth(view: &View<'_>, node: NodeId) -> u32 {
    match view.value(ColumnId::Level, node) {
        Value::Count(level) => u32::try_from(level).unwrap_or(u32::MAX),
        _ => u32::MAX,
    }
}

#[derive(PartialEq, Eq)]
enum Reason {
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

fn shares(view: &View<'_>, level: &Level) -> Step {
    let name = view.label(level.node);
    let all = counted(level.family_shares, "share", "shares");
    let Some(own) = level.shares.count() else {
        let account = view.label(level.account);
        return Step::of(name, sentence!("parent: gets none of {account}'s {all}"));
    };
    let inputs = match level.family_shares {
        0 => sentence!("{}: ", no_level_shares(level)),
        _ => sentence!("{} / {all} = ", grouped(own)),
    };
    let part = fraction(number(view, ColumnId::NormShares, level.node));
    let step = Step::of(name, inputs).gives(part);
    if level.has_wrapped && level.family_shares != 0 {
        let note = "the sum overflows 32 bits, and Slurm divides by the remainder";
        return step.noting_as(Emphasis::Over, note);
    }
    step
}

fn usage(view: &View<'_>, level: &Level) -> Step {
    let [own, of_account] =
        [level.node, level.account].map(|node| number(view, ColumnId::Usage, node));
    let part = number(view, ColumnId::EffectvUsage, level.node);
    let inputs = if of_account == 0.0 {
        sentence!("nothing was used in {}: ", view.label(level.account))
    } else {
        sentence!("{} / {} = ", amount(own), amount(of_account))
    };
    let step = Step::of(view.label(level.node), inputs).gives(fraction(part));
    if part > 1.0 && of_account != 0.0 {
        let account = view.settings.noun().one;
        return step.noting(sentence!("more than the recorded usage of its {account}"));
    }
    step
}

fn bucket(view: &View<'_>, word: &Word, level: &Level) -> Step {
    let name = view.label(level.node);
    let inputs = match Reason::of(view, word, level.node) {
        Reason::PassedAccount => {
            let account = view.settings.noun().one;
            let inputs = sentence!("shares parent: the {account} has no bucket of its own");
            return Step::of(name, inputs);
        }
        Reason::TooDeep => return Step::of(name, "below the last level that has a bucket"),
        Reason::PassedUser => "a user with shares parent has a full bucket: ".into(),
        Reason::NoShares => "no shares fill the bucket: ".into(),
        Reason::NoUsage => "no usage fills the bucket: ".into(),
        Reason::Quotient => {
            let target = fraction(0.1 + 0.9 * number(view, ColumnId::NormShares, level.node));
            sentence!(
                "S' = {target}, F = 2^-({} / {target}) = {}, value ",
                fraction(number(view, ColumnId::EffectvUsage, level.node)),
                fraction(number(view, ColumnId::BucketFactor, level.node)),
            )
        }
    };
    let hex = word.hex(depth(view, level.node)).unwrap_or_default();
    Step::of(name, inputs).gives(hex).noting(level_place(level))
}

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

fn place(view: &View<'_>, word: &Word, level: &Level) -> Step {
    let depth = depth(view, level.node);
    let is_filled = bits(view, ColumnId::LevelFsWord, level.node) > 0;
    let bucket = word.buckets.shift(depth).zip(word.hex(depth));
    let inputs = match bucket.filter(|_| is_filled) {
        Some((0, hex)) => sentence!("level {depth}: {hex}, not shifted"),
        Some((shift, hex)) => {
            let shift = counted(shift as usize, "bit", "bits");
            sentence!("level {depth}: {hex}, shifted left by {shift}")
        }
        None => {
            let account = view.settings.noun().one;
            sentence!("adds nothing to the priority of its {account}")
        }
    };
    Step::of(view.label(level.node), inputs)
}

fn factor(view: &View<'_>, explanation: &Explanation) -> Option<Derivation> {
    let rank = amount(f64::from(explanation.rank?));
    let users = amount(explanation.user_count as f64);
    let name = view.label(explanation.node);
    let result = number(view, ColumnId::Factor, explanation.node);
    let step = Step::from(sentence!("{name}  ({users} - {rank}) / {users} = "));
    let formula = "(users - rank) / users, always below 1, and 0 for the last unless it ties";
    Some(Derivation::of("Factor", formula).with([step.gives(fraction(result))]))
}

fn notes(view: &View<'_>, word: &Word, levels: &[Level]) -> Vec<Shown> {
    let reasons = levels.iter();
    let reasons = reasons.map(|level| Reason::of(view, word, level.node));
    let has = |reason| reasons.clone().any(|it| it == reason);
    let mut notes = Vec::new();
    if has(Reason::NoShares) {
        let note =
            "Slurm leaves F at 1 for nodes without shares, so they rank first on their level.";
        notes.push(note.into());
    }
    if has(Reason::PassedAccount) {
        let Noun { one, any, .. } = view.settings.noun();
        notes.push(sentence!(
            "Members of {any} with shares parent compete on the level of that {one}."
        ));
    }
    if has(Reason::TooDeep) {
        notes.push(sentence!(
            "Below the deepest level all users of {} tie. A larger PriorityLevels separates them.",
            view.settings.noun().any
        ));
    }
    let node = levels.last().map(|level| level.node);
    if let Some(node) = node.filter(|&node| view.evaluation.is_open_word(node)) {
        let bound = |column| crate::base::number::word(bits(view, column, node));
        notes.push(sentence!(
            "The last unit depends on the controller's processor: the priority is from {} to {}.",
            bound(ColumnId::PriorityFsRawLeast),
            bound(ColumnId::PriorityFsRawMost)
        ));
    }
    notes
}

/// Returns which account above holds the node back, as a sentence; empty if none does.
fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(level) = holding_back(levels) else {
        return Shown::default();
    };
    let [name, account] = [level.node, level.account].map(|node| view.label(node));
    let columns = [ColumnId::EffectvUsage, ColumnId::NormShares];
    let [used, target] = columns.map(|column| number(view, column, level.node));
    let others = if used > target {
        ""
    } else {
        ", but others have fuller buckets"
    };
    let [used, target] = [used, target].map(percent);
    sentence!(
        " It is held back by {name}, which has used {used} of {account}'s usage, target {target}{others}."
    )
}

fn sentence(view: &View<'_>, explanation: &Explanation, own: &Word, level: &Level) -> Line {
    let node = explanation.node;
    let comma = if explanation.tied > 0 { "," } else { "" };
    let rank = rank_in_words(view, explanation);
    let opening = sentence!("{rank}{comma} with the 64-bit priority ");
    let line = Line::strong(view.label(node)).plain(opening);
    let line = line.and(Emphasis::Strong, word(own.bits));
    let account = view.label(level.account);
    let why = match Reason::of(view, own, node) {
        Reason::PassedAccount => {
            sentence!("its shares are parent, so its members compete in {account}")
        }
        Reason::PassedUser => sentence!("its shares are parent, so it ranks first in {account}"),
        Reason::TooDeep => match view.tree.kind(node) {
            Kind::User | Kind::Others => sentence!("it is below the deepest level, so all users of {account} tie"),
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
            let target = percent(shares);
            return line
                .plain(": it has used ")
                .and(against(used, shares), percent(used))
                .plain(sentence!(" of {account}'s usage, target {target}."));
        }
    };
    line.plain(sentence!(": {why}."))
}

/// The word is drawn in one row up to this many buckets: 64 cells and the bars fit a screen of 80.
const MOST_IN_A_ROW: u32 = 8;

/// Returns the bits of each bucket above the name of its node, then the values and the whole word. The last row of
/// bits ends with the unused ones.
fn drawn(view: &View<'_>, word: &Word) -> Vec<Line> {
    let width = word.buckets.width() as usize;
    let levels: Vec<u32> = (0..word.buckets.levels()).collect();
    let in_a_row = match word.buckets.levels() {
        ..=MOST_IN_A_ROW => levels.len(),
        _ => levels.len().div_ceil(2),
    };
    let mut lines = Vec::new();
    for row in levels.chunks(in_a_row) {
        let mut bits = between_bars(word, row, &|level| {
            let value = word.buckets.value(word.bits, level).unwrap_or(0);
            sentence!("{value:0width$b}")
        });
        let unused = word.buckets.unused() as usize;
        if row.last() == levels.last() && unused > 0 {
            bits = bits.and(Emphasis::Dim, sentence!("{}", "·".repeat(unused)));
        }
        lines.push(bits.drawn());
        let owner = |level: u32| word.owners[level as usize];
        if row.iter().any(|&level| owner(level).is_some()) {
            let names = between_bars(word, row, &|level| {
                let name = owner(level).map_or_else(Shown::default, |owner| view.label(owner));
                let name = cut_name(&name, width);
                let blanks = " ".repeat(width.saturating_sub(cells(&name)));
                sentence!("{name}{blanks}")
            });
            lines.push(names.drawn());
        }
    }
    lines.push(bucket_values(word, &levels));
    lines
}

fn emphasis(word: &Word, level: u32) -> Emphasis {
    match word.owners[level as usize] {
        Some(owner) if owner == word.node => Emphasis::Strong,
        Some(_) => Emphasis::Bucket(u8::try_from(level).unwrap_or(u8::MAX)),
        None => Emphasis::Dim,
    }
}

/// Returns a text for each of some buckets between bars.
fn between_bars(word: &Word, levels: &[u32], text: &dyn Fn(u32) -> Shown) -> Line {
    let bar = Line::of(Emphasis::Dim, "  |");
    levels.iter().fold(bar, |line, &level| {
        let line = line.and(emphasis(word, level), text(level));
        line.and(Emphasis::Dim, "|")
    })
}

/// The value of each bucket, then the word: the digits of one need not be those of the other.
fn bucket_values(word: &Word, levels: &[u32]) -> Line {
    let mut line = Line::from("  buckets");
    for &level in levels {
        let value = word.buckets.value(word.bits, level).unwrap_or(0);
        let hex = bucket_hex(word.buckets, value);
        line = line.plain(" ").and(emphasis(word, level), hex);
    }
    line.plain("; the 64-bit priority ")
        .and(Emphasis::Strong, crate::base::number::word(word.bits))
}
