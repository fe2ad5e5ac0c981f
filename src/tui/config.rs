//! How the explorer starts and looks, as it was told, as the user's own settings have it, or as the terminal needs it.
//!
//! The settings are a file in TOML, which is read and never written. What is wrong in it is refused line by line, and the
//! default holds in its place. Of the terminal only environment variables are read: over a slow line an answer would come
//! late, and from some terminals never.

use super::input::action::Action;
use super::input::keymap::{Binding, Key, Keymap};
use super::state::TABS;
use super::widget::theme::Theme;
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
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The value that leaves a choice to the terminal and the locale.
const AUTO: &str = "auto";

/// The most keys of an action.
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
        let mut reader = ConfigReader::default();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let message = shown_text(error.message().as_bytes());
            let at = match error.span() {
                Some(span) => span.start,
                None => 0,
            };
            reader.refuse(at, sentence!("this is not TOML: {message}"));
        }
        reader.read(table.get_ref());
        let mut refused = reader.refused;
        refused.sort_by_key(|refusal| refusal.at);
        let mut config = reader.config;
        let mut last_line = 0;
        for refusal in refused {
            let (line, _) = places.of(refusal.at);
            // A line that is no TOML is not refused for its value too.
            if line != last_line {
                let reason = refusal.reason;
                config.refused.push(sentence!("{file}:{line}: {reason}"));
            }
            last_line = line;
        }
        config
    }

    /// Fills in what the options of the command line leave open.
    pub fn below(self, given: Options) -> Options {
        let own_theme = self.theme.map(str::to_owned);
        Options {
            theme: given.theme.or(own_theme),
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

/// Returns the known word that a word is. The error names the nearest one.
fn one_of(
    what: &str,
    word: &str,
    known: &[&'static str],
    accepted: &str,
) -> Result<&'static str, Shown> {
    for &one in known {
        if one == word {
            return Ok(one);
        }
    }
    Err(unknown_of(what, word, known, accepted))
}

/// Returns the columns of a word: one, also as `POLICY:COLUMN`, or with `every-rule` several.
pub(crate) fn columns(word: &str) -> Result<Vec<RuleColumn>, Shown> {
    if word == RuleColumn::EVERY_RULE_WORD {
        return Ok(RuleColumn::EVERY_RULE.to_vec());
    }
    if let Some((rule, name)) = word.split_once(':') {
        return Ok(vec![column_of_rule(rule, name, &Settings::default())?]);
    }
    let mut known = Vec::new();
    for shape in COLUMN_WIDTHS {
        known.push(shape.column);
    }
    for &fact in Fact::ALL {
        known.push(ColumnId::Recorded(fact));
    }
    let mut names = Vec::new();
    for column in known {
        if column.name() == word {
            return Ok(vec![column.into()]);
        }
        names.push(column.name());
    }
    let accepted = "`fairscope help columns` lists them";
    Err(unknown_of("column", word, &names, accepted))
}

/// Returns the action of that name. The error tells the name that it has now, or the nearest one.
fn action(name: &str) -> Result<Action, Shown> {
    if let Some(action) = Action::named(name) {
        return Ok(action);
    }
    if let Some(action) = Action::formerly_named(name) {
        let former = shown_text(name.as_bytes());
        let name = action.name();
        return Err(sentence!("the action '{former}' is now called '{name}'"));
    }
    let mut known = Vec::new();
    for action in Action::ALL {
        known.push(action.name());
    }
    let accepted = "`fairscope help keys` lists them";
    Err(unknown_of("action", name, &known, accepted))
}

/// Why something in the file is not used.
struct Refusal {
    /// Its place in the text, in bytes.
    at: usize,
    reason: Shown,
}

impl Refusal {
    fn new(at: usize, reason: impl Into<Shown>) -> Self {
        Self {
            at,
            reason: reason.into(),
        }
    }
}

/// A value of the file with its place.
type Value<'a> = Spanned<DeValue<'a>>;

/// What was read of the settings so far, and what of them was refused.
#[derive(Default)]
struct ConfigReader {
    config: Config,
    refused: Vec<Refusal>,
}

impl ConfigReader {
    /// Notes why the setting at a byte of the file is not taken over.
    fn refuse(&mut self, at: usize, reason: impl Into<Shown>) {
        self.refused.push(Refusal::new(at, reason));
    }

    /// Reads every setting of the file. An unknown one is refused.
    fn read(&mut self, table: &DeTable<'_>) {
        for (key, value) in table {
            match &**key.get_ref() {
                "theme" => self.read_theme(value),
                "ascii" => self.read_ascii(value),
                "mouse" => match value.get_ref().as_bool() {
                    Some(mouse) => self.config.without_mouse = !mouse,
                    None => self.refuse(value.span().start, "mouse is neither true nor false"),
                },
                "screen" => self.read_screen(value),
                "columns" => self.read_columns(value),
                "keys" => self.read_keys(value),
                other => {
                    let known = Config::KEYS;
                    let reason = unknown_of("key", other, known, &known.join(", "));
                    self.refuse(key.span().start, reason);
                }
            }
        }
    }

    /// Reads the theme, by its name.
    fn read_theme(&mut self, value: &Value<'_>) {
        let mut known = vec![AUTO];
        for &(name, _) in Theme::ALL {
            known.push(name);
        }
        match self.word("theme", value, &known) {
            Some(AUTO) => self.config.theme = None,
            Some(theme) => self.config.theme = Some(theme),
            None => {}
        }
    }

    /// Reads whether the screen keeps to ASCII.
    fn read_ascii(&mut self, value: &Value<'_>) {
        match value.get_ref() {
            DeValue::Boolean(is_ascii) => self.config.ascii = Some(*is_ascii),
            DeValue::String(text) if text == AUTO => self.config.ascii = None,
            _ => {
                let reason = sentence!("ascii is none of true, false and \"{AUTO}\"");
                self.refuse(value.span().start, reason);
            }
        }
    }

    /// Reads the screen to begin with, by its name.
    fn read_screen(&mut self, value: &Value<'_>) {
        let known = TABS.map(|(screen, _)| screen.name());
        if let Some(name) = self.word("screen", value, &known) {
            self.config.screen = match Action::named(name) {
                Some(Action::TreeScreen) => None,
                screen => screen,
            };
        }
    }

    /// Returns one of the known words, or `None` if the value is none of them, which is refused.
    fn word(
        &mut self,
        what: &str,
        value: &Value<'_>,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let at = value.span().start;
        let accepted = known.join(", ");
        let Some(word) = value.get_ref().as_str() else {
            let reason = sentence!("{what} is not text; expected one of {accepted}, in quotes");
            self.refuse(at, reason);
            return None;
        };
        match one_of(what, word, known, &accepted) {
            Ok(word) => Some(word),
            Err(reason) => {
                self.refuse(at, reason);
                None
            }
        }
    }

    /// Reads the preferred columns, by their names.
    fn read_columns(&mut self, value: &Value<'_>) {
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

    /// Reads the keys of actions, instead of those that the actions have.
    fn read_keys(&mut self, value: &Value<'_>) {
        let Some(table) = value.get_ref().as_table() else {
            let reason = "keys is not a table; expected [keys] and actions below it";
            return self.refuse(value.span().start, reason);
        };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut given = Vec::new();
        for (name, keys) in entries {
            let action = match action(name.get_ref()) {
                Ok(action) => action,
                Err(reason) => {
                    self.refuse(name.span().start, reason);
                    continue;
                }
            };
            match keys_of(action, keys, &mut given) {
                Ok(keys) => self.config.keymap.rebind(action, keys),
                Err(refusal) => self.refused.push(refusal),
            }
        }
    }
}

/// A key that an action before has been given.
struct GivenKey {
    key: Binding,
    action: Action,
}

/// Returns the keys of an action, or why one is refused. `given` holds those of the actions before.
fn keys_of(
    action: Action,
    value: &Value<'_>,
    given: &mut Vec<GivenKey>,
) -> Result<Vec<Binding>, Refusal> {
    let name = action.name();
    let at = value.span().start;
    let Some(texts) = value.get_ref().as_array() else {
        let reason = sentence!("{name} is not a list; expected keys such as [\"u\", \"ctrl-z\"]");
        return Err(Refusal::new(at, reason));
    };
    if texts.len() > MOST_KEYS {
        let count = grouped(texts.len());
        let reason = sentence!("{name} has {count} keys; expected at most {MOST_KEYS}");
        return Err(Refusal::new(at, reason));
    }
    let mut keys = Vec::new();
    for text in texts {
        let at = text.span().start;
        let word = text.get_ref().as_str().unwrap_or_default();
        let Some(key) = Binding::named(word) else {
            return Err(Refusal::new(at, unknown_key(word)));
        };
        for other in given.iter() {
            if other.action != action && other.key.excludes(key) {
                let word = shown(word.as_bytes());
                let other = other.action.name();
                let reason =
                    sentence!("the key '{word}' is given to two actions, {name} and {other}");
                return Err(Refusal::new(at, reason));
            }
        }
        given.push(GivenKey { key, action });
        keys.push(key);
    }
    Ok(keys)
}

/// Returns why a word is no key, with the nearest one.
fn unknown_key(word: &str) -> Shown {
    let known: Vec<&str> = Key::names().collect();
    let names = known.join(", ");
    let accepted = format!(
        "a character, {names} or f1 to f12; ctrl- or shift- before it; or two keys such as \"t g\""
    );
    unknown_of("key", word, &known, &accepted)
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
    /// Returns the shipped theme of that name in the colours that the terminal shows.
    pub(crate) fn themed(&self, name: &'static str) -> Theme {
        let theme = Theme::named(name).expect("it is one of those that are shipped");
        if self.has_only_palette {
            return theme.in_palette();
        }
        theme
    }

    /// Fits options that were not given to the terminal that the environment variables describe.
    pub fn suited_to(mut self, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        if self.home.is_none()
            && let Some(home) = set(&variable, "HOME")
        {
            self.home = Some(home.into());
        }
        let term = set(&variable, "TERM").unwrap_or_default();
        let colorterm = set(&variable, "COLORTERM").unwrap_or_default();
        let colors = Colors::of(
            &term.to_string_lossy().to_lowercase(),
            &colorterm.to_string_lossy().to_lowercase(),
        );
        self.has_only_palette |= colors == Colors::Palette;
        let theme = match colors {
            _ if set(&variable, "NO_COLOR").is_some() => Some("mono"),
            Colors::None => Some("mono"),
            Colors::Sixteen => Some("sixteen"),
            Colors::Palette | Colors::All => None,
        };
        if self.theme.is_none() {
            self.theme = theme.map(str::to_owned);
        }
        self.is_ascii |= match self.config.ascii {
            Some(is_ascii) => is_ascii,
            None => is_locale_ascii(variable),
        };
        self
    }
}

/// Returns the value of an environment variable; `None` if it is empty, too.
fn set(variable: &impl Fn(&str) -> Option<OsString>, name: &str) -> Option<OsString> {
    let value = variable(name)?;
    if value.is_empty() { None } else { Some(value) }
}

/// The colours that a terminal shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colors {
    None,
    Sixteen,
    /// The 256 of its palette.
    Palette,
    All,
}

impl Colors {
    /// Returns the colours of the terminal that `TERM` and `COLORTERM` describe, in small letters.
    fn of(term: &str, colorterm: &str) -> Self {
        if term.is_empty() || WITHOUT_COLORS.iter().any(|name| term.starts_with(name)) {
            return Self::None;
        }
        // GNU screen hands COLORTERM on from the terminal around it, whose colours it does not have.
        let is_promised = !term.starts_with("screen")
            && (matches!(colorterm, "truecolor" | "24bit")
                || WITH_ALL_COLORS.iter().any(|name| term.contains(name)));
        if is_promised {
            Self::All
        } else if term.contains("256color") {
            Self::Palette
        } else {
            Self::Sixteen
        }
    }
}
