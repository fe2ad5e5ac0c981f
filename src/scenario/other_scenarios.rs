//! Several scenarios on one snapshot: one in front, and the others.

use super::Scenario;
use crate::base::shown::{Shown, shown};
use std::collections::HashSet;

/// The longest name of a scenario, in characters.
const LONGEST_NAME: usize = 60;

/// The scenarios beside the one in front, which the owner holds and passes to every method that needs it.
#[derive(Clone, Debug, Default)]
pub struct OtherScenarios {
    others: Vec<Scenario>,
    /// The place of the one in front among all.
    place: usize,
}

/// Why a scenario cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the text of each variant says what it is")]
pub enum NameError {
    #[error("a scenario needs a name; write what it tries, as in `more for physics`")]
    Empty,
    #[error("the name has {0} characters; choose one of at most 60")]
    Long(usize),
    #[error("there is a scenario {0} already; choose another name")]
    Taken(Shown),
}

impl OtherScenarios {
    /// Creates the list of scenarios on either side of the one in front.
    pub(crate) fn around(before: Vec<Scenario>, after: Vec<Scenario>) -> Self {
        Self {
            place: before.len(),
            others: before.into_iter().chain(after).collect(),
        }
    }

    /// Returns how many scenarios there are, including the one in front.
    pub fn count(&self) -> usize {
        self.others.len() + 1
    }

    /// Returns the place of the one in front, from 0.
    pub fn place(&self) -> usize {
        self.place
    }

    /// Returns all scenarios in their order.
    pub fn all<'a>(&'a self, front: &'a Scenario) -> impl Iterator<Item = &'a Scenario> {
        let (before, after) = self.others.split_at(self.place);
        before.iter().chain([front]).chain(after)
    }

    /// Returns the scenarios without the one in front.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Scenario> {
        self.others.iter()
    }

    /// Returns one of the others by its name.
    pub(crate) fn named(&self, name: &str) -> Option<&Scenario> {
        self.others().find(|scenario| scenario.name() == name)
    }

    /// Brings the scenario at a place to the front, and updates the scenario with which it is compared.
    pub fn bring(&mut self, front: &mut Scenario, place: usize) {
        let wanted = place.min(self.others.len());
        if wanted != self.place {
            // The one in front is not among the others, so those after it come a place earlier there.
            let mut next_place = wanted;
            let mut home = self.place;
            if wanted > self.place {
                next_place -= 1;
            } else {
                home -= 1;
            }
            let next = self.others.remove(next_place);
            let former = std::mem::replace(front, next);
            self.others.insert(home, former);
            self.place = wanted;
        }
        self.renew_compared(front);
    }

    /// Puts a new scenario in front, right after the former one, which gets a name if it has none.
    pub fn add(&mut self, front: &mut Scenario, new: Scenario) {
        if front.name.is_empty() {
            front.name = free_name(1, std::iter::once(&new));
        }
        let former = std::mem::replace(front, new);
        self.others.insert(self.place, former);
        self.place += 1;
    }

    /// Removes the one in front for the next, or else the previous one, and returns it. `None` if it is the only one.
    pub(crate) fn remove(&mut self, front: &mut Scenario) -> Option<Scenario> {
        let last = self.others.len().checked_sub(1)?;
        self.place = self.place.min(last);
        let next = self.others.remove(self.place);
        let removed = std::mem::replace(front, next);
        self.renew_compared(front);
        Some(removed)
    }

    /// Renames the one in front, also in the scenarios that are compared with it.
    pub(crate) fn rename(&mut self, front: &mut Scenario, name: String) {
        for other in &mut self.others {
            if let Some(compared) = &mut other.compared
                && compared.name == front.name
            {
                compared.name.clone_from(&name);
            }
        }
        front.name = name;
    }

    /// Computes the numbers of all scenarios. Those under one policy share what they can.
    pub(crate) fn compute_numbers(&mut self, front: &Scenario) {
        front.baseline();
        front.evaluation();
        front.before();
        for other in &mut self.others {
            if other.policy_before() == front.policy_before() && other.baseline.get().is_none() {
                other.baseline = front.baseline.clone();
            }
            other.evaluation();
        }
    }

    /// Compares the one in front with its other scenario's present state, or with the snapshot if that is gone.
    pub(crate) fn renew_compared(&self, front: &mut Scenario) {
        if let Some(name) = front.compared().map(str::to_owned) {
            front.compare_with(self.named(&name));
        }
    }

    /// Returns a valid name for the one in front or a new one, without blanks around it.
    pub(crate) fn check_name<'a>(
        name: &str,
        others: impl Iterator<Item = &'a Scenario>,
    ) -> Result<String, NameError> {
        let trimmed = name.trim();
        let length = trimmed.chars().count();
        if trimmed.is_empty() {
            return Err(NameError::Empty);
        }
        if length > LONGEST_NAME {
            return Err(NameError::Long(length));
        }
        for other in others {
            if other.name() == trimmed {
                let taken = shown(trimmed.as_bytes());
                return Err(NameError::Taken(taken));
            }
        }
        Ok(trimmed.to_owned())
    }

    /// Returns a name that no scenario has: `scenario 2` for the second, if that is free.
    pub(crate) fn free_name(&self, front: &Scenario) -> String {
        free_name(self.count() + 1, self.all(front))
    }
}

/// Returns the first one of `scenario N` that no scenario has, from a number on.
fn free_name<'a>(from: usize, scenarios: impl Iterator<Item = &'a Scenario>) -> String {
    let mut taken = HashSet::new();
    for scenario in scenarios {
        taken.insert(scenario.name());
    }
    let mut number = from;
    loop {
        let name = format!("scenario {number}");
        if !taken.contains(&name[..]) {
            return name;
        }
        number += 1;
    }
}
