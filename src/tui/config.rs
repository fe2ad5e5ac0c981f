//! How the explorer starts and looks, as it was told, as the user's own settings have it, or as the terminal needs it.
//!
//! The settings are a file in TOML, which is read and never written. What is wrong in it is refused line by line, and the
//! default holds in its place. Of the terminal only environment variables are read: over a slow line an answer would come
//! late, and from some terminals never.

use crate::base::ascii::is_locale_ascii;
use crate::base::nearest::unknown_of;
use crate::base::number::grouped;
use crate::base::places::Places;
use crate::base::shown::{Shown, sentence, shown, shown_text};
use crate::model::{Fact, Settings};
use crate::open::desired::DesiredFile;
use crate::report::column_of_rule;
use crate::report::column_widths::COLUMN_WIDTHS;
use crate::rules::policy::{ColumnId, Policy, RuleColumn};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::{Binding, Key, Keymap};
use crate::tui::state::TABS;
use crate::tui::widget::theme::Theme;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The value that leaves a choice to the terminal and the locale.
const AUTO: &str = "auto";

const MOST_KEYS: usize = 16;

/// The user's own settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The theme by name; `None` lets the terminal decide.
    pub theme: Option<&'static str>,
    /// Whether to draw with ASCII characters only; `None` lets the locale decide.
    pub ascii: Option<bool>,
    /// Whether the mouse is left to the terminal.
    pub without_mouse: bool,
    /// The action of the screen on which a tree opens; `None` is the tree.
    pub screen: Option<Action>,
    /// The columns beside the names; empty shows those that fit.
    pub columns: Vec<RuleColumn>,
    /// The keys of all actions.
    pub keymap: Keymap,
    /// What was refused, with file and line, in the order of the file.
    pub refused: Vec<Shown>,
}

impl Config {
    /// The keys of the file, in the order in which they are documented.
    pub const KEYS: &'static [&'static str] =
        &["theme", "ascii", "mouse", "screen", "columns", "keys"];

    /// Reads settings. `file` is the file's name in refusals.
    pub fn parse(file: &Shown, bytes: &[u8]) -> Self {
        let places = Places::new(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let (line, _) = places.of(error.valid_up_to());
                return Self::refusing(sentence!("{file}:{line}: this is not UTF-8"));
            }
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut reader = ConfigReader::default();
        for error in errors {
            let message = shown_text(error.message().as_bytes());
            let at = error.span().map_or(0, |span| span.start);
            reader.refuse(at, sentence!("this is not TOML: {message}"));
        }
        reader.read(table.get_ref());
        let (mut config, mut refused) = (reader.config, reader.refused);
        refused.sort_by_key(|(at, _)| *at);
        // A line that is no TOML is not refused for its value too.
        refused.dedup_by_key(|(at, _)| places.of(*at).0);
        let refused = refused.into_iter();
        let refused = refused.map(|(at, why)| sentence!("{file}:{}: {why}", places.of(at).0));
        config.refused = refused.collect();
        config
    }

    /// Fills in what the options of the command line leave open.
    pub fn below(self, given: Options) -> Options {
        Options {
            theme: given.theme.or_else(|| self.theme.map(str::to_owned)),
            without_mouse: given.without_mouse || self.without_mouse,
            config: self,
            ..given
        }
    }

    /// Returns the defaults, with the reason why the file is not read.
    pub fn refusing(reason: Shown) -> Self {
        Self {
            refused: vec![reason],
            ..Self::default()
        }
    }
}

pub(crate) fn one_of(
    what: &str,
    word: &str,
    known: &[&'static str],
    accepted: &str,
) -> Result<&'static str, Shown> {
    let found = known.iter().copied().find(|known| *known == word);
    found.ok_or_else(|| unknown_of(what, word, known, accepted))
}

/// Returns the columns of a word: one, also as `POLICY:COLUMN`, or with `every-rule` several.
pub(crate) fn columns(word: &str) -> Result<Vec<RuleColumn>, Shown> {
    if word == RuleColumn::EVERY_RULE_WORD {
        return Ok(RuleColumn::EVERY_RULE.to_vec());
    }
    if let Some((rule, name)) = word.split_once(':') {
        return Ok(vec![column_of_rule(rule, name, &Settings::default())?]);
    }
    let computed = COLUMN_WIDTHS.iter().map(|shape| shape.column);
    let recorded = Fact::ALL.iter().copied().map(ColumnId::Recorded);
    let known: Vec<ColumnId> = computed.chain(recorded).collect();
    if let Some(&column) = known.iter().find(|column| column.name() == word) {
        return Ok(vec![column.into()]);
    }
    let names: Vec<&str> = known.iter().map(|column| column.name()).collect();
    let accepted = "`fairscope help columns` lists them";
    Err(unknown_of("column", word, &names, accepted))
}

/// Returns the action of that name. The error tells the name that it has now, or the nearest one.
pub(crate) fn action(name: &str) -> Result<Action, Shown> {
    if let Some(action) = Action::named(name) {
        return Ok(action);
    }
    if let Some(action) = Action::formerly_named(name) {
        let former = shown_text(name.as_bytes());
        let name = action.name();
        return Err(sentence!("the action '{former}' is now called '{name}'"));
    }
    let known: Vec<&str> = Action::ALL.iter().map(|action| action.name()).collect();
    let accepted = "`fairscope help keys` lists them";
    Err(unknown_of("action", name, &known, accepted))
}

#[derive(Default)]
struct ConfigReader {
    config: Config,
    /// What is refused, with its place in the text.
    refused: Vec<(usize, Shown)>,
}

impl ConfigReader {
    fn refuse(&mut self, at: usize, reason: impl Into<Shown>) {
        self.refused.push((at, reason.into()));
    }

    fn read(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match &**key.get_ref() {
                "theme" => {
                    let names = Theme::ALL.iter().map(|&(name, _)| name);
                    let known: Vec<&str> = std::iter::once(AUTO).chain(names).collect();
                    if let Some(theme) = self.word("theme", value, &known) {
                        self.config.theme = Some(theme).filter(|&theme| theme != AUTO);
                    }
                }
                "ascii" => match value.get_ref() {
                    DeValue::Boolean(is_ascii) => self.config.ascii = Some(*is_ascii),
                    DeValue::String(text) if text == AUTO => self.config.ascii = None,
                    _ => {
                        let reason = sentence!("ascii is none of true, false and \"{AUTO}\"");
                        self.refuse(value.span().start, reason);
                    }
                },
                "mouse" => match value.get_ref().as_bool() {
                    Some(mouse) => self.config.without_mouse = !mouse,
                    None => self.refuse(value.span().start, "mouse is neither true nor false"),
                },
                "screen" => {
                    let known = TABS.map(|(screen, _)| screen.name());
                    if let Some(name) = self.word("screen", value, &known) {
                        let screen = Action::named(name);
                        self.config.screen = screen.filter(|&it| it != Action::TreeScreen);
                    }
                }
                "columns" => self.read_columns(value),
                "keys" => self.read_keys(value),
                other => {
                    let (at, known) = (key.span().start, Config::KEYS);
                    self.refuse(at, unknown_of("key", other, known, &known.join(", ")));
                }
            }
        }
    }

    /// Returns one of the known words, or `None` if the value is none of them, which is refused.
    fn word(
        &mut self,
        what: &str,
        value: &Spanned<DeValue<'_>>,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let at = value.span().start;
        let accepted = known.join(", ");
        let Some(word) = value.get_ref().as_str() else {
            let reason = sentence!("{what} is not text; expected one of {accepted}, in quotes");
            self.refuse(at, reason);
            return None;
        };
        let found = one_of(what, word, known, &accepted);
        found.map_err(|reason| self.refuse(at, reason)).ok()
    }

    fn read_columns(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(names) = value.get_ref().as_array() else {
            let reason = "columns is not a list; expected names such as [\"shares\", \"rank\"]";
            return self.refuse(value.span().start, reason);
        };
        for name in names {
            match columns(name.get_ref().as_str().unwrap_or_default()) {
                Ok(columns) => self.config.columns.extend(columns),
                Err(reason) => self.refuse(name.span().start, reason),
            }
        }
    }

    fn read_keys(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(table) = value.get_ref().as_table() else {
            let reason = "keys is not a table; expected [keys] and actions below it";
            return self.refuse(value.span().start, reason);
        };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut given = Vec::new();
        for (name, keys) in entries {
            let read = action(name.get_ref()).map_err(|reason| (name.span().start, reason));
            let read = read.and_then(|action| Ok((action, keys_of(action, keys, &mut given)?)));
            match read {
                Ok((action, keys)) => self.config.keymap.rebind(action, keys),
                Err((at, reason)) => self.refuse(at, reason),
            }
        }
    }
}

/// Returns the keys of an action, or why one is refused and where. `given` holds those of the actions before.
fn keys_of(
    action: Action,
    value: &Spanned<DeValue<'_>>,
    given: &mut Vec<(Binding, Action)>,
) -> Result<Vec<Binding>, (usize, Shown)> {
    let (name, at) = (action.name(), value.span().start);
    let Some(texts) = value.get_ref().as_array() else {
        let reason = sentence!("{name} is not a list; expected keys such as [\"u\", \"ctrl-z\"]");
        return Err((at, reason));
    };
    if texts.len() > MOST_KEYS {
        let count = grouped(texts.len());
        let reason = sentence!("{name} has {count} keys; expected at most {MOST_KEYS}");
        return Err((at, reason));
    }
    let mut keys = Vec::new();
    for text in texts {
        let at = text.span().start;
        let word = text.get_ref().as_str().unwrap_or_default();
        let key = Binding::named(word).ok_or_else(|| {
            let known: Vec<&str> = Key::names().collect();
            let names = known.join(", ");
            let accepted = format!(
                "a character, {names} or f1 to f12; ctrl- or shift- before it; or two keys such as \"t g\""
            );
            (at, unknown_of("key", word, &known, &accepted))
        })?;
        let mut others = given.iter().filter(|(_, other)| *other != action);
        if let Some((_, other)) = others.find(|(given, _)| given.excludes(key)) {
            let (word, other) = (shown(word.as_bytes()), other.name());
            let reason = sentence!("the key '{word}' is given to two actions, {name} and {other}");
            return Err((at, reason));
        }
        given.push((key, action));
        keys.push(key);
    }
    Ok(keys)
}

/// How the explorer starts and looks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The policy that the user chose; `None` lets the source decide.
    pub policy: Option<Policy>,
    /// Whether to keep to ASCII.
    pub is_ascii: bool,
    /// Whether the mouse is left to the terminal.
    pub without_mouse: bool,
    /// The user's home directory, where known.
    pub home: Option<PathBuf>,
    /// The folder that relative paths are seen from.
    pub folder: PathBuf,
    /// The file of the sources that were opened last; `None` keeps none.
    pub recent: Option<PathBuf>,
    /// The theme by name; `None` is the dark one.
    pub theme: Option<String>,
    /// The user whose page is on the screen when the first tree opens.
    pub user: Option<OsString>,
    /// The user's own settings. What is refused in them is reported when a tree opens.
    pub config: Config,
    /// The file of these settings, as it may be shown.
    pub config_file: Shown,
    /// The seconds between two readings of a source; `None` reads it once.
    pub watch: Option<u32>,
    /// The file of shares as they should be, for the first tree that opens.
    pub desired: Option<Arc<DesiredFile>>,
    /// Whether the terminal shows no colours but the 256 of its palette.
    pub has_only_palette: bool,
}

/// The beginnings of `TERM` on terminals without colours.
const WITHOUT_COLORS: &[&str] = &["dumb", "vt1", "vt2", "vt3", "vt4", "vt5"];

/// Parts of `TERM` on terminals that show all colours, for where `COLORTERM` is lost, as over ssh.
const WITH_ALL_COLORS: &[&str] = &["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"];

impl Options {
    pub(crate) fn themed(&self, name: &'static str) -> Theme {
        let theme = Theme::named(name).expect("it is one of those that are shipped");
        let is_whole = !self.has_only_palette;
        if is_whole { theme } else { theme.in_palette() }
    }

    /// Fits options that were not given to the terminal that the environment variables describe.
    pub fn suited_to(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        self.home = self.home.or_else(|| set("HOME").map(PathBuf::from));
        let text = |name| set(name).map(|value| value.to_string_lossy().to_lowercase());
        let [term, colorterm] = ["TERM", "COLORTERM"].map(|name| text(name).unwrap_or_default());
        let (theme, has_only_palette) = colors(&term, &colorterm);
        self.has_only_palette |= has_only_palette;
        let without_colors = set("NO_COLOR").map(|_| "mono");
        let theme = without_colors.or(theme).map(str::to_owned);
        self.theme = self.theme.or(theme);
        let is_ascii = self.config.ascii;
        self.is_ascii |= is_ascii.unwrap_or_else(|| is_locale_ascii(variable));
        self
    }
}

/// Returns the theme that a terminal with too few colours needs, and whether it shows those of its palette alone.
fn colors(term: &str, colorterm: &str) -> (Option<&'static str>, bool) {
    if term.is_empty() || WITHOUT_COLORS.iter().any(|name| term.starts_with(name)) {
        return (Some("mono"), false);
    }
    // GNU screen hands COLORTERM on from the terminal around it, whose colours it does not have.
    let is_promised = !term.starts_with("screen")
        && (matches!(colorterm, "truecolor" | "24bit")
            || WITH_ALL_COLORS.iter().any(|name| term.contains(name)));
    if is_promised {
        (None, false)
    } else if term.contains("256color") {
        (None, true)
    } else {
        (Some("sixteen"), false)
    }
}
