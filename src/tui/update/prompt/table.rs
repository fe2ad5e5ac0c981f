//! The table of prompts, one row for each purpose.

use super::row::PromptRow;
use super::{edits, questions};
use crate::tui::state::prompt::Purpose;
use crate::tui::state::session::Session;

/// Returns the row of a prompt. Without an open tree, its labels name no nodes.
pub(super) fn row(purpose: &Purpose, session: Option<&Session>) -> PromptRow {
    match *purpose {
        Purpose::Shares(node) => edits::shares_of(session, node),
        Purpose::Usage(node) => edits::usage_of(session, node),
        Purpose::MarkedShares => edits::marked_shares(session),
        Purpose::MarkedUsage => edits::marked_usage(session),
        Purpose::Add(account) => edits::added(session, account),
        Purpose::Rename(node) => edits::name_of(session, node),
        Purpose::MoveTo(node) => edits::place_of(session, node),
        Purpose::Family(edit) => edits::family(session, edit),
        Purpose::Edit => edits::line(),
        Purpose::Setting { key, before } => edits::setting_of(session, key, before),
        Purpose::Search => questions::search(),
        Purpose::SearchPage => questions::page_search(),
        Purpose::Save => questions::file(),
        Purpose::SavePage => questions::page_file(),
        Purpose::SaveScreen => questions::screen_file(),
        Purpose::Open => questions::source(),
        Purpose::DiffWith => questions::other_source(),
        Purpose::NewScenario => questions::new_scenario(),
        Purpose::RenameScenario => questions::scenario_name(),
        Purpose::Reason => questions::reason(),
        Purpose::Goal(node) => questions::goal(session, node),
        Purpose::TimeGoal => questions::time_goal(),
        Purpose::OtherHalfLife => questions::other_half_life(),
        Purpose::Jump => questions::jump(),
        Purpose::Machine => questions::machine(),
        Purpose::Cluster => questions::cluster(),
    }
}
