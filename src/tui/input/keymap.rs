//! Keys to actions, as `assets/keymap.toml` says.

use crate::base::shown::{Shown, shown};
use crate::tui::input::action::Action;
use crate::tui::input::key::{Binding, Key};
use std::collections::BTreeMap;

pub(crate) const SHIPPED: &str = include_str!("../../../assets/keymap.toml");

/// A fault of a keymap.
#[derive(Debug, thiserror::Error)]
pub enum KeymapError {
    /// Not TOML, or not a table of lists.
    #[error("{0}")]
    Form(Shown),
    /// An action that does not exist.
    #[error("unknown action '{0}'")]
    Action(Shown),
    /// A key that does not exist.
    #[error("{action}: unknown key '{key}'")]
    Key {
        /// The action it was meant for.
        action: Shown,
        /// The key as written.
        key: Shown,
    },
    /// A key with two actions, or one that is a prefix too.
    #[error("the key {0} is given to two actions")]
    Twice(Shown),
}

/// Which key does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// The bindings of each action, the first ones first. No two of them exclude each other.
    bindings: Vec<(Action, Vec<Binding>)>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::shipped()
    }
}

impl Keymap {
    /// Returns the keymap that comes with fairscope.
    ///
    /// # Panics
    /// Never: a test reads the shipped keymap.
    pub fn shipped() -> Self {
        Self::parse(SHIPPED).expect("the shipped keymap is read by a test")
    }

    /// Reads a keymap: a table of actions, each with its list of keys.
    ///
    /// # Errors
    /// If an action or a key does not exist, or a key has two meanings.
    pub fn parse(text: &str) -> Result<Self, KeymapError> {
        let table: BTreeMap<String, Vec<String>> = toml::from_str(text)
            .map_err(|error| KeymapError::Form(shown(error.message().as_bytes())))?;
        let mut bindings: Vec<(Action, Vec<Binding>)> = Vec::new();
        for (name, texts) in table {
            let action =
                Action::named(&name).ok_or_else(|| KeymapError::Action(shown(name.as_bytes())))?;
            bindings.push((action, Vec::new()));
            for text in texts {
                let binding = Binding::named(&text).ok_or_else(|| KeymapError::Key {
                    action: shown(name.as_bytes()),
                    key: shown(text.as_bytes()),
                })?;
                let mut given = bindings.iter().flat_map(|(_, own)| own);
                if given.any(|&other| other.excludes(binding)) {
                    return Err(KeymapError::Twice(shown(text.as_bytes())));
                }
                bindings.last_mut().expect("one was added").1.push(binding);
            }
        }
        Ok(Self { bindings })
    }

    /// Gives an action these bindings in place of its own. They are taken from other actions, with all that cannot be
    /// pressed beside them: a key loses what followed it as a prefix.
    pub(crate) fn rebind(&mut self, action: Action, bindings: Vec<Binding>) {
        for (_, own) in &mut self.bindings {
            own.retain(|&old| bindings.iter().all(|&new| !new.excludes(old)));
        }
        if let Some((_, own)) = self.bindings.iter_mut().find(|(bound, _)| *bound == action) {
            *own = bindings;
        }
    }

    /// Returns the action of a key behind a prefix or alone, or `None` if it has none.
    pub fn action(&self, prefix: Option<Key>, key: Key) -> Option<Action> {
        let wanted = Binding { prefix, key };
        let mut bound = self.bindings.iter();
        let found = bound.find(|(_, own)| own.contains(&wanted));
        found.map(|&(action, _)| action)
    }

    /// Returns the actions behind a prefix with the last key of each, in the order of help.
    pub(crate) fn behind(&self, prefix: Key) -> Vec<(Key, Action)> {
        let actions = Action::ALL.iter();
        let keys = actions.flat_map(|&action| {
            let own = self.keys(action).iter();
            own.filter(|binding| binding.prefix == Some(prefix))
                .map(move |binding| (binding.key, action))
        });
        keys.collect()
    }

    /// Returns the keys of an action, the first ones first.
    pub fn keys(&self, action: Action) -> &[Binding] {
        let mut bound = self.bindings.iter();
        let own = bound.find(|(known, _)| *known == action);
        own.map_or(&[], |(_, own)| own)
    }

    /// Returns the first binding of an action as text; empty if it has none.
    pub fn hint(&self, action: Action) -> String {
        let first = self.keys(action).first();
        first.map(ToString::to_string).unwrap_or_default()
    }
}
