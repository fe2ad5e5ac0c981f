//! The numbers of one column, and how an edit of a few nodes leaves the others where they are.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Numbers by position in the tree's order: those of an earlier evaluation, but for one span.
///
/// They are shared, so that numbers an edit does not change are not copied.
#[derive(Clone, Debug)]
pub(super) struct Series<T> {
    whole: Arc<Vec<T>>,
    patch: Option<Arc<Patch<T>>>,
}

/// The numbers of one span.
#[derive(Debug)]
struct Patch<T> {
    start: usize,
    numbers: Vec<T>,
}

impl<T: Copy> From<Vec<T>> for Series<T> {
    fn from(numbers: Vec<T>) -> Self {
        Arc::new(numbers).into()
    }
}

impl<T: Copy> From<Arc<Vec<T>>> for Series<T> {
    fn from(whole: Arc<Vec<T>>) -> Self {
        Self { whole, patch: None }
    }
}

impl<T: Copy> Series<T> {
    /// Returns the number at a position.
    pub(super) fn at(&self, position: usize) -> T {
        let in_patch = self.patch.as_ref().and_then(|patch| {
            let place = position.checked_sub(patch.start)?;
            patch.numbers.get(place)
        });
        *in_patch.unwrap_or_else(|| &self.whole[position])
    }

    /// Returns all numbers by position.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let [before, patch, behind] = self.parts();
        before.iter().chain(patch).chain(behind).copied()
    }

    /// Returns the numbers before the patch, in it and behind it.
    fn parts(&self) -> [&[T]; 3] {
        match &self.patch {
            None => [&self.whole, &[], &[]],
            Some(patch) => {
                let end = patch.start + patch.numbers.len();
                [
                    &self.whole[..patch.start],
                    &patch.numbers,
                    &self.whole[end..],
                ]
            }
        }
    }

    /// Returns all numbers in one piece, or `None` for numbers of which a span was replaced.
    pub(super) fn as_slice(&self) -> Option<&[T]> {
        self.patch.is_none().then_some(&self.whole[..])
    }

    /// Returns all numbers in one piece, copied if a span was replaced.
    pub(super) fn in_one_piece(&self) -> Cow<'_, [T]> {
        match self.as_slice() {
            Some(numbers) => Cow::Borrowed(numbers),
            None => Cow::Owned(self.parts().concat()),
        }
    }

    /// Returns these numbers with others from `start` on. Nothing but the replaced span is copied.
    pub(super) fn patched(&self, start: usize, numbers: Vec<T>) -> Self {
        let end = start + numbers.len();
        let (start, numbers) = match &self.patch {
            None => (start, numbers),
            // One span covers both.
            Some(patch) => {
                let first = start.min(patch.start);
                let last = end.max(patch.start + patch.numbers.len());
                let mut covering: Vec<T> =
                    (first..last).map(|position| self.at(position)).collect();
                covering[start - first..end - first].copy_from_slice(&numbers);
                (first, covering)
            }
        };
        Self {
            whole: Arc::clone(&self.whole),
            patch: Some(Arc::new(Patch { start, numbers })),
        }
    }

    /// Returns the numbers of a span.
    pub(super) fn span(&self, span: Range<usize>) -> impl Iterator<Item = T> + '_ {
        span.map(|position| self.at(position))
    }
}

impl<T: Copy + PartialEq> PartialEq for Series<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::Series;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn patches_are_as_if_all_had_been_copied(
            numbers in vec(any::<u32>(), 1..40),
            patches in vec((any::<prop::sample::Index>(), vec(any::<u32>(), 0..12)), 0..6),
        ) {
            let mut plain = numbers.clone();
            let mut series = Series::from(numbers);
            for (start, mut patch) in patches {
                let start = start.index(plain.len());
                patch.truncate(plain.len() - start);
                plain[start..start + patch.len()].copy_from_slice(&patch);
                series = series.patched(start, patch);
                prop_assert_eq!(series.iter().collect::<Vec<u32>>(), plain.clone());
                prop_assert_eq!(series.in_one_piece().to_vec(), plain.clone());
                for (position, &number) in plain.iter().enumerate() {
                    prop_assert_eq!(series.at(position), number);
                }
            }
        }
    }
}
