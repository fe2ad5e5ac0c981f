//! The first line: the open source, its scheduler, the policy and the state of its numbers. The second line: the tabs of
//! the screens, and what the rows show.

use super::painter::{Painter, narrow, skip};
use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence, shown};
use crate::format::Severity;
use crate::model::NodeId;
use crate::report::dump::{self, Standing};
use crate::report::order::Remark;
use crate::report::outline::{Filter, Search};
use crate::report::{View, order, words};
use crate::rules::policy::ColumnId;
use crate::tui::state::scenarios::title;
use crate::tui::state::{App, Front, PressedKey, Screen, Session, TABS, Ui};
use crate::tui::time::axis::moment;
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The name of the program, before that of the source.
const PROGRAM: &str = "fairscope  ";

/// The cells of the longest name of a scenario.
const LONGEST_NAME: usize = 24;

/// The cells that the name of the source keeps.
const FEWEST_TITLE: usize = 24;

/// The blanks that set a part off from the next.
const BLANKS: &str = "  ";

/// A part of a line, and its style.
struct Part {
    text: Shown,
    style: Style,
}

impl Part {
    /// Returns the cells that it takes with the blanks that set it off.
    fn cells(&self) -> usize {
        cells(&self.text) + BLANKS.len()
    }
}

/// The parts of a line about a tree, from left to right.
struct Parts<'a> {
    ui: &'a Ui,
    theme: &'a Theme,
    session: &'a Session,
    list: Vec<Part>,
}

impl<'a> Parts<'a> {
    /// Returns a line without parts yet.
    fn new(ui: &'a Ui, session: &'a Session) -> Self {
        Self {
            ui,
            theme: &ui.theme,
            session,
            list: Vec::new(),
        }
    }

    /// Adds a part at the end.
    fn add(&mut self, text: impl Into<Shown>, style: Style) {
        let text = text.into();
        self.list.push(Part { text, style });
    }

    /// Adds a part without a style of its own at the end.
    fn add_plain(&mut self, text: impl Into<Shown>) {
        self.add(text, Style::new());
    }

    /// Returns the cells that all parts take.
    fn cells(&self) -> usize {
        let mut taken = 0;
        for part in &self.list {
            taken += part.cells();
        }
        taken
    }
}

/// Draws the first line.
pub(crate) fn draw(p: &mut Painter, app: &App, area: Rect) {
    let theme = p.theme;
    p.buffer.set_style(area, theme.bar);
    let strong = theme.bar.patch(theme.title);
    let Some(session) = app.session() else {
        p.put(area, " fairscope", strong);
        return;
    };
    let source = &session.scenario.base().source;
    let title = app.ui.spelled(shown(source.title.as_bytes()));
    let mut parts = Parts::new(p.ui, session);
    parts.add_state();
    let state_cells = parts.cells();
    let taken = cells(&title).min(FEWEST_TITLE) + 1 + state_cells;
    let room_for_origin = usize::from(area.width).saturating_sub(taken);
    let origin = Part {
        text: origin_within(p.ui, session, room_for_origin),
        style: Style::new(),
    };
    let needed = state_cells + origin.cells();
    let mut rest = p.put(area, " ", theme.bar);
    let whole = cells(PROGRAM) + cells(&title) + needed;
    // The name of the program is the least important, so it is omitted first.
    if whole <= rest.width.into() {
        rest = p.put(rest, PROGRAM, theme.bar);
    }
    let room = usize::from(rest.width).saturating_sub(needed);
    let fitting = cut(&title, room.max(FEWEST_TITLE));
    rest = p.put(rest, fitting, strong);
    rest = put_part(p, rest, &origin);
    parts.add_totals(app.sessions.len());
    for part in &parts.list {
        if part.cells() > rest.width.into() {
            return;
        }
        rest = put_part(p, rest, part);
    }
}

/// Draws a part of the title behind the blanks that set it off. Returns the area behind it.
fn put_part(p: &mut Painter, area: Rect, part: &Part) -> Rect {
    let style = p.theme.bar.patch(part.style);
    let text = sentence!("{BLANKS}{}", part.text);
    p.put_cut(area, &text, style)
}

/// The parts of the first line.
impl Parts<'_> {
    /// Adds what the state of the numbers is: edits, the clock, remarks about them, and where they are from.
    fn add_state(&mut self) {
        let theme = self.theme;
        let session = self.session;
        if let Some(edits) = edits_text(session) {
            self.add(edits, theme.edited);
        }
        let passed = session.settings().time.passed;
        if passed > 0 {
            self.add(sentence!("clock {}", moment(passed)), theme.edited);
        }
        let view = View::of(&session.scenario, &session.source.problems);
        let remarks = order::quick(&view);
        if let Some(warnings) = remarks_of(&remarks, Severity::Warning) {
            self.add(warnings, theme.warning);
        }
        if let Some(text) = scenario_text(session) {
            let spelled = self.ui.spelled(text);
            self.add(spelled, theme.edited);
        }
        self.add_standing();
        self.add_reading();
        if let Some(series) = &session.source.series {
            let place = series.place() + 1;
            let count = series.dumps().len();
            let when = series.current().when();
            let dump = sentence!("{when} · dump {place} of {count}");
            self.add_plain(dump);
        }
        if let Some(notes) = remarks_of(&remarks, Severity::Note) {
            self.add_plain(notes);
        }
    }

    /// Adds whether the scheduler's own numbers equal the computed ones, unless that is unknown or shown elsewhere.
    fn add_standing(&mut self) {
        let theme = self.theme;
        let session = self.session;
        let verification = &session.source.verification;
        let standing = dump::standing(verification, session.policy(), session.settings());
        let Some(standing) = standing else { return };
        let text = standing.text();
        let tree = session.tree();
        match standing {
            Standing::Incomplete if tree.part().is_some() => {
                let users = number::grouped(tree.user_count());
                let counted = sentence!("part of a tree: {users} of ? users");
                self.add(counted, theme.warning);
            }
            Standing::Incomplete | Standing::Stale(_) => self.add(text, theme.warning),
            Standing::Differing(_) => self.add(sentence!("× {text}"), theme.error),
            Standing::Verified(_) => self.add(sentence!("✓ {text}"), theme.better),
        }
    }

    /// Adds the time of the last reading and the interval, unless the source is read only once.
    fn add_reading(&mut self) {
        let session = self.session;
        let pace = self.ui.pace(session.request());
        let watch = &self.ui.watch;
        let is_reloading = watch.asked.about() == Some(&self.ui.current);
        if pace.is_none() && !session.is_read_again() && !is_reloading {
            return;
        }
        let mut words = Vec::new();
        if let Some(time) = &session.source.read_at {
            words.push(sentence!("read at {time}"));
        }
        if let Some(seconds) = pace {
            words.push(sentence!("every {seconds} s"));
        }
        let mut style = Style::new();
        if session.is_stale {
            words.push("not read again".into());
            style = self.theme.warning;
        }
        if is_reloading {
            words.push("reading…".into());
        }
        let text = Shown::joined(words, " · ");
        self.add(text, style);
    }

    /// Adds which of so many open trees this one is, and how large it is.
    fn add_totals(&mut self, trees: usize) {
        let session = self.session;
        if trees > 1 {
            let place = self.ui.current + 1;
            self.add_plain(sentence!("tree {place} of {trees}"));
        }
        let problems = session.source.problems.count();
        if problems > 0 {
            let text = number::counted(problems, "problem", "problems");
            self.add(text, self.theme.warning);
        }
        if let Some(usage) = usage_text(session) {
            self.add_plain(usage);
        }
        let tree = session.tree();
        let users = session.scenario.evaluation().user_count();
        // How many users a part of a tree has is said before.
        let size = match tree.part() {
            Some(_) => number::counted(tree.node_count(), "node", "nodes"),
            None => words::source::size(tree, users),
        };
        self.add_plain(size);
    }
}

/// Returns how much the tree used, in the unit of the source; `None` if it records no usage.
fn usage_text(session: &Session) -> Option<Shown> {
    let usage = session.scenario.value(ColumnId::Usage, NodeId::ROOT);
    let number = number::cell(usage, ColumnId::Usage.unit());
    if number.is_empty() {
        return None;
    }
    let text = sentence!("usage {number}");
    let unit = &session.scenario.base().source.usage_unit;
    if unit.is_empty() {
        return Some(text);
    }
    Some(sentence!("{text} {}", shown(unit.as_bytes())))
}

/// Returns how many edits there are, and whether no file holds them; `None` without any.
fn edits_text(session: &Session) -> Option<Shown> {
    let mut edits = 0;
    for entry in session.scenario.history().edits() {
        edits += usize::from(entry.waited().is_none());
    }
    if edits == 0 {
        return None;
    }
    let text = number::counted(edits, "edit", "edits");
    if session.has_unsaved_edits() {
        return Some(sentence!("{text} ●"));
    }
    Some(text)
}

/// Returns the remarks of a severity in short; `None` if there are none.
fn remarks_of(remarks: &[Remark], severity: Severity) -> Option<Shown> {
    let mut shorts = Vec::new();
    for remark in remarks {
        if remark.severity == severity {
            shorts.push(&remark.short);
        }
    }
    if shorts.is_empty() {
        return None;
    }
    Some(Shown::joined(shorts, " · "))
}

/// Returns the source and the policy in so many cells, the blanks before them included: they are shortened before the
/// state of the numbers.
fn origin_within(ui: &Ui, session: &Session, room: usize) -> Shown {
    let full = ui.spelled(origin(session));
    if cells(&full) + 2 <= room {
        return full;
    }
    let Some(other) = other_policy(session) else {
        return session.policy().title().into();
    };
    let headline = dump::headline_with(&other);
    if cells(&headline) + 2 <= room {
        return headline;
    }
    // The short form omits the word for policy.
    other
}

/// Returns the current policy and that of the dump or the source, or `None` if they are the same.
fn other_policy(session: &Session) -> Option<Shown> {
    let scenario = &session.scenario;
    let verification = &session.source.verification;
    let policy = scenario.policy();
    if let Some(beside) = dump::beside(verification, policy, scenario.settings()) {
        return Some(beside);
    }
    let own = session.own_policy();
    if policy == own {
        return None;
    }
    let now = policy.title();
    Some(sentence!("{now} (source: {})", own.title()))
}

/// Returns the scheduler or format and the policy: `Slurm 24.11.5 on linux · Fair Tree`.
fn origin(session: &Session) -> Shown {
    let source = &session.scenario.base().source;
    let settings = session.settings();
    let policy = session.policy();
    let version = shown(source.version.as_bytes());
    let mut rule = policy.title().into();
    let mut text = source.format.name().into();
    if let Some(scheduler) = settings.scheduler
        && !version.is_empty()
    {
        text = sentence!("{} {version}", scheduler.title());
        // The scheduler's name is shown already.
        rule = dump::name(policy, settings).into();
    }
    if let Some(other) = other_policy(session) {
        rule = dump::headline_with(&other);
    }
    if !source.cluster.is_empty() {
        text += &sentence!(" on {}", shown(source.cluster.as_bytes()));
    }
    sentence!("{text} · {rule}")
}

/// Returns the current scenario if there are several, and its reference if that is not the snapshot.
fn scenario_text(session: &Session) -> Option<Shown> {
    let others = &session.other_scenarios;
    let count = others.count();
    if count == 1 {
        return None;
    }
    let place = others.place() + 1;
    let name = title(&session.scenario).cut(LONGEST_NAME);
    let mut text = sentence!("{name} {place}/{count}");
    if let Some(compared) = session.scenario.compared() {
        let reference = shown(compared.as_bytes()).cut(LONGEST_NAME);
        text += &sentence!(" against {reference}");
    }
    Some(text)
}

/// Draws the second line, and notes where the tabs are.
pub(crate) fn draw_tabs(p: &mut Painter, session: &Session, area: Rect) {
    let theme = p.theme;
    let front = p.ui.front(Some(session));
    let mut rest = skip(area, 1);
    for (screen, name) in TABS {
        let is_open = front.open_tab() == Some(screen);
        let style = if is_open { theme.tab_open } else { theme.tab };
        let key = p.ui.hint(screen);
        let tab = p.put_key(rest, &key, name, style);
        p.drawn.tabs.push(tab.area);
        rest = skip(tab.behind, 2);
    }
    let room = usize::from(rest.width);
    // The sort order and the search do not apply to a page.
    let mut parts = Parts::new(p.ui, session);
    if let Front::Screen(screen) = front {
        parts.add_rows(screen, room);
    }
    if let Some(presenter) = &p.ui.presenter {
        let left = room.saturating_sub(parts.cells());
        parts.add_pressed(&presenter.keys, left);
    }
    let blanks = room.saturating_sub(parts.cells());
    rest = skip(rest, narrow(blanks));
    for part in &parts.list {
        let behind = p.put_cut(rest, &part.text, part.style);
        rest = skip(behind, narrow(BLANKS.len()));
    }
}

/// Returns a place, from 1, among so many, as in `4,084 of 11,938`.
fn place_of(place: usize, count: usize) -> Shown {
    sentence!("{} of {}", number::grouped(place), number::grouped(count))
}

/// The parts of the second line behind the tabs.
impl Parts<'_> {
    /// Adds what the rows of a screen show. The usual order is left out where there is no room for it.
    fn add_rows(&mut self, screen: Screen, room: usize) {
        let theme = self.theme;
        let pane = self.session.pane();
        let sort = pane.outline.sort();
        self.add_what_is_shown(screen);
        if let Some(sort) = sort {
            let order = sentence!("by {}", sort.title());
            self.add(order, theme.dim);
        }
        // In the large layout, the pressed keys have this room.
        if self.ui.presenter.is_some() {
            return;
        }
        let rows = pane.outline.rows().len();
        let row = (pane.cursor + 1).min(rows);
        let place = place_of(row, rows);
        if sort.is_none() {
            let usual = match screen {
                Screen::Tree | Screen::Time => "tree order",
                Screen::Ranking => "by rank",
                Screen::Policies => "by spread",
            };
            let gaps = 2 * BLANKS.len();
            if self.cells() + cells(&place) + cells(usual) + gaps <= room {
                self.add(usual, theme.dim);
            }
        }
        self.add(place, theme.dim);
    }

    /// Adds which rows of a screen are shown or set off, and whether their numbers are still computed.
    fn add_what_is_shown(&mut self, screen: Screen) {
        let theme = self.theme;
        let session = self.session;
        if let Some(search) = &session.search {
            let found = found_text(search, session.selected());
            self.add(found, theme.found);
        }
        let marked = session.marked_count();
        if marked > 0 {
            let count = number::grouped(marked);
            self.add(sentence!("● {count} marked"), theme.key);
        }
        let filter = session.pane().outline.filter();
        if filter != Filter::All {
            let text = sentence!("only {}", filter.name());
            self.add(text, theme.edited);
        }
        if session.is_behind() {
            self.add("computing…", theme.warning);
        } else if screen == Screen::Policies && !session.is_compared() {
            self.add("comparing…", theme.warning);
        }
    }

    /// Adds the last keys that fit into so many cells, and what the newest does if that fits, too.
    fn add_pressed(&mut self, keys: &[PressedKey], room: usize) {
        let Some((last, older)) = keys.split_last() else {
            return;
        };
        let mut newest = pressed_name(last);
        if !last.help.is_empty() {
            let with_help = sentence!("{newest} {}", last.help);
            if cells(&with_help) + BLANKS.len() <= room {
                newest = with_help;
            }
        }
        let mut left = room.saturating_sub(cells(&newest) + BLANKS.len());
        let mut names = Vec::new();
        for key in older.iter().rev() {
            let name = pressed_name(key);
            let Some(rest) = left.checked_sub(cells(&name) + BLANKS.len()) else {
                break;
            };
            left = rest;
            names.push(name);
        }
        for name in names.into_iter().rev() {
            self.add(name, self.theme.dim);
        }
        self.add(newest, self.theme.key);
    }
}

/// Returns what is searched for, and which of the nodes found is selected.
fn found_text(search: &Search, selected: NodeId) -> Shown {
    let count = search.found.len();
    let place = match search.place(selected) {
        Some(place) => place_of(place, count),
        None => number::grouped(count),
    };
    let similar = if search.is_fuzzy { " similar" } else { "" };
    let text = shown(search.text.as_bytes());
    sentence!("/{text} {place}{similar}")
}

/// Returns a pressed key, as often as it was pressed in a row.
fn pressed_name(key: &PressedKey) -> Shown {
    match key.count {
        1 => key.name.clone(),
        count => sentence!("{} ×{count}", key.name),
    }
}
