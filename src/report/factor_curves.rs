//! The fair-share factor F over usage, of policies that compute it from a node's own share S and usage U: curves of one node
//! and of an example, and the map over all shares. The explorer draws them, and so does a printed lesson.
//!
//! The curves show how F falls with usage. Classic fair-share is 2^-(U / S), with a dampening factor 2^-(U / S / d).
//! `LEVEL_BASED` is 2^-(U / S') with S' = 0.1 + 0.9 S, so no curve is steeper than that of S' = 0.1.

use super::label;
use super::render::drawing::{Curve, Drawing, Figure, Moment};
use super::words::on_its_own;
use crate::base::number::{Unit, amount, fraction};
use crate::base::shown::{Shown, sentence};
use crate::model::{NodeId, Settings};
use crate::rules::policy::{ColumnId, FactorRule, Policy};
use crate::scenario::Scenario;

/// The number of accounts with equal shares of an example in which classic fair-share gives every factor near 0.
const EQUAL_ACCOUNTS: f64 = 150.0;

/// The dampening of that example.
const DAMPENING: u16 = 5;

/// The usages from 0 to 1 at which a drawing has points, without the first.
const POINTS: u16 = 200;

/// The shares whose curves make the map of a drawing.
const SHARES: &[f64] = &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0];

/// The share and the usage of a node that a policy compares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portions {
    /// Its share of the tree, or of its level.
    pub(crate) share: f64,
    /// Its usage as a portion of the same whole.
    pub(crate) used: f64,
}

impl Portions {
    /// Returns the share and the usage of a node that the policy compares, or `None` if it has no such pair.
    pub(crate) fn of(scenario: &Scenario, node: NodeId) -> Option<Self> {
        let policy = scenario.policy();
        let numbers = scenario.evaluation();
        let (share, mut used) = policy.portions(numbers, node)?;
        for column in [ColumnId::EffectvUsage, ColumnId::FairshareTreeUsage] {
            if policy.columns().contains(&column)
                && let Some(effective) = numbers.number(column, node)
            {
                used = effective;
                break;
            }
        }
        if !share.is_finite() || !used.is_finite() {
            return None;
        }
        Some(Self { share, used })
    }
}

/// Returns what a share is a part of.
pub(crate) fn whole_of(policy: Policy) -> &'static str {
    if policy.counts_by_level() {
        "its level"
    } else {
        "the tree"
    }
}

/// A curve: F(U) = 2^-(U / divisor).
pub(crate) struct FactorCurve {
    /// What usage is divided by; 0 without shares.
    pub(crate) divisor: f64,
    /// Whose curves it is.
    pub(crate) text: Shown,
    /// The same in a few words.
    pub(crate) short: Shown,
}

impl FactorCurve {
    /// Returns the curve of classic fair-share of a share, with whose share it is.
    fn classic(share: f64, whose: &Shown) -> Self {
        Self {
            divisor: share,
            text: sentence!("classic, S = {share:.4}: {whose}"),
            short: sentence!("classic, S = {share:.4}"),
        }
    }

    /// Returns the curve of the same share with a dampening.
    fn dampened(share: f64, dampening: u16) -> Self {
        Self {
            divisor: FactorRule::Classic { dampening }.divisor(share),
            text: sentence!("the same, with FairShareDampeningFactor = {dampening}"),
            short: sentence!("dampened by {dampening}"),
        }
    }

    /// Returns the factor at a usage.
    pub(crate) fn at(&self, usage: f64) -> f64 {
        if self.divisor > 0.0 {
            2_f64.powf(-usage / self.divisor)
        } else {
            // Without shares the factor is 0.
            0.0
        }
    }
}

/// Returns the curves of the example, then those of a node.
pub(crate) fn curves(scenario: &Scenario, node: NodeId) -> Vec<FactorCurve> {
    let mut curves = Vec::new();
    let equal = 1.0 / EQUAL_ACCOUNTS;
    let whose = sentence!("one of {EQUAL_ACCOUNTS} equal accounts");
    add(&mut curves, FactorCurve::classic(equal, &whose));
    add(&mut curves, FactorCurve::dampened(equal, DAMPENING));
    let least = FactorRule::LevelBased.divisor(0.0);
    add(
        &mut curves,
        FactorCurve {
            divisor: least,
            text: sentence!("LEVEL_BASED at its steepest, S' = {least}: a share near 0"),
            short: sentence!("LEVEL_BASED, S' = {least}"),
        },
    );
    if let Some(at) = Portions::of(scenario, node) {
        add_own(&mut curves, scenario, at.share);
    }
    curves
}

/// Adds the curves of a node with this share.
fn add_own(curves: &mut Vec<FactorCurve>, scenario: &Scenario, share: f64) {
    let whose = sentence!("its share of {}", whole_of(scenario.policy()));
    add(curves, FactorCurve::classic(share, &whose));
    let dampening = scenario.settings().slurm.dampening;
    if dampening > 1 {
        add(curves, FactorCurve::dampened(share, dampening));
    }
    let softened = FactorRule::LevelBased.divisor(share);
    add(
        curves,
        FactorCurve {
            divisor: softened,
            text: sentence!("LEVEL_BASED, S' = 0.1 + 0.9 S = {softened:.4}"),
            short: sentence!("LEVEL_BASED, S' = {softened:.4}"),
        },
    );
}

/// Adds a curve. One that is there already gets the text, too.
fn add(curves: &mut Vec<FactorCurve>, added: FactorCurve) {
    for curve in curves.iter_mut() {
        if curve.divisor.to_bits() == added.divisor.to_bits() {
            curve.text += &sentence!(", and {}", added.text);
            return;
        }
    }
    curves.push(added);
}

/// Returns that the curves are not those of the current policy, which has none; `None` if it has. Whoever looks at them must
/// know that first.
pub(crate) fn without_curve(scenario: &Scenario) -> Option<Shown> {
    let policy = scenario.policy();
    if policy.factor_rule(scenario.settings()).is_some() || policy == Policy::Formula {
        return None;
    }
    let title = policy.title();
    Some(sentence!(
        "{title} has no curve: it compares siblings. These are the curves of other policies."
    ))
}

/// A map of the factor over usage and share.
pub(crate) struct FactorMap {
    /// The policy whose map it is.
    policy: Policy,
    /// How it computes the factor.
    pub(crate) rule: FactorRule,
}

impl FactorMap {
    /// Returns the map of a policy; `None` if its factor depends on siblings.
    pub(crate) fn of(settings: &Settings, policy: Policy) -> Option<Self> {
        let rule = policy.factor_rule(settings)?;
        Some(Self { policy, rule })
    }

    /// Returns that of the current policy, or of classic fair-share, and where there is room for both that of `LEVEL_BASED`.
    pub(crate) fn all_of(scenario: &Scenario, has_room: bool) -> Vec<Self> {
        let policy = scenario.policy();
        let settings = scenario.settings();
        let is_level_based = policy == Policy::LevelBased;
        let mut maps = Vec::new();
        if has_room || !is_level_based {
            let first = match Self::of(settings, policy) {
                Some(own) if own.rule != FactorRule::LevelBased => Some(own),
                _ => Self::of(settings, Policy::Classic),
            };
            maps.extend(first);
        }
        if has_room || is_level_based {
            maps.extend(Self::of(settings, Policy::LevelBased));
        }
        maps
    }

    /// Returns the policy as Slurm's documentation calls it.
    pub(crate) fn name(&self) -> &'static str {
        match self.policy {
            Policy::Classic => "classic",
            Policy::LevelBased => "LEVEL_BASED",
            Policy::DepthOblivious => "DEPTH_OBLIVIOUS",
            policy => policy.title(),
        }
    }

    /// Returns the name and the formula.
    pub(crate) fn heading(&self) -> Shown {
        let formula = match self.rule {
            FactorRule::Classic { dampening: 0 | 1 } => "2^-(U / S)".into(),
            FactorRule::Classic { dampening } => sentence!("2^-(U / (S d)), d = {dampening}"),
            FactorRule::LevelBased => "2^-(U / (0.1 + 0.9 S))".into(),
        };
        sentence!("{}: F = {formula}", self.name())
    }

    /// Returns the factor of a node as the current policy computed it, or else by the formula.
    pub(crate) fn factor(&self, scenario: &Scenario, node: NodeId, at: Portions) -> f64 {
        let column = match self.rule {
            FactorRule::LevelBased => ColumnId::BucketFactor,
            FactorRule::Classic { .. } => self.policy.factor_column(),
        };
        if self.policy == scenario.policy() {
            let numbers = scenario.evaluation();
            if let Some(computed) = numbers.number(column, node) {
                return computed;
            }
        }
        self.rule.factor(at.share, at.used)
    }

    /// Returns what has to be known about the map beside its formula.
    pub(crate) const fn remark(&self) -> Option<&'static str> {
        match self.rule {
            FactorRule::Classic { dampening: 2.. } => Some("d is Slurm's FairShareDampeningFactor"),
            FactorRule::Classic { .. } => None,
            FactorRule::LevelBased => Some("LEVEL_BASED gives F = 1, a full bucket, at S = 0"),
        }
    }
}

/// Said of the map where the current policy has none.
pub(crate) const WITHOUT_MAP: &str = "the current policy has no such map: it compares siblings";

/// Usage from 0 to 1, and where on it a node is.
struct UsageAxis {
    /// The usages at which curves have points.
    usages: Vec<f64>,
    /// The place of the node's usage among them; `None` if it has none, or more than the axis.
    own: Option<usize>,
}

impl UsageAxis {
    /// Returns the axis with the usage of a node.
    fn of(node: Option<Portions>) -> Self {
        let mut usages = Vec::new();
        for point in 0..=POINTS {
            usages.push(f64::from(point) / f64::from(POINTS));
        }
        let mut own = None;
        if let Some(at) = node
            && (0.0..=1.0).contains(&at.used)
        {
            let place = usages.partition_point(|&usage| usage < at.used);
            if usages.get(place) != Some(&at.used) {
                usages.insert(place, at.used);
            }
            own = Some(place);
        }
        Self { usages, own }
    }

    /// Returns the places of the axis with their texts.
    fn moments(&self) -> Vec<Moment> {
        let mut moments = Vec::new();
        for &usage in &self.usages {
            let number = amount(usage);
            moments.push(Moment {
                at: usage,
                text: sentence!("U = {number}"),
            });
        }
        moments
    }

    /// Returns a curve with the numbers of a function.
    fn curve(&self, name: usize, factor: impl Fn(f64) -> f64) -> Option<Curve> {
        let mut values = Vec::new();
        for &usage in &self.usages {
            values.push(Some(factor(usage)));
        }
        Curve::new(name, false, values)
    }

    /// Returns the point of the node, as a curve of one number.
    fn point(&self, name: usize, factor: f64) -> Option<Curve> {
        let mut values = vec![None; self.usages.len()];
        values[self.own?] = Some(factor);
        Curve::new(name, false, values)
    }
}

/// Returns the curves of an example and of a node as a drawing, with the node on the curve of the current policy.
pub(crate) fn curve_drawing(scenario: &Scenario, node: NodeId) -> Drawing {
    let own = Portions::of(scenario, node);
    let axis = UsageAxis::of(own);
    let mut figure = Figure {
        heading: "Factor F over usage U".into(),
        unit: Unit::Fraction,
        curves: Vec::new(),
    };
    let mut names = Vec::new();
    for (place, curve) in curves(scenario, node).into_iter().enumerate() {
        figure
            .curves
            .extend(axis.curve(place, |usage| curve.at(usage)));
        names.push(curve.text);
    }
    if let Some(at) = own
        && let Some(map) = FactorMap::of(scenario.settings(), scenario.policy())
    {
        let factor = map.factor(scenario, node, at);
        figure.curves.extend(axis.point(names.len(), factor));
        let name = label(scenario.tree(), node);
        let used = fraction(at.used);
        names.push(sentence!("{name}: F = {} at U = {used}", fraction(factor)));
    }
    let mut notes = Vec::new();
    notes.extend(without_curve(scenario));
    if let Some(at) = own {
        notes.push(usage_of(scenario, node, at));
    }
    Drawing {
        moments: axis.moments(),
        names,
        figures: vec![figure],
        note: joined(&notes),
    }
}

/// Returns the map as curves of several shares, a figure for each rule, with the node in each.
pub(crate) fn map_drawing(scenario: &Scenario, node: NodeId) -> Drawing {
    let own = Portions::of(scenario, node);
    let axis = UsageAxis::of(own);
    let mut names = Vec::new();
    for share in SHARES {
        names.push(sentence!("S = {share}"));
    }
    let mut figures = Vec::new();
    let mut notes = Vec::new();
    if scenario.policy().factor_rule(scenario.settings()).is_none() {
        notes.push(on_its_own(WITHOUT_MAP));
    }
    for map in FactorMap::all_of(scenario, true) {
        let mut figure = Figure {
            heading: map.heading(),
            unit: Unit::Fraction,
            curves: Vec::new(),
        };
        for (place, &share) in SHARES.iter().enumerate() {
            figure
                .curves
                .extend(axis.curve(place, |usage| map.rule.factor(share, usage)));
        }
        if let Some(at) = own {
            let factor = map.factor(scenario, node, at);
            figure.curves.extend(axis.point(SHARES.len(), factor));
        }
        if let Some(remark) = map.remark() {
            notes.push(on_its_own(remark));
        }
        figures.push(figure);
    }
    if let Some(at) = own {
        let name = label(scenario.tree(), node);
        let used = fraction(at.used);
        let share = fraction(at.share);
        let whole = whole_of(scenario.policy());
        names.push(sentence!("{name}: U = {used}, S = {share} of {whole}"));
    }
    Drawing {
        moments: axis.moments(),
        names,
        figures,
        note: joined(&notes),
    }
}

/// Returns what a node has used.
fn usage_of(scenario: &Scenario, node: NodeId, at: Portions) -> Shown {
    let name = label(scenario.tree(), node);
    let used = fraction(at.used);
    let whole = whole_of(scenario.policy());
    sentence!("{name} used U = {used} of {whole}.")
}

/// Returns sentences as one note; `None` without any.
fn joined(notes: &[Shown]) -> Option<Shown> {
    if notes.is_empty() {
        return None;
    }
    Some(Shown::joined(notes, " "))
}
