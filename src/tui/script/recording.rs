//! Recordings: a script with a head that says what it was played on.
//!
//! ```text
//! recording 1
//! size 110x32
//! theme dark
//! open sched_priv
//! tree 8c1e5d9af2b70346 4 users
//! +1.50 e
//! +0.40 "80"
//! +0.75 enter
//! ```

use super::{Script, ScriptEvent, quoted, size, split};
use crate::base::nearest::{unknown, unknown_of};
use crate::base::number::counted;
use crate::base::shown::{Shown, sentence, shown_text};
use crate::model::Snapshot;
use crate::tui::config::{Options, action as action_named, columns, one_of};
use crate::tui::input::action::Action;
use crate::tui::input::keymap::{Binding, Key, Keymap};
use crate::tui::state::TABS;
use crate::tui::widget::theme::Theme;
use ratatui::layout::Size;

const VERSION: &str = "1";

const INCOMPLETE: &str = "the mark of the tree is incomplete; expected the line as it was recorded";

/// The words that begin a line of the head, each with an example.
const HEAD: [(&str, &str); 9] = [
    ("recording", "recording 1"),
    ("size", "size 120x40"),
    ("theme", "theme dark"),
    ("ascii", "ascii"),
    ("screen", "screen ranking"),
    ("columns", "columns shares rank"),
    ("bind", "bind undo u ctrl-z"),
    ("open", "open sched_priv"),
    ("tree", "tree 8c1e5d9af2b70346 4 users"),
];

/// The tree that a script was recorded on, told by its names, shares and usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeMark {
    number: u64,
    users: usize,
}

impl TreeMark {
    /// Returns the mark of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let tree = &snapshot.tree;
        // FNV-1a, 64 bits: it tells trees apart, and nobody gains by making two alike.
        let mut number = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &byte in bytes {
                number = (number ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for &node in tree.nodes() {
            let shares = tree.shares(node).count().unwrap_or(i64::MIN);
            let usage = tree.usage(node).amount().unwrap_or(f64::NAN);
            add(tree.name(node));
            // In this order the sizes of the subtrees tell the shape.
            add(&[0]);
            add(&tree.within(node).len().to_le_bytes());
            add(&shares.to_le_bytes());
            add(&usage.to_bits().to_le_bytes());
        }
        Self {
            number,
            users: tree.user_count(),
        }
    }

    /// Returns the line of a recording.
    pub fn line(self) -> String {
        let users = counted(self.users, "user", "users");
        format!("tree {:016x} {users}\n", self.number)
    }
}

/// A script with what it was recorded on.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The size of the screen at the start.
    pub size: Size,
    /// How the explorer looked, and its keys.
    pub options: Options,
    /// The arguments that say what was open; empty for the built-in example.
    pub open: Vec<String>,
    /// The tree that was open first, and the line that tells it.
    pub tree: Option<(TreeMark, usize)>,
    /// What was pressed.
    pub script: Script,
}

impl Recording {
    /// Reads a recording. `file` is its name in errors, which tell a line that cannot be read, and what is accepted there.
    pub fn parse(file: &Shown, bytes: &[u8]) -> Result<Self, Shown> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            sentence!("{file}:{line}: this is not UTF-8")
        })?;
        let mut reader = RecordingReader::default();
        let mut last = 0;
        for (place, line) in text.lines().enumerate() {
            last = place + 1;
            let read = reader.read(line.trim(), last);
            read.map_err(|reason| sentence!("{file}:{last}: {reason}"))?;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            return Err(sentence!(
                "{file}:{last}: the last line has no end, so the file may be cut; end it with a line break"
            ));
        }
        if !reader.seen.contains(&"recording") {
            return Err(sentence!(
                "{file} is not a recording; expected 'recording {VERSION}' in its first line"
            ));
        }
        if !reader.seen.contains(&"size") {
            return Err(sentence!(
                "{file} has no size; add a line such as 'size 120x40'"
            ));
        }
        Ok(reader.recording)
    }

    /// Returns the head of a recording that begins.
    pub fn head(size: Size, options: &Options, open: &[String]) -> String {
        let theme = Theme::name_of(options.theme.as_deref());
        let mut head = format!(
            "# Keys pressed in fairscope. `fairscope --replay FILE` plays them, `fairscope help recordings` tells more.\n\
             recording {VERSION}\nsize {size}\ntheme {theme}\n"
        );
        let mut add = |name: &str, words: &[String]| {
            head.push_str(name);
            head.extend(words.iter().map(|word| format!(" {}", argument(word))));
            head.push('\n');
        };
        if options.is_ascii {
            add("ascii", &[]);
        }
        if let Some(screen) = options.config.screen
            && screen != Action::TreeScreen
        {
            add("screen", &[screen.name().to_owned()]);
        }
        let columns = options.config.columns.iter();
        let columns: Vec<String> = columns.map(|column| column.name().into()).collect();
        if !columns.is_empty() {
            add("columns", &columns);
        }
        let shipped = Keymap::default();
        for &action in Action::ALL {
            let keys = options.config.keymap.keys(action);
            if keys != shipped.keys(action) {
                let mut words = vec![action.name().to_owned()];
                words.extend(keys.iter().filter_map(|key| key.name()));
                add("bind", &words);
            }
        }
        if !open.is_empty() {
            add("open", open);
        }
        head
    }

    /// Returns the size of a screen with room for all sizes that the recording has.
    pub fn largest_size(&self) -> Size {
        let steps = self.script.steps.iter();
        let sizes = steps.filter_map(|step| match step.event {
            ScriptEvent::Resize(size) => Some(size),
            _ => None,
        });
        let both = |a: Size, b: Size| Size::new(a.width.max(b.width), a.height.max(b.height));
        sizes.fold(self.size, both)
    }

    /// Checks that a tree is the one of the recording. `file` is the name of that in the error.
    pub fn check_tree(&self, file: &Shown, found: TreeMark) -> Result<(), Shown> {
        match self.tree {
            Some((mark, line)) if mark.number != found.number => Err(sentence!(
                "{file}:{line}: this was recorded on another tree, of {}, and this one has {}; open that one, or remove \
                 the line to play it on this one",
                counted(mark.users, "user", "users"),
                counted(found.users, "user", "users")
            )),
            _ => Ok(()),
        }
    }
}

fn argument(text: &str) -> String {
    let is_plain = |char: char| char.is_alphanumeric() || "_-./:,@%+".contains(char);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

#[derive(Default)]
struct RecordingReader {
    seen: Vec<&'static str>,
    recording: Recording,
}

impl RecordingReader {
    fn read(&mut self, line: &str, number: usize) -> Result<(), Shown> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let is_first = self.seen.is_empty();
        if line.starts_with('+') && !is_first {
            return self.recording.script.add(line);
        }
        let mut words = split(line)?.into_iter();
        let name = words.next().map(|word| word.name).unwrap_or_default();
        let Some(&(known, example)) = HEAD.iter().find(|(known, _)| *known == name) else {
            if is_first {
                return Err(sentence!(
                    "this is not a recording; expected 'recording {VERSION}' in the first line"
                ));
            }
            let known = HEAD.iter().map(|&(known, _)| known);
            return Err(unknown("line", &name, known.chain(["+SECONDS and keys"])));
        };
        if is_first && known != "recording" {
            return Err(sentence!("expected 'recording {VERSION}' before this line"));
        }
        if self.seen.contains(&known) && known != "bind" {
            return Err(sentence!(
                "{known} stands here a second time; keep one of the two lines"
            ));
        }
        self.seen.push(known);
        let values = words.map(|word| match word.text {
            Some(text) if word.name.is_empty() => text,
            Some(text) => format!("{}={text}", word.name),
            None => word.name,
        });
        let values: Vec<String> = values.collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.read_head((known, example), &values, number)
    }

    fn read_head(
        &mut self,
        (name, example): (&str, &str),
        values: &[&str],
        line: usize,
    ) -> Result<(), Shown> {
        let recording = &mut self.recording;
        let options = &mut recording.options;
        match (name, values) {
            ("recording", [VERSION]) => {}
            ("recording", [version, ..]) => {
                return Err(sentence!(
                    "this is a recording of version {}, and this fairscope reads version {VERSION}",
                    shown_text(version.as_bytes())
                ));
            }
            ("size", [text]) => recording.size = size(text)?,
            ("theme", [theme]) => {
                let known: Vec<&str> = Theme::ALL.iter().map(|&(name, _)| name).collect();
                let theme = one_of("theme", theme, &known, &known.join(", "))?;
                options.theme = Some(theme.to_owned());
            }
            ("ascii", []) => options.is_ascii = true,
            ("screen", [screen]) => {
                let known = TABS.map(|(screen, _)| screen.name());
                let screen = one_of("screen", screen, &known, &known.join(", "))?;
                options.config.screen = Action::named(screen);
            }
            ("columns", [_, ..]) => {
                options.config.columns.clear();
                for word in values {
                    options.config.columns.extend(columns(word)?);
                }
            }
            ("bind", [action, keys @ ..]) => bind(&mut options.config.keymap, action, keys)?,
            ("open", [_, ..]) => {
                recording.open = values.iter().map(|&word| word.to_owned()).collect();
            }
            ("tree", [mark, users, _]) => {
                let found = u64::from_str_radix(mark, 16).ok();
                let users = users.replace(',', "").parse().ok();
                let mark = found.zip(users);
                let mark = mark.map(|(number, users)| TreeMark { number, users });
                recording.tree = Some((mark.ok_or(INCOMPLETE)?, line));
            }
            _ => {
                return Err(sentence!(
                    "{name} has other words than expected, such as '{example}'"
                ));
            }
        }
        Ok(())
    }
}

fn bind(keymap: &mut Keymap, action: &str, keys: &[&str]) -> Result<(), Shown> {
    let action = action_named(action)?;
    let bindings = keys.iter().map(|key| {
        Binding::named(key).ok_or_else(|| {
            let known: Vec<&str> = Key::names().collect();
            let accepted = "a key, or two in quotes such as \"t g\"";
            unknown_of("key", key, &known, accepted)
        })
    });
    keymap.rebind(action, bindings.collect::<Result<_, _>>()?);
    Ok(())
}
