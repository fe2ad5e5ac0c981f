//! LEVEL_BASED's numbers in words, and its word of 64 bits as a drawing.
//!
//! Each level of the tree has a bucket of so many bits, the topmost in front, and the buckets together are the priority: a
//! user is ahead if the first bucket that differs is fuller.

use super::why::{
    self, Derivation, PathLevel, Step, Why, against, level_place, no_level_shares, number,
    rank_in_words, root,
};
use crate::base::number::{Value, amount, counted, fraction, grouped, percent, word as hex_word};
use crate::base::shown::{Shown, cells, cut_name, sentence};
use crate::model::{Kind, NodeId, Noun};
use crate::report::View;
use crate::report::render::line::{Emphasis, Line};
use crate::rules::policy::level_based::{Buckets, levels as bucket_levels};
use crate::rules::policy::{ColumnId, Explanation, Level, holding_back};

/// Returns why a node has its rank.
pub(super) fn why(view: &View<'_>, explanation: &Explanation) -> Why {
    let levels = &explanation.levels;
    let path = PathLevel::path(view, levels);
    let Some(last) = path.last() else {
        return root(view, explanation.user_count, "").into();
    };
    let word = Word::of(view, levels);
    let mut derivations = derivations(view, &word, &path);
    derivations.extend(factor(view, explanation));
    if let Some(last) = derivations.last_mut() {
        last.notes = notes(&word, &path);
    }
    let sentence = sentence(explanation, &word, last);
    Why {
        sentence: sentence.plain(held_back(view, levels)),
        derivations,
    }
}

/// Returns how the priority came about: the shares, the usage and the bucket of each level.
fn derivations(view: &View<'_>, word: &Word, path: &[PathLevel<'_>]) -> Vec<Derivation> {
    let buckets = word.buckets;
    let account = view.settings.noun().one;
    let full = bucket_hex(buckets, buckets.full());
    let of_level = "S = shares / shares of the level";
    let of_account = sentence!("U = usage / usage of the {account}");
    let value = sentence!(
        "S' = 0.1 + 0.9 S, F = 2^-(U / S'), value = 1 + F × ({full} - 1) without fraction"
    );
    let mut priority = Derivation::of("Priority", layout(buckets));
    priority.drawing = drawn(view, word);
    vec![
        priority.along(path, |level| place(word, level)),
        Derivation::of("Shares", of_level).along(path, shares),
        Derivation::of("Usage", of_account).along(path, usage),
        Derivation::of("Bucket", value).along(path, |level| bucket(word, level)),
    ]
}

/// Returns shares, usage and what comes of them, a line each.
pub(super) fn in_brief(view: &View<'_>, levels: &[Level]) -> Vec<Line> {
    let path = PathLevel::path(view, levels);
    let Some((last, above)) = path.split_last() else {
        return Vec::new();
    };
    let word = Word::of(view, levels);
    let own = bucket(&word, last).outcome();
    let priority = hex_word(word.bits);
    let end = sentence!("{own}; 64-bit priority {priority}");
    let buckets = why::path_in_brief("Buckets", above, |level| bucket(&word, level), end);
    let shares = why::in_brief("Shares", &path, shares);
    let usage = why::in_brief("Usage", &path, usage);
    vec![shares, usage, buckets]
}

/// The 64-bit priority of the explained node, and the nodes that fill its buckets.
struct Word {
    /// How its bits are split.
    buckets: Buckets,
    /// The priority.
    bits: u64,
    /// By level: the node that filled the bucket.
    owners: Vec<Option<NodeId>>,
    /// The explained node.
    node: NodeId,
}

impl Word {
    /// Returns the priority of the last node of a path.
    fn of(view: &View<'_>, levels: &[Level]) -> Self {
        let levels_with_bucket = bucket_levels(view.tree, view.settings);
        let buckets = Buckets::for_levels(levels_with_bucket);
        let node = match levels.last() {
            Some(level) => level.node,
            None => NodeId::ROOT,
        };
        let count = buckets.levels() as usize;
        let mut word = Self {
            buckets,
            bits: bits(view, ColumnId::PriorityFsRaw, node),
            owners: vec![None; count],
            node,
        };
        for level in levels {
            let place = depth(view, level.node) as usize;
            if is_filled(view, level.node)
                && let Some(owner) = word.owners.get_mut(place)
            {
                *owner = Some(level.node);
            }
        }
        word
    }

    /// Returns the value of a bucket in hexadecimal digits; `None` below the last level that has one.
    fn hex(&self, level: u32) -> Option<Shown> {
        let value = self.buckets.value(self.bits, level)?;
        Some(bucket_hex(self.buckets, value))
    }

    /// Returns the value of a bucket; 0 if it is empty.
    fn value(&self, level: u32) -> u64 {
        self.buckets.value(self.bits, level).unwrap_or(0)
    }

    /// Returns the node that filled a bucket, or `None` if none did.
    fn owner(&self, level: u32) -> Option<NodeId> {
        self.owners[level as usize]
    }

    /// Returns how a bucket is emphasized.
    fn emphasis(&self, level: u32) -> Emphasis {
        match self.owner(level) {
            Some(owner) if owner == self.node => Emphasis::Strong,
            Some(_) => Emphasis::Bucket(u8::try_from(level).unwrap_or(u8::MAX)),
            None => Emphasis::Dim,
        }
    }
}

/// Returns whether a node fills its bucket.
fn is_filled(view: &View<'_>, node: NodeId) -> bool {
    // A bucket that was filled is never 0.
    bits(view, ColumnId::LevelFsWord, node) > 0
}

/// Returns a bucket's value with as many hexadecimal digits as its bits need.
fn bucket_hex(buckets: Buckets, value: u64) -> Shown {
    let digits = buckets.width().div_ceil(4) as usize;
    sentence!("{value:0digits$X}")
}

/// Returns a number of 64 bits; 0 if the node has none.
fn bits(view: &View<'_>, column: ColumnId, node: NodeId) -> u64 {
    match view.value(column, node) {
        Value::Word(bits) => bits,
        _ => 0,
    }
}

/// Returns the level of a node in the 64-bit priority, from 0.
fn depth(view: &View<'_>, node: NodeId) -> u32 {
    match view.value(ColumnId::Level, node) {
        Value::Count(level) => {
            let depth = u32::try_from(level);
            depth.unwrap_or(u32::MAX)
        }
        _ => u32::MAX,
    }
}

/// What gives a node's bucket its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The usage against the shares.
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
    /// Returns what gives the bucket of a level its value.
    fn of(word: &Word, level: &PathLevel<'_>) -> Self {
        let view = level.view;
        let node = level.own.node;
        let kind = view.tree.kind(node);
        let is_parent = view.tree.shares(node).is_parent();
        if is_parent && kind == Kind::Account {
            Self::PassedAccount
        } else if depth(view, node) >= word.buckets.levels() {
            Self::TooDeep
        } else if is_parent && kind == Kind::User {
            Self::PassedUser
        } else if level.target() == 0.0 {
            Self::NoShares
        } else if level.effective_usage() <= 0.0 {
            Self::NoUsage
        } else {
            Self::Quotient
        }
    }
}

/// Returns the portion of the shares of a level.
fn shares(level: &PathLevel<'_>) -> Step {
    let own = level.own;
    let all = counted(own.family_shares, "share", "shares");
    let Some(count) = own.shares.count() else {
        let account = level.account_name();
        return level.step(sentence!("parent: gets none of {account}'s {all}"));
    };
    let has_level_shares = own.family_shares > 0;
    let inputs = if has_level_shares {
        let shares = grouped(count);
        sentence!("{shares} / {all} = ")
    } else {
        let reason = no_level_shares(own);
        sentence!("{reason}: ")
    };
    let portion = level.fraction(ColumnId::NormShares);
    let step = level.step(inputs).gives(portion);
    if own.has_wrapped && has_level_shares {
        let note = "the sum overflows 32 bits, and Slurm divides by the remainder";
        return step.noting_as(Emphasis::Over, note);
    }
    step
}

/// Returns the portion of the usage of a level.
fn usage(level: &PathLevel<'_>) -> Step {
    let whole = level.account_usage();
    let inputs = if whole == 0.0 {
        let account = level.account_name();
        sentence!("nothing was used in {account}: ")
    } else {
        let own = amount(level.usage());
        let all = amount(whole);
        sentence!("{own} / {all} = ")
    };
    let portion = level.effective_usage();
    let step = level.step(inputs).gives(fraction(portion));
    if portion > 1.0 && whole != 0.0 {
        let account = level.view.settings.noun().one;
        return step.noting(sentence!("more than the recorded usage of its {account}"));
    }
    step
}

/// Returns the value of the bucket of a level, and the place that it gives.
fn bucket(word: &Word, level: &PathLevel<'_>) -> Step {
    let view = level.view;
    let inputs = match Reason::of(word, level) {
        Reason::PassedAccount => {
            let account = view.settings.noun().one;
            return level.step(sentence!(
                "shares parent: the {account} has no bucket of its own"
            ));
        }
        Reason::TooDeep => return level.step("below the last level that has a bucket"),
        Reason::PassedUser => "a user with shares parent has a full bucket: ".into(),
        Reason::NoShares => "no shares fill the bucket: ".into(),
        Reason::NoUsage => "no usage fills the bucket: ".into(),
        Reason::Quotient => {
            let target = fraction(0.1 + 0.9 * level.target());
            let used = level.fraction(ColumnId::EffectvUsage);
            let factor = level.fraction(ColumnId::BucketFactor);
            sentence!("S' = {target}, F = 2^-({used} / {target}) = {factor}, value ")
        }
    };
    let depth = depth(view, level.own.node);
    let value = word.hex(depth).unwrap_or_default();
    let step = level.step(inputs).gives(value);
    step.noting(level_place(level.own))
}

/// Returns how the bits of a priority are split into buckets.
fn layout(buckets: Buckets) -> Shown {
    let width = buckets.width();
    let levels = buckets.levels();
    let each = if levels == 1 {
        sentence!("PriorityLevels=1: one bucket of {width} bits")
    } else {
        sentence!("PriorityLevels={levels}: {levels} buckets of {width} bits")
    };
    let unused = match buckets.unused() {
        0 => "no bit unused".into(),
        1 => "the last bit unused".into(),
        unused => sentence!("the last {unused} bits unused"),
    };
    let full = bucket_hex(buckets, buckets.full());
    sentence!("{each}, the largest value {full}; {unused}")
}

/// Returns where in the priority the bucket of a level is.
fn place(word: &Word, level: &PathLevel<'_>) -> Step {
    let view = level.view;
    let node = level.own.node;
    let depth = depth(view, node);
    if is_filled(view, node)
        && let Some(shift) = word.buckets.shift(depth)
        && let Some(hex) = word.hex(depth)
    {
        if shift == 0 {
            return level.step(sentence!("level {depth}: {hex}, not shifted"));
        }
        let bits = counted(shift as usize, "bit", "bits");
        return level.step(sentence!("level {depth}: {hex}, shifted left by {bits}"));
    }
    let account = view.settings.noun().one;
    level.step(sentence!("adds nothing to the priority of its {account}"))
}

/// Returns how a user's factor follows from its rank; `None` without one.
fn factor(view: &View<'_>, explanation: &Explanation) -> Option<Derivation> {
    let rank = f64::from(explanation.rank?);
    let place = amount(rank);
    let users = amount(explanation.user_count as f64);
    let node = explanation.node;
    let name = view.label(node);
    let factor = number(view, ColumnId::Factor, node);
    let inputs = Step::from(sentence!("{name}  ({users} - {place}) / {users} = "));
    let step = inputs.gives(fraction(factor));
    let formula = "(users - rank) / users, always below 1, and 0 for the last unless it ties";
    let derivation = Derivation::of("Factor", formula);
    Some(derivation.with([step]))
}

/// Returns what is odd about the numbers of a path.
fn notes(word: &Word, path: &[PathLevel<'_>]) -> Vec<Shown> {
    let Some(own) = path.last() else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
    for level in path {
        reasons.push(Reason::of(word, level));
    }
    let view = own.view;
    let Noun { one, any, .. } = view.settings.noun();
    let mut notes = Vec::new();
    if reasons.contains(&Reason::NoShares) {
        let note =
            "Slurm leaves F at 1 for nodes without shares, so they rank first on their level.";
        notes.push(note.into());
    }
    if reasons.contains(&Reason::PassedAccount) {
        notes.push(sentence!(
            "Members of {any} with shares parent compete on the level of that {one}."
        ));
    }
    if reasons.contains(&Reason::TooDeep) {
        notes.push(sentence!(
            "Below the deepest level all users of {any} tie. A larger PriorityLevels separates them."
        ));
    }
    let node = own.own.node;
    if view.evaluation.is_open_word(node) {
        let least = hex_word(bits(view, ColumnId::PriorityFsRawLeast, node));
        let most = hex_word(bits(view, ColumnId::PriorityFsRawMost, node));
        notes.push(sentence!(
            "The last unit depends on the controller's processor: the priority is from {least} to {most}."
        ));
    }
    notes
}

/// Returns which account above holds the node back, as a sentence; empty if none does.
fn held_back(view: &View<'_>, levels: &[Level]) -> Shown {
    let Some(own) = holding_back(levels) else {
        return Shown::default();
    };
    let level = PathLevel { view, own };
    let name = level.name();
    let account = level.account_name();
    let used = level.effective_usage();
    let target = level.target();
    let others = if used > target {
        ""
    } else {
        ", but others have fuller buckets"
    };
    let used_part = percent(used);
    let target_part = percent(target);
    sentence!(
        " It is held back by {name}, which has used {used_part} of {account}'s usage, target {target_part}{others}."
    )
}

/// Returns the sentence of a node: its rank, its priority and the value of its own bucket.
fn sentence(explanation: &Explanation, own: &Word, level: &PathLevel<'_>) -> Line {
    let comma = if explanation.tied > 0 { "," } else { "" };
    let rank = rank_in_words(level.view, explanation);
    let name = Line::strong(level.name());
    let opening = name.plain(sentence!("{rank}{comma} with the 64-bit priority "));
    let line = opening.and(Emphasis::Strong, hex_word(own.bits));
    let reason = Reason::of(own, level);
    if reason != Reason::Quotient || level.own.has_wrapped {
        let why = own_bucket(level, reason);
        return line.plain(sentence!(": {why}."));
    }
    let account = level.account_name();
    let used = level.effective_usage();
    let shares = level.target();
    let target = percent(shares);
    let emphasis = against(used, shares);
    line.plain(": it has used ")
        .and(emphasis, percent(used))
        .plain(sentence!(" of {account}'s usage, target {target}."))
}

/// Returns why the bucket of a node has its value.
fn own_bucket(level: &PathLevel<'_>, reason: Reason) -> Shown {
    let view = level.view;
    let account = level.account_name();
    match reason {
        Reason::PassedAccount => {
            sentence!("its shares are parent, so its members compete in {account}")
        }
        Reason::PassedUser => sentence!("its shares are parent, so it ranks first in {account}"),
        Reason::TooDeep => match view.tree.kind(level.own.node) {
            Kind::User | Kind::Others => {
                sentence!("it is below the deepest level, so all users of {account} tie")
            }
            Kind::Account => "it is below the deepest level, so all its users tie".into(),
        },
        Reason::NoShares => {
            if level.own.has_wrapped {
                "the shares of its level overflow 32 bits and add up to 0, so it counts as without shares and ranks first"
                    .into()
            } else {
                "it has no shares, so it ranks first on its level".into()
            }
        }
        Reason::NoUsage => {
            if level.account_usage() == 0.0 {
                sentence!("nothing was used in {account}, so none of its members is ahead")
            } else {
                sentence!("it has used none of {account}'s usage, so no sibling is ahead")
            }
        }
        Reason::Quotient => {
            "the shares of its level overflow 32 bits, so its own portion is wrong".into()
        }
    }
}

/// The word is drawn in one row up to this many buckets: 64 cells and the bars fit a screen of 80.
const MOST_IN_A_ROW: u32 = 8;

/// Returns the bits of each bucket above the name of its node, then the values and the whole word. The last row of
/// bits ends with the unused ones.
fn drawn(view: &View<'_>, word: &Word) -> Vec<Line> {
    let count = word.buckets.levels();
    let mut in_a_row = count as usize;
    if count > MOST_IN_A_ROW {
        in_a_row = in_a_row.div_ceil(2);
    }
    let levels: Vec<u32> = (0..count).collect();
    let mut lines = Vec::new();
    for row in levels.chunks(in_a_row) {
        let mut bits = bucket_bits(word, row);
        if row.last() == levels.last() {
            bits = with_unused(bits, word.buckets);
        }
        lines.push(bits.drawn());
        let mut owners = row.iter().map(|&level| word.owner(level));
        if owners.any(|owner| owner.is_some()) {
            let names = bucket_names(view, word, row);
            lines.push(names.drawn());
        }
    }
    lines.push(bucket_values(word, &levels));
    lines
}

/// Returns the last row of bits with the unused ones, if there are any.
fn with_unused(bits: Line, buckets: Buckets) -> Line {
    let unused = buckets.unused() as usize;
    if unused == 0 {
        return bits;
    }
    let dots = "·".repeat(unused);
    bits.and(Emphasis::Dim, sentence!("{dots}"))
}

/// Returns the bits of some buckets between bars.
fn bucket_bits(word: &Word, levels: &[u32]) -> Line {
    let width = word.buckets.width() as usize;
    between_bars(word, levels, |level| {
        sentence!("{:0width$b}", word.value(level))
    })
}

/// Returns the names of the nodes of some buckets between bars.
fn bucket_names(view: &View<'_>, word: &Word, levels: &[u32]) -> Line {
    let width = word.buckets.width() as usize;
    between_bars(word, levels, |level| {
        let name = match word.owner(level) {
            Some(owner) => view.label(owner),
            None => Shown::default(),
        };
        let mut padded = sentence!("{}", cut_name(&name, width));
        let missing = width.saturating_sub(cells(&padded));
        padded.pad(missing);
        padded
    })
}

/// Returns a text for each of some buckets between bars.
fn between_bars(word: &Word, levels: &[u32], text: impl Fn(u32) -> Shown) -> Line {
    let mut line = Line::of(Emphasis::Dim, "  |");
    for &level in levels {
        line = line.and(word.emphasis(level), text(level));
        line = line.and(Emphasis::Dim, "|");
    }
    line
}

/// Returns the value of each bucket, then the word: the digits of one need not be those of the other.
fn bucket_values(word: &Word, levels: &[u32]) -> Line {
    let mut line = Line::from("  buckets");
    for &level in levels {
        let hex = bucket_hex(word.buckets, word.value(level));
        line = line.plain(" ").and(word.emphasis(level), hex);
    }
    let priority = hex_word(word.bits);
    line.plain("; the 64-bit priority ")
        .and(Emphasis::Strong, priority)
}
