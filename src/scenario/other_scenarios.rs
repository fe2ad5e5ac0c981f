//! Several scenarios on one snapshot: one in front, the others on the shelf.

use super::Scenario;
use crate::base::shown::shown;

/// The longest name of a scenario, in characters.
const LONGEST_NAME: usize = 60;

/// The scenarios beside the one in front, in their order. The one in front is not on the shelf: its owner holds it and
/// hands it to every method that needs it.
#[derive(Clone, Debug, Default)]
pub struct OtherScenarios {
    before: Vec<Scenario>,
    after: Vec<Scenario>,
}

/// Why a scenario cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// There is nothing in it.
    #[error("a scenario needs a name; write what it tries, as in `more for physics`")]
    Empty,
    /// It would not fit anywhere.
    #[error("the name has {0} characters; choose one of at most 60")]
    Long(usize),
    /// Another scenario has it.
    #[error("there is a scenario {0} already; choose another name")]
    Taken(String),
}

impl OtherScenarios {
    /// Returns a shelf with these scenarios on either side of the one in front.
    #[must_use]
    pub fn around(before: Vec<Scenario>, after: Vec<Scenario>) -> Self {
        Self { before, after }
    }

    /// Returns how many scenarios there are, the one in front included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.before.len() + 1 + self.after.len()
    }

    /// Returns the place of the one in front, from 0.
    #[must_use]
    pub fn place(&self) -> usize {
        self.before.len()
    }

    /// Returns all scenarios in their order.
    pub fn all<'a>(&'a self, front: &'a Scenario) -> impl Iterator<Item = &'a Scenario> {
        let front = std::iter::once(front);
        self.before.iter().chain(front).chain(&self.after)
    }

    /// Returns the scenarios beside the one in front.
    pub fn others(&self) -> impl Iterator<Item = &Scenario> {
        self.before.iter().chain(&self.after)
    }

    /// Returns the scenario of that name beside the one in front.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Scenario> {
        self.others().find(|scenario| scenario.name() == name)
    }

    /// Puts the scenario at a place in front; what it is held against is as that is now.
    pub fn bring(&mut self, front: &mut Scenario, place: usize) {
        let place = place.min(self.count() - 1);
        while self.place() > place {
            let Some(next) = self.before.pop() else { break };
            self.after.insert(0, std::mem::replace(front, next));
        }
        while self.place() < place {
            self.before
                .push(std::mem::replace(front, self.after.remove(0)));
        }
        self.renew_compared(front);
    }

    /// Puts a new scenario in front, right after the one that was there, which gets a name if it has none.
    pub fn add(&mut self, front: &mut Scenario, new: Scenario) {
        if front.name.is_empty() {
            front.name = free_name(1, |name| name == new.name);
        }
        self.before.push(std::mem::replace(front, new));
    }

    /// Takes the one in front away and puts the next there, or the one before, or `None` if it is the only one.
    pub fn remove(&mut self, front: &mut Scenario) -> Option<Scenario> {
        let next = if self.after.is_empty() {
            self.before.pop()?
        } else {
            self.after.remove(0)
        };
        let removed = std::mem::replace(front, next);
        self.renew_compared(front);
        Some(removed)
    }

    /// Gives the one in front another name, by which those that are held against it know it from now on.
    pub fn rename(&mut self, front: &mut Scenario, name: String) {
        for other in self.before.iter_mut().chain(&mut self.after) {
            if let Some(compared) = &mut other.compared {
                compared.follow(&front.name, &name);
            }
        }
        front.name = name;
    }

    /// Works out the numbers of all scenarios; those under one policy share what they can.
    pub fn work_out(&mut self, front: &Scenario) {
        let _ = (front.baseline(), front.evaluation(), front.before());
        for other in self.before.iter_mut().chain(&mut self.after) {
            if other.policy_before() == front.policy_before() && other.baseline.get().is_none() {
                other.baseline = front.baseline.clone();
            }
            let _ = other.evaluation();
        }
    }

    /// Holds the one in front against the same scenario as before, as that is now; against the snapshot where that
    /// one is gone.
    pub fn renew_compared(&self, front: &mut Scenario) {
        if let Some(name) = front.compared().map(str::to_owned) {
            front.compare_with(self.named(&name));
        }
    }

    /// Returns a name as the one in front, or a new one, may have it: without blanks around it.
    ///
    /// # Errors
    /// If it is empty, too long, or `others` have it.
    pub fn check_name<'a>(
        name: &str,
        mut others: impl Iterator<Item = &'a Scenario>,
    ) -> Result<String, NameError> {
        let name = name.trim();
        let length = name.chars().count();
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if length > LONGEST_NAME {
            return Err(NameError::Long(length));
        }
        if others.any(|scenario| scenario.name() == name) {
            return Err(NameError::Taken(shown(name.as_bytes())));
        }
        Ok(name.to_owned())
    }

    /// Returns a name that none of all has: `scenario 2` for the second, if that is free.
    #[must_use]
    pub fn free_name(&self, front: &Scenario) -> String {
        free_name(self.count() + 1, |name| {
            self.all(front).any(|scenario| scenario.name() == name)
        })
    }
}

/// Returns the first of `scenario N` from a number on that is not taken.
fn free_name(from: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let names = (from..).map(|number| format!("scenario {number}"));
    let mut free = names.skip_while(|name| is_taken(name));
    free.next()
        .expect("the names are endless, and those taken are not")
}
