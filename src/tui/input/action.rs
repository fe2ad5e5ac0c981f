//! The table of actions: everything a key can do, and which handler does it.

/// A heading of help, under which actions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Moving through the rows.
    Move,
    /// Changing the scenario.
    Edit,
    /// Finding nodes.
    Find,
    /// Choosing what is shown, and how.
    Show,
    /// Moving the clock.
    Time,
    /// Files and the program itself.
    Program,
}

impl Group {
    /// All headings, in the order of help.
    pub const ALL: &'static [Self] = &[
        Self::Move,
        Self::Edit,
        Self::Find,
        Self::Show,
        Self::Time,
        Self::Program,
    ];

    /// Returns the heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Edit => "Edit",
            Self::Find => "Find",
            Self::Show => "Show",
            Self::Time => "Time",
            Self::Program => "Files and program",
        }
    }
}

/// The table of actions, handed to a macro: the action, its name in the keymap, its heading in help, what it does in a
/// few words, and its handler. Behind `page` stands what the key does on a page, where it does anything there, and
/// behind `time` what it does on the Time screen, where that is something else.
///
/// A handler is named with what it needs, as the handlers of `update` say. Its path counts where the table is used.
macro_rules! each_action {
    ($then:ident) => {
        $then! {
            Down, "down", Move, "Next row",
                Rows(|session| walking::step(session, 1)), page On(|open| open.step(1));
            Up, "up", Move, "Previous row",
                Rows(|session| walking::step(session, -1)), page On(|open| open.step(-1));
            PageDown, "page_down", Move, "One screen down",
                Rows(|session| walking::page(session, 1)), page On(|open| page_keys::scroll_screens(open, 1));
            PageUp, "page_up", Move, "One screen up",
                Rows(|session| walking::page(session, -1)), page On(|open| page_keys::scroll_screens(open, -1));
            First, "first", Move, "First row",
                Rows(|session| session.go_to(0)), page On(|open| open.scroll(isize::MIN));
            Last, "last", Move, "Last row",
                Rows(|session| session.go_to(usize::MAX)), page On(|open| open.scroll(isize::MAX));
            Toggle, "toggle", Move, "Fold or unfold; jump to the tree; play or pause",
                Rows(walking::toggle), page Does(Tree(page_keys::apply_choice)), time Tree(clock::play);
            Left, "left", Move, "Fold, or go to the account above",
                Rows(walking::go_left);
            Right, "right", Move, "Unfold, or go to the first below",
                Rows(walking::go_right);
            UnfoldAll, "unfold_all", Move, "Unfold everything",
                Rows(|session| walking::unfold_all(session, true));
            FoldAll, "fold_all", Move, "Fold everything",
                Rows(|session| walking::unfold_all(session, false));
            EditShares, "edit_shares", Edit, "Edit the shares: 20, +10, *2, 50%",
                Numbers(editing::edit_shares);
            EditUsage, "edit_usage", Edit, "Edit the usage: 3600, +3600, *0.5",
                Numbers(editing::edit_usage);
            MoreShares, "more_shares", Edit, "One share more",
                Numbers(|session, ui| editing::nudge(session, ui, 1));
            FewerShares, "fewer_shares", Edit, "One share fewer",
                Numbers(|session, ui| editing::nudge(session, ui, -1));
            Mark, "mark", Edit, "Mark, for one edit of several; again unmarks",
                Numbers(marks::mark);
            Marks, "marks", Edit, "Mark children or all rows, or clear the marks",
                Menu(marks::menu);
            AddNode, "add", Edit, "Add a user or an account",
                Numbers(structure::ask_for_node);
            RemoveNode, "remove", Edit, "Remove, with all below; undo brings it back",
                Numbers(structure::remove_nodes);
            Rename, "rename", Edit, "Give it another name",
                Numbers(structure::ask_for_new_name);
            MoveNode, "move", Edit, "Move what is marked here; else ask where to",
                Numbers(structure::move_nodes);
            Lock, "lock", Edit, "Lock or unlock shares for family edits; not saved",
                Numbers(marks::lock);
            Family, "family", Edit, "Scale, split or trade the shares of a family",
                Menu(family::menu);
            EditLine, "edit", Edit, "Type an edit in the edit language",
                Numbers(editing::ask_for_edit);
            Settings, "settings", Edit, "Change a setting of the policy",
                Numbers(settings::list);
            LowerSetting, "lower_setting", Edit, "Lower the main setting, or take the choice before",
                Tree(|session, ui| settings::step_main(session, ui, -1));
            RaiseSetting, "raise_setting", Edit, "Raise the main setting, or take the next choice",
                Tree(|session, ui| settings::step_main(session, ui, 1));
            SayWhy, "say_why", Edit, "Give the reason of the last edit",
                Numbers(scenarios::ask_why);
            Undo, "undo", Edit, "Take back the last edit",
                Tree(history::undo), page Follows;
            Redo, "redo", Edit, "Do it again",
                Tree(history::redo), page Follows;
            History, "history", Edit, "All edits; enter goes back or on to one",
                Menu(history::list);
            Scenarios, "scenarios", Edit, "Scenarios: switch, rename, compare, remove",
                Menu(scenarios::list);
            NewScenario, "new_scenario", Edit, "A copy of this scenario to try on",
                Numbers(scenarios::ask_for_copy);
            NextScenario, "next_scenario", Edit, "Next scenario",
                Numbers(scenarios::next), page Follows;
            Search, "search", Find, "Find a name",
                Tree(prompt::ask_for_name);
            NextFound, "next_found", Find, "Next one found",
                Tree(|session, ui| walking::step_found(session, ui, Search::next));
            PreviousFound, "previous_found", Find, "Previous one found",
                Tree(|session, ui| walking::step_found(session, ui, Search::previous));
            FilterRows, "filter", Find, "Show only over-served, under-served, edited, ...",
                Menu(menus::filter);
            Problems, "problems", Find, "The source: what was verified, problems, findings",
                Tree(dialog::open_source);
            TreeScreen, "tree", Show, "The tree",
                Rows(|session| time::leave_for(session, Listing::Tree)), page Leaves;
            RankingScreen, "ranking", Show, "The ranking: first to run on top",
                Rows(|session| time::leave_for(session, Listing::Ranking)), page Leaves;
            PoliciesScreen, "policies", Show, "The policies: every user's rank under each",
                Rows(|session| time::leave_for(session, Listing::Users)), page Leaves;
            TimeScreen, "time", Show, "The time: what becomes of it all, day by day",
                Numbers(|session, _| time::open(session)), page Leaves;
            PlanScreen, "plan", Show, "The plan: who wins, who loses, what to run",
                Numbers(|session, ui| page::open(session, ui, Subject::Plan)), page Closes;
            WhatItTakes, "what_it_takes", Show, "What it takes to reach a rank, a factor, a place",
                Numbers(page::ask_for_goal);
            RankHangsOn, "rank_hangs_on", Show, "What the node's rank hangs on",
                Numbers(page::open_rank);
            CompareTwo, "compare_two", Show, "Compare the two marked nodes",
                Numbers(page::compare_marked);
            DiffWith, "diff_with", Show, "What differs from another file",
                Numbers(|_, ui| ui.prompt(Purpose::DiffWith, String::new()));
            Contention, "contention", Show, "Users contend for the cores of a machine",
                Numbers(|_, ui| page::ask_for_machine(ui)), page Does(Ui(page_keys::ask_for_machine));
            Timeline, "timeline", Show, "The history of a node through a series of dumps",
                Numbers(page::open_history);
            PreviousDump, "previous_dump", Show, "The dump before, of a series",
                Tree(|session, ui| reload::step_series(session, ui, -1)), page Follows;
            NextDump, "next_dump", Show, "The dump after, of a series",
                Tree(|session, ui| reload::step_series(session, ui, 1)), page Follows;
            NextScreen, "next_screen", Show, "Next screen",
                All(App::next_screen), page Same;
            NextPolicy, "next_policy", Show, "Put the next policy in force",
                Tree(settings::next_policy);
            ChoosePolicy, "choose_policy", Show, "Choose the policy in force",
                Menu(menus::policies);
            Curves, "curves", Show, "How the factor falls with usage, as curves",
                Numbers(dialog::open_curves);
            SortRows, "sort", Show, "Sort siblings by a column",
                Menu(menus::sort);
            ReverseSort, "reverse_sort", Show, "Sort from the other end",
                Rows(walking::reverse_sort);
            Columns, "columns", Show, "Choose the columns",
                Numbers(menus::choose_columns);
            ColumnsLeft, "columns_left", Show, "Scroll the columns left",
                Rows(|session| walking::scroll_columns(session, -1));
            ColumnsRight, "columns_right", Show, "Scroll the columns right",
                Rows(|session| walking::scroll_columns(session, 1));
            Why, "why", Show, "The why pane: shown, whole screen, hidden",
                Rows(walking::next_why), time Nothing;
            WhyDown, "why_down", Show, "Scroll the why pane down",
                Rows(|session| walking::scroll_why(session, 1)), time Nothing;
            WhyUp, "why_up", Show, "Scroll the why pane up",
                Rows(|session| walking::scroll_why(session, -1)), time Nothing;
            StepForward, "step_forward", Time, "Let a step of time pass",
                Time(clock::step_forward);
            StepBack, "step_back", Time, "Take a step of time back",
                Time(clock::step_back);
            Rewind, "rewind", Time, "Take back all the time that was let pass",
                Time(clock::rewind);
            Jump, "jump", Time, "Go to another moment: 7d, 36h, 2026-12-02",
                Time(clock::ask_when);
            NextStep, "next_step", Time, "Longer steps; after the longest, the shortest",
                Time(clock::next_step);
            NextQuantity, "next_quantity", Time, "Draw the factor, rank, usage, share of usage",
                Time(|session, _| time::next_quantity(&mut session.time));
            Assumptions, "assumptions", Time, "Draw the node under three assumptions, or all",
                Time(|session, _| time::next_lines(&mut session.time));
            OtherHalfLife, "other_half_life", Time, "Draw it under another half-life too, dashed",
                Time(time::ask_for_half_life);
            Goal, "goal", Time, "Set the goal of the estimate: on-target, rank<=3",
                Time(time::ask_for_goal);
            LongerHorizon, "longer_horizon", Time, "Look farther ahead",
                Time(|session, _| time::longer_horizon(&mut session.time));
            ShorterHorizon, "shorter_horizon", Time, "Look less far ahead",
                Time(|session, _| time::shorter_horizon(&mut session.time));
            PaceIdle, "pace_idle", Time, "From now on nobody uses anything",
                Numbers(|session, ui| time::assume(session, ui, Assumption::Idle));
            PaceSteady, "pace_steady", Time, "From now on everybody keeps their usage",
                Numbers(|session, ui| time::assume(session, ui, Assumption::Steady));
            PaceWithout, "pace_without", Time, "The same, but this node uses nothing",
                Numbers(time::assume_without);
            PaceRate, "pace_rate", Time, "From now on the user uses so much a second",
                Numbers(|session, ui| time::ask_for_rate(session, ui, false));
            Campaign, "campaign", Time, "The user uses so much for a while",
                Numbers(|session, ui| time::ask_for_rate(session, ui, true));
            Save, "save", Program, "Save the scenarios of this tree",
                Numbers(saving::ask_where_to_save), page Does(Ui(page_keys::ask_where_to_save));
            Open, "open", Program, "Open another tree or scenario",
                Ui(prompt::ask_what_to_open);
            Reload, "reload", Program, "Read the source again; edits stay on top",
                Tree(reload::reload);
            Examples, "examples", Program, "Open a built-in tree to try things on",
                Ui(menus::open_examples);
            NextTree, "next_tree", Program, "Go to the next open tree",
                All(App::next_tree);
            CopyPath, "copy_path", Program, "Copy the node's path",
                Tree(walking::copy_path), page Does(Ui(page_keys::copy));
            Palette, "palette", Program, "All actions, by name",
                Ui(menus::open_palette);
            Help, "help", Program, "This help",
                Ui(dialog::open_help), page Same;
            Cancel, "cancel", Program, "Close, clear, or stop loading",
                All(App::cancel), page Closes, time All(App::cancel_on_time);
            Redraw, "redraw", Program, "Draw the screen again",
                Ui(|ui| ui.queue(Effect::Redraw)), page Same;
            Suspend, "suspend", Program, "Stop; fg brings it back",
                Ui(|ui| ui.queue(Effect::Suspend)), page Same;
            Quit, "quit", Program, "Quit; asks when edits would be lost",
                All(App::quit), page Closes;
        }
    };
}
pub(crate) use each_action;

macro_rules! actions {
    ($(
        $variant:ident, $name:literal, $group:ident, $help:literal,
            $handler:expr $(, page $page:expr)? $(, time $time:expr)?;
    )*) => {
        /// Something the user can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $help] $variant,)*
        }

        impl Action {
            /// All actions, in the order of help.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name in the keymap and in the palette.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the heading under which help lists it.
            #[must_use]
            pub const fn group(self) -> Group {
                match self { $(Self::$variant => Group::$group,)* }
            }

            /// Returns what it does, in a few words.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

each_action! { actions }

impl Action {
    /// Returns the action of that name, or `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|action| action.name() == name)
    }
}
