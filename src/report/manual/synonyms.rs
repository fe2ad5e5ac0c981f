//! The words by which people ask, where the manual says it in other ones.

/// Words that mean much the same in a question. Each finds the others, below itself.
pub(super) const SYNONYMS: &[&[&str]] = &[
    &["half-life", "decay", "forget", "fade"],
    &["colour", "color", "theme"],
    &[
        "prometheus",
        "openmetrics",
        "grafana",
        "dashboard",
        "exporter",
        "metrics",
    ],
    &["anonymise", "anonymous", "pseudonym", "hide"],
    &["projector", "beamer", "presentation", "presenter"],
    &["recover", "better", "improve"],
    &["draft", "crash", "lost"],
    &["undo", "revert"],
    &[
        "config",
        "configuration",
        "settings",
        "preferences",
        "customise",
    ],
    &["export", "convert", "write"],
    &["csv", "spreadsheet", "excel"],
    &["bank", "account", "group"],
    &["user", "association", "entity"],
    &["keys", "shortcut", "hotkey", "keybinding"],
    &["status", "code"],
    &["parent", "inherit"],
    &["pending", "wait", "queue"],
    &["tie", "equal"],
    &["delete", "remove"],
    &["script", "cron", "automate", "gate", "ci"],
    &["chart", "plot", "graph", "curve"],
    &["picture", "screenshot", "image", "svg"],
    &["security", "safe", "privilege"],
    &["teach", "lesson", "learn", "tutorial", "course"],
    &["compare", "diff", "difference"],
    &["history", "timeline", "series"],
    &["simulate", "forecast", "future", "predict"],
    &["verify", "correct", "exact"],
    &["formula", "algorithm", "equation"],
    &["low", "behind"],
    &["json", "machine-readable", "api"],
    &["web", "browser", "online"],
    &["glossary", "term", "definition", "vocabulary"],
];

/// A question as people put it, and the section that answers it.
#[derive(Debug)]
pub struct Asked {
    /// The words that are all in the question, the common ones included.
    pub words: &'static str,
    /// The name of the topic.
    pub topic: &'static str,
    /// The heading of the section; empty for what is above the first one.
    pub heading: &'static str,
}

/// Lists questions: the topic, the heading, and the words of each question.
macro_rules! asked {
    ($($topic:literal $heading:literal: $($words:literal),*;)*) => {
        /// The questions that have an answer of their own.
        pub const ASKED: &[Asked] = &[$($(Asked {
            words: $words,
            topic: $topic,
            heading: $heading,
        },)*)*];
    };
}

asked! {
    "user" "": "why low", "why behind", "why last", "why wait", "why rank", "which account", "support";
    "time" "": "when recover", "when better", "how long recover", "recover";
    "waiting" "": "slurm priority", "job priority", "sprio", "squeue", "pending";
    "waiting" "Why one job is behind another": "why job behind";
    "waiting" "Other reasons for waiting": "job start when", "limits";
    "fairness" "For a dashboard": "prometheus", "grafana", "openmetrics", "metrics";
    "commands" "": "exit code", "exit status", "return code";
    "commands" "Trees without names": "anonymise", "anonymous", "hide names", "pseudonym";
    "commands" "Pages to publish": "html";
    "web" "": "browser", "web page", "html page", "without installing", "online";
    "web" "For your site": "web site", "web server", "our website", "embed";
    "formats" "": "export", "import", "which files";
    "explorer" "On a projector": "projector", "presentation";
    "explorer" "Colours and characters": "colours", "ascii", "theme";
    "explorer" "Copying": "copy", "clipboard";
    "explorer" "After a crash": "draft", "crash", "lost edits";
    "edits" "Scenarios": "scenario save", "save edits", "scenario file";
    "configuration" "": "config file", "config toml", "own keys", "preferences";
    "keys" "": "undo", "redo", "shortcut", "hotkey", "which key", "quit";
    "formulas" "": "pbs formula", "which policy", "algorithm", "compare policies";
    "formulas" "classic, depth-oblivious and tickets": "dampening", "classic formula", "tickets";
    "formulas" "fair-tree and fair-tree-documented": "fair tree formula", "slurm formula";
    "formulas" "flux": "flux formula", "flux weight";
    "fairshare" "": "how fairshare work", "what fairshare", "overview", "introduction";
    "glossary" "": "definition", "terms";
    "glossary" "The tree": "what is", "what are", "what mean", "parent shares", "flux bank", "pbs group";
    "glossary" "Shares and usage": "what is", "what are", "what mean";
    "glossary" "Policies and ranks": "what is", "what are", "what mean";
    "glossary" "What fairscope opens and makes": "what is", "what are", "what mean";
    "lessons" "": "teach", "tutorial", "learn";
    "promises" "": "security", "is it safe", "root privileges";
    "gates" "": "cron", "script fail";
}
