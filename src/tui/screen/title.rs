//! The first line: the open source, its scheduler, the policy and the state of its numbers. The second line: the tabs of
//! the screens, and what the rows show.

use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence, shown};
use crate::format::Severity;
use crate::model::NodeId;
use crate::report::dump::{self, Standing};
use crate::report::order::Remark;
use crate::report::outline::{Filter, Search};
use crate::report::{View, order, words};
use crate::rules::policy::ColumnId;
use crate::tui::screen::painter::{Painter, narrow, skip, width_of};
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

/// A part of a line, and its style.
struct Part {
    text: Shown,
    style: Style,
}

impl Part {
    fn new(text: impl Into<Shown>, style: Style) -> Self {
        Self {
            text: text.into(),
            style,
        }
    }

    /// Returns a part of the title, with the blanks that set it off, in the style of the title.
    fn of_title(text: &Shown) -> Self {
        Self::new(sentence!("  {text}"), Style::new())
    }

    /// Returns a part of the title in a style of its own.
    fn styled(text: &Shown, style: Style) -> Self {
        Self::new(sentence!("  {text}"), style)
    }
}

/// Draws the first line.
pub(crate) fn draw(p: &mut Painter<'_>, app: &App, area: Rect) {
    let theme = &app.ui.theme;
    p.buffer.set_style(area, theme.bar);
    let strong = theme.bar.patch(theme.title);
    let Some(session) = app.session() else {
        p.put(area, " fairscope", strong);
        return;
    };
    let source = &session.scenario.base().source;
    let title = app.ui.spelled(shown(source.title.as_bytes()));
    let state = state_parts(app, session);
    let mut needed = 0;
    for part in &state {
        needed += cells(&part.text);
    }
    let taken = cells(&title).min(FEWEST_TITLE) + 1 + needed;
    let room_for_origin = usize::from(area.width).saturating_sub(taken);
    let origin = Part::of_title(&origin_within(app, session, room_for_origin));
    needed += cells(&origin.text);
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
    for part in state.into_iter().chain(totals(app, session)) {
        if width_of(&part.text) > rest.width {
            return;
        }
        rest = put_part(p, rest, &part);
    }
}

/// Draws a part of the title. Returns the area behind it.
fn put_part(p: &mut Painter<'_>, area: Rect, part: &Part) -> Rect {
    let style = p.ui.theme.bar.patch(part.style);
    p.put_cut(area, &part.text, style)
}

/// Returns what the state of the numbers is: edits, the clock, remarks about them, and where they are from.
fn state_parts(app: &App, session: &Session) -> Vec<Part> {
    let theme = &app.ui.theme;
    let scenario = &session.scenario;
    let mut parts = Vec::new();
    parts.extend(edits_part(session, theme));
    let passed = scenario.settings().time.passed;
    if passed > 0 {
        parts.push(Part::styled(&moment(passed), theme.edited));
    }
    let view = View::of(scenario, &session.source.problems);
    let remarks = order::quick(&view);
    if let Some(warnings) = remarks_of(&remarks, Severity::Warning) {
        parts.push(Part::styled(&warnings, theme.warning));
    }
    if let Some(text) = scenario_text(session) {
        let spelled = app.ui.spelled(text);
        parts.push(Part::styled(&spelled, theme.edited));
    }
    parts.extend(verified_part(session, theme));
    parts.extend(reading_part(app, session));
    if let Some(series) = &session.source.series {
        let place = series.place() + 1;
        let count = series.dumps().len();
        let when = series.current().when();
        let dump = sentence!("{when} · dump {place} of {count}");
        parts.push(Part::of_title(&dump));
    }
    if let Some(notes) = remarks_of(&remarks, Severity::Note) {
        parts.push(Part::of_title(&notes));
    }
    parts
}

/// Returns how many edits there are, and whether no file holds them; `None` without any.
fn edits_part(session: &Session, theme: &Theme) -> Option<Part> {
    let mut edits = 0;
    for entry in session.scenario.history().edits() {
        edits += usize::from(entry.waited().is_none());
    }
    if edits == 0 {
        return None;
    }
    let mut text = number::counted(edits, "edit", "edits");
    if session.has_unsaved_edits() {
        text = sentence!("{text} ●");
    }
    Some(Part::styled(&text, theme.edited))
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

/// Returns how many trees are open, and how large this one is.
fn totals(app: &App, session: &Session) -> Vec<Part> {
    let scenario = &session.scenario;
    let mut parts = Vec::new();
    let trees = app.sessions.len();
    if trees > 1 {
        let place = app.ui.current + 1;
        let text = sentence!("tree {place} of {trees}");
        parts.push(Part::of_title(&text));
    }
    let problems = session.source.problems.count();
    if problems > 0 {
        let text = number::counted(problems, "problem", "problems");
        parts.push(Part::styled(&text, app.ui.theme.warning));
    }
    let usage = scenario.value(ColumnId::Usage, NodeId::ROOT);
    let number = number::cell(usage, ColumnId::Usage.unit());
    if !number.is_empty() {
        let mut text = sentence!("usage {number}");
        let unit = &scenario.base().source.usage_unit;
        if !unit.is_empty() {
            text = sentence!("{text} {}", shown(unit.as_bytes()));
        }
        parts.push(Part::of_title(&text));
    }
    let tree = scenario.tree();
    let users = scenario.evaluation().user_count();
    // How many users a part of a tree has is said before.
    let size = match tree.part() {
        Some(_) => number::counted(tree.node_count(), "node", "nodes"),
        None => words::source::size(tree, users),
    };
    parts.push(Part::of_title(&size));
    parts
}

/// Returns the source and the policy in so many cells, the blanks before them included: they are shortened before the
/// state of the numbers.
fn origin_within(app: &App, session: &Session, room: usize) -> Shown {
    let full = app.ui.spelled(origin(session));
    if cells(&full) + 2 <= room {
        return full;
    }
    let Some(other) = other_policy(session) else {
        return session.scenario.policy().title().into();
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
    let settings = session.scenario.settings();
    let policy = session.scenario.policy();
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

/// Returns whether the scheduler's own numbers equal the computed ones; `None` if unknown or shown elsewhere.
fn verified_part(session: &Session, theme: &Theme) -> Option<Part> {
    let scenario = &session.scenario;
    let settings = scenario.settings();
    let verification = &session.source.verification;
    let standing = dump::standing(verification, scenario.policy(), settings)?;
    let text = standing.text();
    let tree = scenario.tree();
    let part = match standing {
        Standing::Incomplete if tree.part().is_some() => {
            let users = number::grouped(tree.user_count());
            let counted = sentence!("part of a tree: {users} of ? users");
            Part::styled(&counted, theme.warning)
        }
        Standing::Incomplete | Standing::Stale(_) => Part::styled(&text, theme.warning),
        Standing::Differing(_) => {
            let signed = sentence!("× {text}");
            Part::styled(&signed, theme.error)
        }
        Standing::Verified(_) => {
            let signed = sentence!("✓ {text}");
            Part::styled(&signed, theme.better)
        }
    };
    Some(part)
}

/// Returns the time of the last reading and the interval, or `None` for a source that is read only once.
fn reading_part(app: &App, session: &Session) -> Option<Part> {
    let ui = &app.ui;
    let pace = ui.pace(session.request());
    let is_reloading = ui.watch.asked.about() == Some(&ui.current);
    if pace.is_none() && !session.is_read_again() && !is_reloading {
        return None;
    }
    let mut words = Vec::new();
    if let Some(time) = &session.source.read_at {
        words.push(sentence!("{time}"));
    }
    if let Some(seconds) = pace {
        words.push(sentence!("every {seconds} s"));
    }
    let mut style = Style::new();
    if session.is_stale {
        words.push("not read again".into());
        style = ui.theme.warning;
    }
    if is_reloading {
        words.push("reading…".into());
    }
    let text = Shown::joined(words, " · ");
    Some(Part::styled(&text, style))
}

/// Draws the second line, and notes where the tabs are.
pub(crate) fn draw_tabs(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
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
    let mut parts = match front {
        Front::Screen(screen) => state_of_rows(p.ui, session, screen, room),
        _ => Vec::new(),
    };
    if let Some(presenter) = &p.ui.presenter {
        let left = room.saturating_sub(cells_of(&parts));
        parts.extend(pressed(theme, &presenter.keys, left));
    }
    let blanks = room.saturating_sub(cells_of(&parts));
    rest = skip(rest, narrow(blanks));
    for part in parts {
        let behind = p.put_cut(rest, &part.text, part.style);
        rest = skip(behind, 2);
    }
}

/// Returns the cells that parts take, with the blanks behind each.
fn cells_of(parts: &[Part]) -> usize {
    let mut taken = 0;
    for part in parts {
        taken += cells(&part.text) + 2;
    }
    taken
}

/// Returns a place, from 1, among so many, as in `4,084 of 11,938`.
fn place_of(place: usize, count: usize) -> Shown {
    sentence!("{} of {}", number::grouped(place), number::grouped(count))
}

/// Returns what the rows of a screen show. The usual order is left out where there is no room for it.
fn state_of_rows(ui: &Ui, session: &Session, screen: Screen, room: usize) -> Vec<Part> {
    let theme = &ui.theme;
    let pane = session.pane();
    let sort = pane.outline.sort();
    let mut parts = what_is_shown(theme, session, screen);
    if let Some(sort) = sort {
        let order = sentence!("by {}", sort.title());
        parts.push(Part::new(order, theme.dim));
    }
    // In the large layout, the pressed keys have this room.
    if ui.presenter.is_some() {
        return parts;
    }
    let rows = pane.outline.rows().len();
    let row = (pane.cursor + 1).min(rows);
    let place = Part::new(place_of(row, rows), theme.dim);
    if sort.is_none() {
        let usual = match screen {
            Screen::Tree | Screen::Time => "tree order",
            Screen::Ranking => "by rank",
            Screen::Policies => "by spread",
        };
        let taken = cells_of(&parts) + cells(&place.text) + 2;
        if taken + cells(usual) + 2 <= room {
            parts.push(Part::new(usual, theme.dim));
        }
    }
    parts.push(place);
    parts
}

/// Returns which rows of a screen are shown or set off, and whether their numbers are still computed.
fn what_is_shown(theme: &Theme, session: &Session, screen: Screen) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(search) = &session.search {
        let found = found_text(search, session.selected());
        parts.push(Part::new(found, theme.found));
    }
    let marked = session.marked_count();
    if marked > 0 {
        let count = number::grouped(marked);
        let text = sentence!("● {count} marked");
        parts.push(Part::new(text, theme.key));
    }
    let filter = session.pane().outline.filter();
    if filter != Filter::All {
        let text = sentence!("only {}", filter.name());
        parts.push(Part::new(text, theme.edited));
    }
    if session.is_behind() {
        parts.push(Part::new("computing…", theme.warning));
    } else if screen == Screen::Policies && !session.is_compared() {
        parts.push(Part::new("comparing…", theme.warning));
    }
    parts
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

/// Returns the last keys that fit into so many cells, and what the newest does if that fits, too.
fn pressed(theme: &Theme, keys: &[PressedKey], room: usize) -> Vec<Part> {
    let Some((last, older)) = keys.split_last() else {
        return Vec::new();
    };
    let mut newest = pressed_name(last);
    if !last.help.is_empty() {
        let with_help = sentence!("{newest} {}", last.help);
        if cells(&with_help) + 2 <= room {
            newest = with_help;
        }
    }
    let mut left = room.saturating_sub(cells(&newest) + 2);
    let mut parts = vec![Part::new(newest, theme.key)];
    for key in older.iter().rev() {
        let name = pressed_name(key);
        let Some(rest) = left.checked_sub(cells(&name) + 2) else {
            break;
        };
        left = rest;
        parts.push(Part::new(name, theme.dim));
    }
    parts.reverse();
    parts
}
