//! The list on the screen and the node that is selected in it.

use super::{Pane, Screen, Session};
use crate::model::{Kind, NodeId};
use crate::report::lesson::WhyView;
use crate::report::outline::{Listing, Outline, Sort};
use crate::scenario::Scenario;

impl Session {
    /// Returns which rows the screen lists.
    pub(crate) fn listing(&self) -> Listing {
        self.screen.listing()
    }

    /// Returns the list on the screen.
    pub fn pane(&self) -> &Pane {
        self.lists.of(self.listing())
    }

    /// Returns the list on the screen, to change it.
    pub(crate) fn pane_mut(&mut self) -> &mut Pane {
        self.lists.of_mut(self.screen.listing())
    }

    /// Returns the selected node.
    pub fn selected(&self) -> NodeId {
        self.pane().selected()
    }

    /// Returns the selected account, or the account of the selected user.
    pub(crate) fn selected_account(&self) -> NodeId {
        let tree = self.scenario.tree();
        let node = self.selected();
        match tree.kind(node) {
            Kind::Account => node,
            Kind::User | Kind::Others => tree.parent(node).unwrap_or(NodeId::ROOT),
        }
    }

    /// Returns the nodes that the next edit changes: the marked ones, or else the selected one.
    pub(crate) fn targets(&self) -> Vec<NodeId> {
        let mut targets = self.marks.nodes(self.scenario.tree());
        if targets.is_empty() {
            targets.push(self.selected());
        }
        targets
    }

    /// Returns how many marked nodes are in the tree.
    pub(crate) fn marked_count(&self) -> usize {
        self.marks.count(self.scenario.tree())
    }

    /// Computes the numbers again, and lists the rows by them.
    pub(crate) fn refresh(&mut self) {
        self.revision += 1;
        if self.scenario.is_compared() {
            // Asked for first, they are computed together with those after the edits.
            let _ = self.scenario.before();
        }
        self.change_outline(Outline::rebuild);
    }

    /// Lists the users in this order; a cursor on the first row stays there.
    pub(crate) fn list_users(&mut self, users: Vec<NodeId>) {
        let pane = self.lists.of_mut(Listing::Users);
        let node = pane.selected();
        let stays = pane.cursor == 0;
        pane.outline.set_users(&self.scenario, users);
        pane.cursor = pane.cursor.min(pane.last());
        if !stays && self.screen == Screen::Policies {
            self.select_or_clamp(node);
        }
    }

    /// Puts the cursor on a node, unfolding what hides it. In a list of users, on the first user of an account.
    pub(crate) fn select(&mut self, node: NodeId) {
        if self.listing() == Listing::Tree {
            let outline = &mut self.lists.of_mut(Listing::Tree).outline;
            outline.reveal(&self.scenario, node);
            return self.select_or_clamp(node);
        }
        let user = match self.scenario.tree().kind(node) {
            Kind::User | Kind::Others => Some(node),
            Kind::Account => self.scenario.evaluation().best_user(node),
        };
        self.select_or_clamp(user.unwrap_or(node));
    }

    /// Selects a node, or the nearest account above it that has a row; in a list of users the cursor stays.
    pub(crate) fn select_or_clamp(&mut self, node: NodeId) {
        let row = match self.row_at_or_above(node) {
            Some(row) => row,
            None => self.pane().cursor,
        };
        self.put_cursor(row);
    }

    /// Returns the row of a node, or in the tree that of the nearest account above it that has one.
    fn row_at_or_above(&self, node: NodeId) -> Option<usize> {
        let tree = self.scenario.tree();
        let outline = &self.pane().outline;
        if !tree.contains(node) {
            return None;
        }
        if self.listing() != Listing::Tree {
            return outline.row_of(node);
        }
        let mut next = Some(node);
        while let Some(node) = next {
            if let Some(row) = outline.row_of(node) {
                return Some(row);
            }
            next = tree.parent(node);
        }
        None
    }

    /// Moves the cursor to a row, the last at most, and begins the why pane again.
    pub(crate) fn go_to(&mut self, row: usize) {
        self.why_offset = 0;
        self.put_cursor(row);
    }

    /// Moves the cursor to a row, the last at most. The why pane of another node begins at its first line.
    fn put_cursor(&mut self, row: usize) {
        let pane = self.lists.of_mut(self.screen.listing());
        let row = row.min(pane.last());
        if row != pane.cursor {
            self.why_offset = 0;
        }
        pane.cursor = row;
    }

    /// Goes to a screen, with the same node selected if it has a row there. In the ranking, its first user stands in for
    /// an account. The account is selected again in the tree, if the cursor has not moved meanwhile.
    pub(crate) fn show(&mut self, screen: Screen) {
        let node = self.node_to_keep();
        let filter = self.pane().outline.filter();
        self.screen = screen;
        let listing = screen.listing();
        // Who goes to a screen wants to see it.
        if self.why == WhyView::Full {
            self.why = WhyView::Shown;
        }
        self.lists.renew(&self.scenario, listing);
        // A filter on one screen is a filter on the others.
        let outline = &mut self.lists.of_mut(listing).outline;
        if outline.filter() != filter {
            let marked = self.marks.nodes(self.scenario.tree());
            outline.set_filter(&self.scenario, filter, &marked);
        }
        let is_user = self.scenario.tree().kind(node) == Kind::User;
        let selected = match listing {
            // An account has no rank: its best user is selected.
            Listing::Ranking if !is_user => self.scenario.evaluation().best_user(node),
            // The user with the largest spread is on top, and no other was selected.
            Listing::Users if !is_user => None,
            _ => Some(node),
        };
        match selected {
            Some(node) => self.select(node),
            // The rows may have become fewer since the list was last shown.
            None => self.go_to(self.pane().cursor),
        }
        if listing != Listing::Tree && !is_user {
            self.lists.left_account = Some((node, self.pane().cursor));
        }
    }

    /// Returns the node that another screen is to select: the account that was left for this one, if the cursor has not
    /// moved since, or else the selected one.
    fn node_to_keep(&mut self) -> NodeId {
        if let Some((account, row)) = self.lists.left_account.take()
            && row == self.pane().cursor
            && self.scenario.tree().contains(account)
        {
            return account;
        }
        self.selected()
    }

    /// Folds the list again as it was before a name was typed to be found, with the same node selected.
    pub(crate) fn restart_search(&mut self) {
        let Some(before) = self.lists.before_search.clone() else {
            return;
        };
        let node = before.selected();
        *self.pane_mut() = *before;
        self.change_outline(Outline::rebuild);
        self.select_or_clamp(node);
    }

    /// Folds or unfolds an account. Returns whether that changed anything.
    pub(crate) fn set_unfolded(&mut self, node: NodeId, unfolded: bool) -> bool {
        let outline = &mut self.lists.of_mut(self.screen.listing()).outline;
        outline.set_unfolded(&self.scenario, node, unfolded)
    }

    /// Changes the list on the screen and stays on the selected node.
    pub(crate) fn change_outline(&mut self, change: impl FnOnce(&mut Outline, &Scenario)) {
        let node = self.selected();
        let outline = &mut self.lists.of_mut(self.screen.listing()).outline;
        change(outline, &self.scenario);
        self.select_or_clamp(node);
    }

    /// Sorts by a column, or reverses the order if it sorts by that column already.
    pub(crate) fn sort_by(&mut self, sort: Option<Sort>) {
        let now = self.pane().outline.sort();
        let sort = match (sort, now) {
            (Some(wanted), Some(now)) if wanted.column == now.column => Some(now.reversed()),
            (sort, _) => sort,
        };
        self.change_outline(|outline, scenario| outline.set_sort(scenario, sort));
    }
}
