//! The commands of `fairscope`. What `--help` says below a command's options, with its examples, is a file of its name in
//! `assets/help/`; `-h` shows the first of them, as `help` has it.

use super::{
    advise, compare, edits, files, lesson, look, me, metrics, open, page, plan, queue, script,
    simulate, solve,
};
use clap::{Parser, Subcommand};
use clap_complete::Shell;

/// Explores fairshare trees: who runs next, why, and what would change.
#[derive(Debug, Parser)]
#[command(
    name = "fairscope",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = include_str!("../../assets/help/fairscope.txt")
)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// What to open where no command is given.
    #[command(flatten)]
    pub opening: open::ExplorerArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the tree with its numbers
    #[command(after_help = include_str!("../../assets/help/show.txt"))]
    Show(look::ShowArgs),
    /// Print the users by rank
    #[command(after_help = include_str!("../../assets/help/rank.txt"))]
    Rank(look::RankArgs),
    /// Explain the rank of a node, or where the paths of two nodes diverge
    #[command(
        after_help = include_str!("../../assets/help/explain.txt"),
        override_usage = "\
fairscope explain [OPTIONS] SOURCE NODE [NODE]
       fairscope explain [OPTIONS] --live SCHEDULER NODE [NODE]"
    )]
    Explain(look::ExplainArgs),
    /// Print the page of a user: place, accounts, recovery, and what would help
    #[command(
        after_help = include_str!("../../assets/help/me.txt"),
        override_usage = "\
fairscope me [OPTIONS] SOURCE [NAME]
       fairscope me [OPTIONS] --live SCHEDULER [NAME]"
    )]
    Me(me::MeArgs),
    /// Print the rank of each user under each policy, and how far the policies agree
    #[command(after_help = include_str!("../../assets/help/policies.txt"))]
    Policies(look::PoliciesArgs),
    /// Print what edits would change: ranks before and after, winners and losers
    #[command(after_help = include_str!("../../assets/help/whatif.txt"))]
    Whatif(edits::WhatifArgs),
    /// Print the differences between two trees, and the cause of each change of rank
    #[command(
        after_help = include_str!("../../assets/help/diff.txt"),
        override_usage = "\
fairscope diff [OPTIONS] OLD NEW
       fairscope diff [OPTIONS] --live SCHEDULER OLD"
    )]
    Diff(compare::DiffArgs),
    /// Print the history of a tree through a series of dumps
    #[command(
        after_help = include_str!("../../assets/help/timeline.txt"),
        override_usage = "\
fairscope timeline [OPTIONS] DUMPS [NODE]...
       fairscope timeline [OPTIONS] SOURCE --jobs FILE [NODE]..."
    )]
    Timeline(compare::TimelineArgs),
    /// Find the least shares that reach a goal, or what a rank depends on
    #[command(
        after_help = include_str!("../../assets/help/solve.txt"),
        override_usage = "\
fairscope solve [OPTIONS] SOURCE NODE
       fairscope solve [OPTIONS] --live SCHEDULER NODE"
    )]
    Solve(solve::SolveArgs),
    /// Propose the fewest changes of shares that keep a site's goals
    #[command(after_help = include_str!("../../assets/help/advise.txt"))]
    Advise(advise::AdviseArgs),
    /// Print usage, factor and rank as time goes on, and when a goal is reached
    #[command(
        after_help = include_str!("../../assets/help/simulate.txt"),
        override_usage = "\
fairscope simulate [OPTIONS] SOURCE [NODE]...
       fairscope simulate [OPTIONS] --live SCHEDULER [NODE]..."
    )]
    Simulate(Box<simulate::SimulateArgs>),
    /// Print the commands to apply the edits, and the rollback; none is run
    #[command(after_help = include_str!("../../assets/help/plan.txt"))]
    Plan(plan::PlanArgs),
    /// Report problems and findings of a source; exit 1 if there are any
    #[command(after_help = include_str!("../../assets/help/check.txt"))]
    Check(look::CheckArgs),
    /// Print how evenly the tree was served, for people and for dashboards
    #[command(after_help = include_str!("../../assets/help/metrics.txt"))]
    Metrics(metrics::MetricsArgs),
    /// Print the jobs that wait, and the places that edits give them
    #[command(after_help = include_str!("../../assets/help/queue.txt"))]
    Queue(queue::QueueArgs),
    /// Write the tree in another format, and say what it cannot hold
    #[command(after_help = include_str!("../../assets/help/convert.txt"))]
    Convert(files::ConvertArgs),
    /// Save the output of the scheduler, to be opened later
    #[command(after_help = include_str!("../../assets/help/snapshot.txt"))]
    Snapshot(files::SnapshotArgs),
    /// Write the explorer in a web page, with a tree that opens first
    #[command(after_help = include_str!("../../assets/help/page.txt"))]
    Page(Box<page::PageArgs>),
    /// Draw a screen of the explorer as SVG, text or HTML, without a terminal
    #[command(after_help = include_str!("../../assets/help/screenshot.txt"))]
    Screenshot(script::ScreenshotArgs),
    /// Make a random tree, the same for the same seed
    #[command(after_help = include_str!("../../assets/help/generate.txt"))]
    Generate(files::GenerateArgs),
    /// Print what PBS's own pbsfs would print, byte for byte
    #[command(
        override_usage = "fairscope pbsfs [-p | -t | -g ENTITY | -c ENTITY1 ENTITY2] DIR",
        after_help = include_str!("../../assets/help/pbsfs.txt")
    )]
    Pbsfs(look::PbsfsArgs),
    /// Play a lesson in the explorer, or print it; without a name, list them
    #[command(after_help = include_str!("../../assets/help/lesson.txt"))]
    Lesson(lesson::LessonArgs),
    /// Print a topic of the manual or the help of a command, or search the manual
    #[command(after_help = include_str!("../../assets/help/help.txt"))]
    Help {
        /// The topic or the command, or words to search for; nothing for the list of topics
        #[arg(value_name = "WORDS")]
        words: Vec<String>,
    },
    /// Print completions for a shell
    #[command(after_help = include_str!("../../assets/help/completions.txt"))]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page
    #[command(after_help = include_str!("../../assets/help/man.txt"))]
    Man {
        /// The command whose page to print, if not the program's
        command: Option<String>,
    },
}
