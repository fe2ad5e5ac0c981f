//! Names that look the same.

use super::{NAMED, View, finding as warning};
use crate::base::shown::{Likeness, Looks, Shown, is_ordinary, sentence, spelled_out};
use crate::format::Problem;
use crate::model::{NameId, Tree};
use std::collections::HashMap;

/// Returns one finding for the whole tree, or `None` if its names can be told apart.
///
/// Two names of plain ASCII are not compared: `rn` and `m`, or `0` and `O`, look different on a terminal.
pub(super) fn finding(view: &View<'_>) -> Option<Problem> {
    let names = view.tree.names();
    let pairs = pairs(view.tree);
    if pairs.is_empty() {
        return None;
    }
    let named: Vec<Shown> = pairs
        .iter()
        .take(NAMED)
        .map(|&[one, other]| {
            let [one, other] = [names.bytes(one), names.bytes(other)];
            let difference = Likeness::of(one, other).clause();
            let [one, other] = [one, other].map(spelled_out);
            sentence!("{one} and {other} ({difference})")
        })
        .collect();
    let count = pairs.len();
    let some = named.join(", ");
    let message = match count - named.len() {
        0 if count == 1 => sentence!("two names look the same: {some}"),
        0 => sentence!("{count} pairs of names look the same: {some}"),
        more => sentence!("{count} pairs of names look the same: {some} and {more} more"),
    };
    Some(warning(
        view,
        "names-look-alike",
        message,
        "rename one of them, or remove it if it should not exist: a scheduler treats them as different names",
    ))
}

/// Returns each name that looks like one before it, with that one, in the order of first appearance; a name of plain
/// ASCII comes before the others.
pub(in crate::report) fn pairs(tree: &Tree) -> Vec<[NameId; 2]> {
    let names = tree.names();
    if names.iter().all(|(_, name)| is_ordinary(name)) {
        return Vec::new();
    }
    let mut is_used = vec![false; names.len()];
    for &node in tree.nodes() {
        is_used[tree.name_id(node).index()] = true;
    }
    let used = || names.iter().filter(|(id, _)| is_used[id.index()]);
    let looks = Looks::default();
    let mut look = Vec::new();
    let mut others: HashMap<Vec<u8>, Vec<NameId>> = HashMap::new();
    for (id, name) in used().filter(|(_, name)| !is_ordinary(name)) {
        looks.write(name, &mut look);
        match others.get_mut(&look) {
            Some(alike) => alike.push(id),
            None => {
                others.insert(look.clone(), vec![id]);
            }
        }
    }
    let mut ordinary: HashMap<&[u8], NameId> = HashMap::new();
    for (id, name) in used().filter(|(_, name)| is_ordinary(name)) {
        looks.write(name, &mut look);
        if let Some((look, _)) = others.get_key_value(&look) {
            ordinary.entry(look).or_insert(id);
        }
    }
    let mut pairs = Vec::new();
    for (look, alike) in &others {
        let (first, rest) = match ordinary.get(&look[..]) {
            Some(&first) => (first, &alike[..]),
            None => (alike[0], &alike[1..]),
        };
        pairs.extend(rest.iter().map(|&other| [first, other]));
    }
    pairs.sort_by_key(|[_, other]| other.index());
    pairs
}
