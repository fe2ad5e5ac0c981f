//! The table of actions: everything a key can do.

macro_rules! actions {
    ($($variant:ident, $name:literal, $group:ident, $help:literal;)*) => {
        /// Something the user can ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $(#[doc = $help] $variant,)*
        }

        impl Action {
            /// All actions, in the order of help.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in the keymap and in the palette.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Under which heading help lists it.
            #[must_use]
            pub const fn group(self) -> Group {
                match self { $(Self::$variant => Group::$group,)* }
            }

            /// What it does, in a few words.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }
        }
    };
}

/// The headings of help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Getting about.
    Move,
    /// Changing the scenario.
    Edit,
    /// Finding.
    Find,
    /// What is shown, and how.
    Show,
    /// Letting time pass.
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

    /// The heading.
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

actions! {
    Down, "down", Move, "Next row";
    Up, "up", Move, "Previous row";
    PageDown, "page_down", Move, "One screen down";
    PageUp, "page_up", Move, "One screen up";
    First, "first", Move, "First row";
    Last, "last", Move, "Last row";
    Toggle, "toggle", Move, "Fold or unfold; jump to the tree; play or pause";
    Left, "left", Move, "Fold, or go to the account above";
    Right, "right", Move, "Unfold, or go to the first below";
    UnfoldAll, "unfold_all", Move, "Unfold everything";
    FoldAll, "fold_all", Move, "Fold everything";
    EditShares, "edit_shares", Edit, "Edit the shares: 20, +10, *2, 50%";
    EditUsage, "edit_usage", Edit, "Edit the usage: 3600, +3600, *0.5";
    MoreShares, "more_shares", Edit, "One share more";
    FewerShares, "fewer_shares", Edit, "One share fewer";
    Mark, "mark", Edit, "Mark, for one edit of several; again unmarks";
    Marks, "marks", Edit, "Mark children or all rows, or clear the marks";
    AddNode, "add", Edit, "Add a user or an account";
    RemoveNode, "remove", Edit, "Remove, with all below; undo brings it back";
    Rename, "rename", Edit, "Give it another name";
    MoveNode, "move", Edit, "Move what is marked here; else ask where to";
    Lock, "lock", Edit, "Lock or unlock shares for family edits; not saved";
    Family, "family", Edit, "Scale, split or trade the shares of a family";
    EditLine, "edit", Edit, "Type an edit in the edit language";
    Settings, "settings", Edit, "Change a setting of the policy";
    LowerSetting, "lower_setting", Edit, "Lower the main setting, or take the choice before";
    RaiseSetting, "raise_setting", Edit, "Raise the main setting, or take the next choice";
    SayWhy, "say_why", Edit, "Give the reason of the last edit";
    Undo, "undo", Edit, "Take back the last edit";
    Redo, "redo", Edit, "Do it again";
    History, "history", Edit, "All edits; enter goes back or on to one";
    Scenarios, "scenarios", Edit, "Scenarios: switch, rename, compare, remove";
    NewScenario, "new_scenario", Edit, "A copy of this scenario to try on";
    NextScenario, "next_scenario", Edit, "Next scenario";
    Search, "search", Find, "Find a name";
    NextFound, "next_found", Find, "Next one found";
    PreviousFound, "previous_found", Find, "Previous one found";
    FilterRows, "filter", Find, "Show only over-served, under-served, edited, ...";
    Problems, "problems", Find, "The source: what was verified, problems, findings";
    TreeScreen, "tree", Show, "The tree";
    RankingScreen, "ranking", Show, "The ranking: first to run on top";
    PoliciesScreen, "policies", Show, "The policies: every user's rank under each";
    TimeScreen, "time", Show, "The time: what becomes of it all, day by day";
    PlanScreen, "plan", Show, "The plan: who wins, who loses, what to run";
    WhatItTakes, "what_it_takes", Show, "What it takes to reach a rank, a factor, a place";
    RankHangsOn, "rank_hangs_on", Show, "What the node's rank hangs on";
    CompareTwo, "compare_two", Show, "Compare the two marked nodes";
    DiffWith, "diff_with", Show, "What differs from another file";
    Contention, "contention", Show, "Users contend for the cores of a machine";
    Timeline, "timeline", Show, "The history of a node through a series of dumps";
    PreviousDump, "previous_dump", Show, "The dump before, of a series";
    NextDump, "next_dump", Show, "The dump after, of a series";
    NextScreen, "next_screen", Show, "Next screen";
    NextPolicy, "next_policy", Show, "Put the next policy in force";
    ChoosePolicy, "choose_policy", Show, "Choose the policy in force";
    Curves, "curves", Show, "How the factor falls with usage, as curves";
    SortRows, "sort", Show, "Sort siblings by a column";
    ReverseSort, "reverse_sort", Show, "Sort from the other end";
    Columns, "columns", Show, "Choose the columns";
    ColumnsLeft, "columns_left", Show, "Scroll the columns left";
    ColumnsRight, "columns_right", Show, "Scroll the columns right";
    Why, "why", Show, "The why pane: shown, whole screen, hidden";
    WhyDown, "why_down", Show, "Scroll the why pane down";
    WhyUp, "why_up", Show, "Scroll the why pane up";
    StepForward, "step_forward", Time, "Let a step of time pass";
    StepBack, "step_back", Time, "Take a step of time back";
    Rewind, "rewind", Time, "Take back all the time that was let pass";
    Jump, "jump", Time, "Go to another moment: 7d, 36h, 2026-12-02";
    NextStep, "next_step", Time, "Longer steps; after the longest, the shortest";
    NextQuantity, "next_quantity", Time, "Draw the factor, rank, usage, share of usage";
    Assumptions, "assumptions", Time, "Draw the node under three assumptions, or all";
    OtherHalfLife, "other_half_life", Time, "Draw it under another half-life too, dashed";
    Goal, "goal", Time, "Set the goal of the estimate: on-target, rank<=3";
    LongerHorizon, "longer_horizon", Time, "Look farther ahead";
    ShorterHorizon, "shorter_horizon", Time, "Look less far ahead";
    PaceIdle, "pace_idle", Time, "From now on nobody uses anything";
    PaceSteady, "pace_steady", Time, "From now on everybody keeps their usage";
    PaceWithout, "pace_without", Time, "The same, but this node uses nothing";
    PaceRate, "pace_rate", Time, "From now on the user uses so much a second";
    Campaign, "campaign", Time, "The user uses so much for a while";
    Save, "save", Program, "Save the scenarios of this tree";
    Open, "open", Program, "Open another tree or scenario";
    Reload, "reload", Program, "Read the source again; edits stay on top";
    Examples, "examples", Program, "Open a built-in tree to try things on";
    NextTree, "next_tree", Program, "Go to the next open tree";
    CopyPath, "copy_path", Program, "Copy the node's path";
    Palette, "palette", Program, "All actions, by name";
    Help, "help", Program, "This help";
    Cancel, "cancel", Program, "Close, clear, or stop loading";
    Redraw, "redraw", Program, "Draw the screen again";
    Suspend, "suspend", Program, "Stop; fg brings it back";
    Quit, "quit", Program, "Quit; asks when edits would be lost";
}

impl Action {
    /// The action of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|action| action.name() == name)
    }
}
