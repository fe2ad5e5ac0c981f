//! The table of actions: everything a key can do, and which handler does it.

use crate::base::table::table;

table! {
    /// A task under whose heading help lists actions, in the order of help.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Group {
        Move, "Move", "Moving through the rows";
        Find, "Find and sort", "Finding nodes, and the order of the rows";
        Ask, "Ask why", "Questions about a node, a rank, jobs and the source";
        Edit, "Edit", "Changing the scenario";
        Keep, "Undo, plan and save", "What becomes of the edits";
        Show, "Screens and columns", "Choosing what is shown, and how";
        Time, "Time", "Moving the clock";
        Program, "Files and program", "Files and the program itself";
    }
}

/// The table of actions, handed to a macro: the action, its name in the keymap, its heading in help, what it does in a
/// few words, and its handler. What it does elsewhere follows, a line each, where that is something else: on a `page`, on
/// the Time screen (`time`), on the ranking and the Policies screen (`list`), and on the Policies screen alone
/// (`policies`). After `=>` stand the words for it, where those of help do not fit, and behind `also` other words that
/// people look for.
///
/// A handler is named with what it needs, as the handlers of `update` say. Its path counts where the table is used.
macro_rules! each_action {
    ($then:ident) => {
        $then! {
            Down, "down", Move, "Next row",
                Tree(|session, _| walking::step(session, 1)),
                page On(|open| open.step(1)) => "Next line or choice";
            Up, "up", Move, "Previous row",
                Tree(|session, _| walking::step(session, -1)),
                page On(|open| open.step(-1)) => "Previous line or choice";
            PageDown, "page_down", Move, "One screen down",
                Tree(|session, _| walking::page(session, 1)),
                page On(|open| page::scroll_screens(open, 1));
            PageUp, "page_up", Move, "One screen up",
                Tree(|session, _| walking::page(session, -1)),
                page On(|open| page::scroll_screens(open, -1));
            First, "first", Move, "First row",
                Tree(|session, _| session.go_to(0)),
                page On(|open| open.scroll(isize::MIN)) => "First line";
            Last, "last", Move, "Last row",
                Tree(|session, _| session.go_to(usize::MAX)),
                page On(|open| open.scroll(isize::MAX)) => "Last line";
            Toggle, "toggle", Move, "Fold or unfold",
                Tree(walking::toggle),
                page Where(page::has_choice, Tree(page::apply_choice)) => "Apply the choice, follow the link, or say why the job waits",
                time Tree(time::play) => "Play or pause",
                list Tree(walking::toggle) => "Show in the tree",
                policies Numbers(page::open_every_policy) => "This user under every policy";
            Left, "left", Move, "Fold, or go to the parent",
                Tree(|session, _| walking::go_left(session)),
                list Nothing;
            Right, "right", Move, "Unfold, or go to the first child",
                Tree(walking::go_right),
                list Nothing;
            UnfoldAll, "unfold_all", Move, "Unfold all",
                Tree(|session, ui| walking::unfold_all(session, ui, true)),
                list Nothing;
            FoldAll, "fold_all", Move, "Fold all",
                Tree(|session, ui| walking::unfold_all(session, ui, false)),
                list Nothing;
            Search, "search", Find, "Search names",
                Tree(prompt::ask_for_name),
                page Does(Ui(|ui| ui.prompt(AnswerPurpose::SearchPage, String::new()))) => "Search this page",
                also "find locate name path";
            NextFound, "next_found", Find, "Next match",
                Tree(|session, ui| walking::step_found(session, ui, Search::next)),
                page Does(Ui(|ui| page::step_found(ui, true)));
            PreviousFound, "previous_found", Find, "Previous match",
                Tree(|session, ui| walking::step_found(session, ui, Search::previous)),
                page Does(Ui(|ui| page::step_found(ui, false)));
            FilterRows, "filter", Find, "Filter rows: over-served, under-served, edited",
                Menu(menus::filter),
                also "hide only zero shares";
            SortRows, "sort", Find, "Sort siblings by a column",
                Menu(menus::sort),
                also "order";
            SortWholeTree, "sort_all", Find, "Sort the whole tree, or siblings again",
                Tree(walking::sort_whole_tree),
                also "flat list over-served largest most everything levels";
            ReverseSort, "reverse_sort", Find, "Reverse the order",
                Tree(walking::reverse_sort);
            CopyPath, "copy_path", Find, "Copy the node's path",
                Tree(walking::copy_path),
                page Does(Ui(page::copy)) => "Copy this page",
                also "clipboard yank";
            Why, "why", Ask, "Why pane: shown, full screen, hidden",
                Tree(|session, _| walking::next_why(session)),
                time Nothing,
                also "explain reason detail because low";
            WhyDown, "why_down", Ask, "Scroll the why pane down",
                Tree(|session, _| walking::scroll_why(session, 1)),
                time Nothing;
            WhyUp, "why_up", Ask, "Scroll the why pane up",
                Tree(|session, _| walking::scroll_why(session, -1)),
                time Nothing;
            EveryPolicy, "every_policy", Ask, "This node under every policy",
                Numbers(page::open_every_policy),
                also "explain why rule compare";
            Solve, "solve", Ask, "Solve for a goal",
                Numbers(page::ask_for_goal),
                also "ahead reach rank goal advise advice guarantee";
            Depends, "depends", Ask, "What this rank depends on",
                Numbers(|session, ui| page::ask(session, ui, Question::Rank(session.selected()))),
                also "sensitivity threshold";
            Compare, "compare", Ask, "Compare the two marked nodes",
                Numbers(page::compare_marked),
                also "ahead behind versus split";
            User, "user", Ask, "Page of this user: place, accounts, recovery",
                Numbers(page::open_user),
                also "me my";
            Queue, "queue", Ask, "Queue: the jobs that wait, and their places",
                Numbers(|session, ui| page::ask(session, ui, Question::Queue(Some(MOST_JOBS)))),
                also "waiting pending jobs sprio squeue priority";
            Metrics, "metrics", Ask, "Metrics: how evenly the tree was served",
                Numbers(page::open_metrics),
                also "fairness jain gini over-served under-served most";
            Timeline, "timeline", Ask, "History of this node in a series of dumps",
                Numbers(page::open_history),
                also "trend past";
            Diff, "diff", Ask, "Compare with another file",
                Numbers(|_, ui| ui.prompt(AnswerPurpose::DiffWith, String::new())),
                also "difference snapshot";
            BusyCluster, "busy_cluster", Ask, "Simulate a busy cluster",
                Numbers(|_, ui| page::ask_for_machine(ui)),
                page Where(|open| matches!(open.subject, Subject::Question(Question::Machine(_))), Ui(page::ask_for_machine)),
                also "contention jobs cores machine demand";
            Curves, "curves", Ask, "Plot the factor against usage",
                Menu(|_, _| Dialog::Curves),
                also "chart graph formula";
            Map, "map", Ask, "Map the factor over usage and share",
                Menu(|_, _| Dialog::Surface),
                also "surface chart graph formula";
            Problems, "problems", Ask, "Source: verification and problems",
                Tree(page::open_source),
                also "errors warnings verified check lint findings";
            EditShares, "edit_shares", Edit, "Edit shares: 20, +10, *1.2, +20%",
                Numbers(editing::edit_shares),
                also "change set fairshare rawshares";
            EditUsage, "edit_usage", Edit, "Edit usage: 3600, +3600, *0.5",
                Numbers(editing::edit_usage),
                also "change charge";
            MoreShares, "more_shares", Edit, "Add one share",
                Numbers(|session, ui| editing::nudge(session, ui, 1));
            FewerShares, "fewer_shares", Edit, "Remove one share",
                Numbers(|session, ui| editing::nudge(session, ui, -1));
            Mark, "mark", Edit, "Mark or unmark for a joint edit",
                Numbers(marks::mark),
                page Where(OpenPage::lists_jobs, Tree(page::mark_job)) => "Mark this job; a second mark compares both";
            Marks, "marks", Edit, "Mark children or all rows, or clear marks",
                Menu(marks::menu);
            AddNode, "add", Edit, "Add a user or an account",
                Numbers(editing::ask_for_node),
                also "new create";
            RemoveNode, "remove", Edit, "Delete subtree",
                Numbers(editing::remove_nodes),
                also "remove drop";
            Rename, "rename", Edit, "Rename",
                Numbers(editing::ask_for_new_name);
            MoveNode, "move", Edit, "Move the marked nodes here, or choose a parent",
                Numbers(editing::move_nodes),
                also "reparent";
            Lock, "lock", Edit, "Lock or unlock shares in family edits (not saved)",
                Numbers(marks::lock),
                also "keep fix";
            Family, "family", Edit, "Scale, split or trade the shares of a family",
                Menu(marks::family_menu),
                also "siblings normalise equal balance trade";
            EditLine, "edit", Edit, "Type an edit",
                Numbers(editing::ask_for_edit);
            Settings, "settings", Edit, "Change a setting of the policy",
                Numbers(settings::list),
                also "half-life decay weights configuration options parameters";
            LowerSetting, "lower_setting", Edit, "Decrease the main setting (or previous choice)",
                Tree(|session, ui| settings::step_main(session, ui, -1));
            RaiseSetting, "raise_setting", Edit, "Increase the main setting (or next choice)",
                Tree(|session, ui| settings::step_main(session, ui, 1));
            Undo, "undo", Keep, "Undo",
                Tree(scenarios::undo),
                page Follows;
            Redo, "redo", Keep, "Redo",
                Tree(scenarios::redo),
                page Follows;
            History, "history", Keep, "Edit history",
                Menu(scenarios::history),
                also "changes log undo list";
            Note, "note", Keep, "Add a note to the last edit",
                Numbers(scenarios::ask_why),
                also "comment reason";
            PlanScreen, "plan", Keep, "Plan: who rises and falls, commands, rollback",
                Numbers(|session, ui| page::open(session, ui, Subject::Plan)),
                page Closes,
                also "export apply sacctmgr script what-if impact winners losers";
            Save, "save", Keep, "Save the scenarios of this tree",
                Numbers(saving::ask_where_to_save),
                page Does(Ui(page::ask_where_to_save)) => "Save this page",
                also "export write file";
            SaveScreen, "save_screen", Keep, "Save this screen as SVG, text or HTML",
                All(App::ask_where_to_save_screen),
                page Same,
                also "export picture screenshot image";
            Scenarios, "scenarios", Keep, "Scenarios: switch, rename, compare, remove",
                Menu(scenarios::menu);
            NewScenario, "new_scenario", Keep, "Copy this scenario",
                Numbers(scenarios::ask_for_copy),
                also "duplicate branch what-if";
            NextScenario, "next_scenario", Keep, "Next scenario",
                Numbers(scenarios::next),
                page Follows;
            TreeScreen, "tree", Show, "The tree",
                Tree(|session, ui| time::leave_for(session, ui, Screen::Tree)),
                page Leaves;
            RankingScreen, "ranking", Show, "Ranking, first to run at the top",
                Tree(|session, ui| time::leave_for(session, ui, Screen::Ranking)),
                page Leaves,
                also "order users list first";
            PoliciesScreen, "policies", Show, "Policies: each user's rank under each policy",
                Tree(|session, ui| time::leave_for(session, ui, Screen::Policies)),
                page Leaves;
            TimeScreen, "time", Show, "Time: ranks and usage, day by day",
                Numbers(|session, _| time::open(session)),
                page Leaves,
                also "forecast future predict recover decay";
            NextScreen, "next_screen", Show, "Next screen",
                All(|app| app.step_screen(1)),
                page Same;
            PreviousScreen, "previous_screen", Show, "Previous screen",
                All(|app| app.step_screen(-1)),
                page Same;
            NextPolicy, "next_policy", Show, "Next policy",
                Tree(settings::next_policy);
            SourcePolicy, "source_policy", Show, "Back to the source's own policy",
                Tree(settings::choose_source_policy),
                also "scheduler original reset";
            ChoosePolicy, "choose_policy", Show, "Choose the policy",
                Menu(menus::policies),
                also "algorithm rule";
            NextColumns, "next_columns", Show, "Columns: the policy's, every rule, your own",
                Numbers(columns::next_columns),
                also "rules weight";
            Columns, "columns", Show, "Choose the columns",
                Numbers(columns::choose_columns),
                also "fields headings hide";
            ColumnsLeft, "columns_left", Show, "Scroll the columns left",
                Tree(|session, _| walking::scroll_columns(session, -1));
            ColumnsRight, "columns_right", Show, "Scroll the columns right",
                Tree(|session, _| walking::scroll_columns(session, 1));
            ChooseTheme, "theme", Show, "Choose the theme",
                Ui(settings::list_themes),
                page Same,
                also "colour color dark light";
            Presenter, "presenter", Show, "Large layout for a projector",
                Ui(settings::switch_layout),
                page Same,
                also "big font zoom teach";
            StepForward, "step_forward", Time, "Step forward",
                Time(time::step_forward),
                also "wait tomorrow";
            StepBack, "step_back", Time, "Step back",
                Time(|session, ui| time::go_back(session, ui, session.time.step()));
            ResetClock, "reset_clock", Time, "Reset the clock",
                Time(|session, ui| time::go_back(session, ui, u64::MAX));
            GoToDate, "go_to_date", Time, "Go to a date: 7d, 36h, 2026-12-02",
                Time(time::ask_when),
                also "wait date clock";
            NextStep, "next_step", Time, "Change the step",
                Time(time::next_step);
            NextQuantity, "next_quantity", Time, "Plot factor, rank, usage or share of usage",
                Time(time::next_quantity);
            Assumptions, "assumptions", Time, "Plot this node under three assumptions, or several nodes",
                Time(time::next_lines);
            OtherHalfLife, "other_half_life", Time, "Add a second half-life, dashed",
                Time(time::ask_for_half_life),
                also "decay";
            Goal, "goal", Time, "Set the goal: on-target, rank<=3",
                Time(time::ask_for_goal);
            LongerHorizon, "longer_horizon", Time, "Longer horizon",
                Time(|session, ui| time::step_horizon(session, ui, 1));
            ShorterHorizon, "shorter_horizon", Time, "Shorter horizon",
                Time(|session, ui| time::step_horizon(session, ui, -1));
            AssumeIdle, "assume_idle", Time, "Assume that all stop",
                Numbers(|session, ui| time::assume(session, ui, Preset::Idle));
            AssumeSteady, "assume_steady", Time, "Assume that all go on as now",
                Numbers(|session, ui| time::assume(session, ui, Preset::Steady));
            AssumeNodeIdle, "assume_node_idle", Time, "Assume that this node stops and all others go on",
                Numbers(|session, ui| time::assume(session, ui, Preset::OnlyIdle(session.selected())));
            UsageRate, "usage_rate", Time, "Set the usage rate",
                Numbers(|session, ui| time::ask_for_rate(session, ui, false)),
                also "charge burn";
            Campaign, "campaign", Time, "Plan a campaign",
                Numbers(|session, ui| time::ask_for_rate(session, ui, true)),
                also "burst planned usage";
            Open, "open", Program, "Open another tree or scenario",
                Ui(opening::ask_what_to_open),
                page Same,
                also "load file source scenario";
            Reload, "reload", Program, "Reload the source and keep edits",
                Tree(opening::reload),
                also "refresh read again";
            Examples, "examples", Program, "Open a built-in example",
                Ui(menus::open_examples),
                page Same,
                also "demo sample";
            Lessons, "lessons", Program, "Lessons: a tour of the program, and how fairshare works",
                All(App::list_lessons),
                page Same,
                also "learn teach tutorial";
            NextTree, "next_tree", Program, "Next open tree",
                All(App::next_tree),
                page Leaves,
                also "switch file tab";
            PreviousDump, "previous_dump", Program, "Previous dump of the series",
                Tree(|session, ui| opening::step_series(session, ui, -1)),
                page Follows;
            NextDump, "next_dump", Program, "Next dump of the series",
                Tree(|session, ui| opening::step_series(session, ui, 1)),
                page Follows;
            Palette, "palette", Program, "All actions by name",
                All(App::open_palette),
                page Same;
            Help, "help", Program, "This help",
                All(App::open_help),
                page Same,
                also "keys shortcuts";
            Manual, "manual", Program, "Manual: the topic of this screen",
                All(App::open_manual),
                page Same,
                also "documentation";
            Cancel, "cancel", Program, "Close, clear, or stop loading",
                All(App::cancel),
                page Closes => "Close this page",
                time All(App::cancel_on_time);
            Redraw, "redraw", Program, "Redraw the screen",
                Ui(|ui| ui.queue(TerminalEffect::Redraw)),
                page Same,
                also "refresh repaint";
            Suspend, "suspend", Program, "Suspend (fg resumes)",
                Ui(|ui| ui.queue(TerminalEffect::Suspend)),
                page Same;
            Quit, "quit", Program, "Quit (asks about unsaved edits)",
                All(App::quit),
                page Closes,
                also "exit close leave wq";
        }
    };
}
pub(crate) use each_action;

macro_rules! actions {
    ($(
        $variant:ident, $name:literal, $group:ident, $help:literal,
            $handler:expr $(, page $page:expr $(=> $on_page:literal)?)?
            $(, time $time:expr $(=> $on_time:literal)?)? $(, list $list:expr $(=> $on_list:literal)?)?
            $(, policies $policies:expr => $on_policies:literal)?
            $(, also $also:literal)?;
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
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the heading under which help lists it.
            pub const fn group(self) -> Group {
                match self { $(Self::$variant => Group::$group,)* }
            }

            /// Returns what it does, in a few words.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }

            /// Returns what else finds it in the list of all actions: its name, and other words for what it does.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => concat!($name $(, " ", $also)?),)* }
            }
        }
    };
}

each_action! { actions }

/// The names that actions had in earlier keymaps, each with the one that they have now.
const RENAMED: &[(&str, Action)] = &[
    ("what_it_takes", Action::Solve),
    ("rank_hangs_on", Action::Depends),
    ("say_why", Action::Note),
    ("contention", Action::BusyCluster),
    ("user_page", Action::User),
    ("compare_two", Action::Compare),
    ("diff_with", Action::Diff),
    ("surface", Action::Map),
    ("rewind", Action::ResetClock),
    ("jump", Action::GoToDate),
    ("pace_idle", Action::AssumeIdle),
    ("pace_steady", Action::AssumeSteady),
    ("pace_without", Action::AssumeNodeIdle),
    ("pace_rate", Action::UsageRate),
];

impl Action {
    /// Returns the action that had this name in earlier keymaps, or `None` if none had.
    pub(crate) fn formerly_named(name: &str) -> Option<Self> {
        for &(former, action) in RENAMED {
            if former == name {
                return Some(action);
            }
        }
        None
    }

    /// Returns the action of that name, or `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        let mut actions = Self::ALL.iter().copied();
        actions.find(|action| action.name() == name)
    }
}
