//! The factor as a function of a share and a usage, for the policies that compute it from a node's own pair.
//!
//! The numbers here are those of the formula in doubles. A policy computes the factor of a node with the rounding of its
//! scheduler, which can differ in the last bit.

use super::Policy;
use crate::model::Settings;

/// The smallest divisor of `LEVEL_BASED`, which is that of the smallest share.
const LEAST: f64 = 0.1;

/// A rule that gives the factor F = 2^-(U / S') of a share S and a usage U, both as portions of the same whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorRule {
    /// S' is S times Slurm's `FairShareDampeningFactor`, which counts as 1 below 2. PBS has no such factor.
    Classic {
        /// The dampening factor.
        dampening: u16,
    },
    /// S' is 0.1 + 0.9 S.
    LevelBased,
}

impl FactorRule {
    /// Returns S', the number by which the usage is divided.
    pub fn divisor(self, share: f64) -> f64 {
        match self {
            Self::Classic { dampening } => share * f64::from(dampening.max(1)),
            Self::LevelBased => LEAST + (1.0 - LEAST) * share,
        }
    }

    /// Returns F, from 0 to 1. Without a share it is 0, but 1 under `LEVEL_BASED`, which fills the bucket.
    pub fn factor(self, share: f64, usage: f64) -> f64 {
        if share > 0.0 {
            return 2_f64.powf(-usage / self.divisor(share));
        }
        match self {
            Self::Classic { .. } => 0.0,
            Self::LevelBased => 1.0,
        }
    }
}

impl Policy {
    /// Returns the rule of the policy's factor, or `None` if the policy compares siblings instead.
    pub fn factor_rule(self, settings: &Settings) -> Option<FactorRule> {
        match self {
            Self::Pbs => Some(FactorRule::Classic { dampening: 1 }),
            Self::Classic | Self::DepthOblivious => Some(FactorRule::Classic {
                dampening: settings.slurm.dampening,
            }),
            Self::LevelBased => Some(FactorRule::LevelBased),
            Self::FairTree
            | Self::FairTreeDocumented
            | Self::Tickets
            | Self::Flux
            | Self::PbsWalk
            | Self::Formula => None,
        }
    }
}
