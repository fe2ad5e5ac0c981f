//! The first line: the open source, its scheduler, the policy and the state of its numbers. The second line: the tabs of
//! the screens, and what the rows show.

use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence, shown};
use crate::format::Severity;
use crate::model::{NodeId, Scheduler};
use crate::report::dump::{self, Standing};
use crate::report::outline::Filter;
use crate::report::{View, order, words};
use crate::rules::policy::ColumnId;
use crate::tui::screen::painter::{Painter, narrow, skip};
use crate::tui::state::scenarios::title;
use crate::tui::state::{App, Front, PressedKey, Screen, Session, TABS, Ui};
use crate::tui::time::axis::moment;
use crate::tui::widget::theme::Theme;
use ratatui::layout::Rect;
use ratatui::style::Style;

const PROGRAM: &str = "fairscope  ";
const LONGEST_NAME: usize = 24;
const FEWEST_TITLE: usize = 24;

type Part = (Shown, Style);

pub(crate) fn draw(p: &mut Painter<'_>, app: &App, area: Rect) {
    let theme = &app.ui.theme;
    p.buffer.set_style(area, theme.bar);
    let Some(session) = app.session() else {
        p.put(area, " fairscope", theme.bar.patch(theme.title));
        return;
    };
    let source = &session.scenario.base().source;
    let title = app.ui.spelled(shown(source.title.as_bytes()));
    let mut parts = state_parts(app, session);
    let others: usize = parts.iter().map(|(text, _)| cells(text)).sum();
    let room = usize::from(area.width).saturating_sub(cells(&title).min(FEWEST_TITLE) + 1);
    let origin = origin_within(app, session, room.saturating_sub(others));
    let needed = cells(&origin) + others;
    parts.insert(0, (origin, Style::new()));
    parts.extend(totals(app, session));
    let rest = p.put(area, " ", theme.bar);
    // The name of the program is the least important, so it is omitted first.
    let has_room = cells(PROGRAM) + cells(&title) + needed <= rest.width.into();
    let program = if has_room { PROGRAM } else { "" };
    let rest = p.put(rest, program, theme.bar);
    let room = usize::from(rest.width).saturating_sub(needed);
    let title = cut(&title, room.max(FEWEST_TITLE));
    let mut rest = p.put(rest, title, theme.bar.patch(theme.title));
    for (place, (text, style)) in parts.iter().enumerate() {
        if place > 0 && narrow(cells(text)) > rest.width {
            return;
        }
        rest = p.put_cut(rest, text, theme.bar.patch(*style));
    }
}

fn state_parts(app: &App, session: &Session) -> Vec<Part> {
    let theme = &app.ui.theme;
    let scenario = &session.scenario;
    let mut parts = Vec::new();
    let done = scenario.history().edits().into_iter();
    let edits = done.filter(|entry| entry.waited().is_none()).count();
    if edits > 0 {
        let is_unsaved = session.has_unsaved_edits();
        let unsaved = if is_unsaved { " ●" } else { "" };
        let text = sentence!("  {}{unsaved}", number::counted(edits, "edit", "edits"));
        parts.push((text, theme.edited));
    }
    let passed = scenario.settings().time.passed;
    if passed > 0 {
        parts.push((sentence!("  {}", moment(passed)), theme.edited));
    }
    let remarks = order::quick(&View::of(scenario, &session.source.problems));
    let of_order = |severity| {
        let remarks = remarks.iter().filter(|remark| remark.severity == severity);
        let shorts: Vec<&str> = remarks.map(|remark| &*remark.short).collect();
        (!shorts.is_empty()).then(|| sentence!("  {}", shorts.join(" · ")))
    };
    parts.extend(of_order(Severity::Warning).map(|text| (text, theme.warning)));
    parts.extend(scenario_part(session).map(|text| (app.ui.spelled(text), theme.edited)));
    parts.extend(verified_part(session, theme));
    parts.extend(reading_part(app, session));
    if let Some(series) = &session.source.series {
        let (place, count) = (series.place() + 1, series.dumps().len());
        let when = series.current().when();
        let text = sentence!("  {when} · dump {place} of {count}");
        parts.push((text, Style::new()));
    }
    parts.extend(of_order(Severity::Note).map(|text| (text, Style::new())));
    parts
}

fn totals(app: &App, session: &Session) -> Vec<Part> {
    let scenario = &session.scenario;
    let mut parts = Vec::new();
    if app.sessions.len() > 1 {
        let place = app.ui.current + 1;
        let text = sentence!("  tree {place} of {}", app.sessions.len());
        parts.push((text, Style::new()));
    }
    let problems = session.source.problems.count();
    if problems > 0 {
        let text = sentence!("  {}", number::counted(problems, "problem", "problems"));
        parts.push((text, app.ui.theme.warning));
    }
    let usage = scenario.value(ColumnId::Usage, NodeId::ROOT);
    let usage = number::cell(usage, ColumnId::Usage.unit());
    let unit = &scenario.base().source.usage_unit;
    let blank = if unit.is_empty() { "" } else { " " };
    let unit = shown(unit.as_bytes());
    if !usage.is_empty() {
        parts.push((sentence!("  usage {usage}{blank}{unit}"), Style::new()));
    }
    let (tree, ranked) = (scenario.tree(), scenario.evaluation().user_count());
    // How many users a part of a tree has is said before.
    let size = match tree.part() {
        Some(_) => number::counted(tree.node_count(), "node", "nodes"),
        None => words::source::size(tree, ranked),
    };
    parts.push((sentence!("  {size}"), Style::new()));
    parts
}

/// Returns the source and the policy in so many cells: they are shortened before the state of the numbers.
fn origin_within(app: &App, session: &Session, room: usize) -> Shown {
    let other = other_policy(session);
    // The short form omits the word for policy.
    let short = other.as_deref().map(dump::headline_with);
    let shortest = other.unwrap_or_else(|| session.scenario.policy().title().into());
    let full = app.ui.spelled(origin(session));
    let texts = [full, short.unwrap_or_else(|| shortest.clone())];
    let mut fitting = texts.into_iter().filter(|text| cells(text) + 2 <= room);
    sentence!("  {}", fitting.next().unwrap_or(shortest))
}

/// Returns the current policy and that of the dump or the source, or `None` if they are the same.
fn other_policy(session: &Session) -> Option<Shown> {
    let (scenario, verification) = (&session.scenario, &session.source.verification);
    let policy = scenario.policy();
    if let Some(beside) = dump::beside(verification, policy, scenario.settings()) {
        return Some(beside);
    }
    let own = session.own_policy();
    (policy != own).then(|| sentence!("{} (source: {})", policy.title(), own.title()))
}

/// Returns the scheduler or format and the policy: `Slurm 24.11.5 on linux · Fair Tree`.
fn origin(session: &Session) -> Shown {
    let source = &session.scenario.base().source;
    let settings = session.scenario.settings();
    let policy = session.scenario.policy();
    let scheduler = settings.scheduler.map(Scheduler::title);
    let version = shown(source.version.as_bytes());
    let named = scheduler.filter(|_| !version.is_empty());
    let named_with = named.map(|scheduler| sentence!("{scheduler} {version}"));
    let mut text = named_with.unwrap_or_else(|| source.format.name().into());
    if !source.cluster.is_empty() {
        text += &sentence!(" on {}", shown(source.cluster.as_bytes()));
    }
    let rule = match (other_policy(session), named) {
        (Some(policy), _) => dump::headline_with(&policy),
        // The scheduler's name is shown already.
        (None, Some(_)) => dump::name(policy, settings).into(),
        (None, None) => policy.title().into(),
    };
    sentence!("{text} · {rule}")
}

/// Returns the current scenario if there are several, and its reference if that is not the snapshot.
fn scenario_part(session: &Session) -> Option<Shown> {
    let other_scenarios = &session.other_scenarios;
    if other_scenarios.count() == 1 {
        return None;
    }
    let name = title(&session.scenario);
    let name = cut(&name, LONGEST_NAME);
    let (place, count) = (other_scenarios.place() + 1, other_scenarios.count());
    let against = session.scenario.compared().map(|compared| {
        let compared = shown(compared.as_bytes());
        sentence!(" against {}", cut(&compared, LONGEST_NAME))
    });
    let against = against.unwrap_or_default();
    Some(sentence!("  {name} {place}/{count}{against}"))
}

/// Returns whether the scheduler's own numbers equal the computed ones; `None` if unknown or shown elsewhere.
fn verified_part(session: &Session, theme: &Theme) -> Option<Part> {
    let (scenario, verification) = (&session.scenario, &session.source.verification);
    let standing = dump::standing(verification, scenario.policy(), scenario.settings())?;
    let text = match standing {
        Standing::Incomplete if scenario.tree().part().is_some() => {
            let users = number::grouped(scenario.tree().user_count());
            sentence!("part of a tree: {users} of ? users")
        }
        _ => standing.text(),
    };
    Some(match standing {
        Standing::Incomplete | Standing::Stale(_) => (sentence!("  {text}"), theme.warning),
        Standing::Differing(_) => (sentence!("  × {text}"), theme.error),
        Standing::Verified(_) => (sentence!("  ✓ {text}"), theme.better),
    })
}

/// Returns the time of the last reading and the interval, or `None` for a source that is read only once.
fn reading_part(app: &App, session: &Session) -> Option<Part> {
    let pace = app.ui.pace(session.request());
    let is_reloading = app.ui.watch.asked.about() == Some(&app.ui.current);
    if pace.is_none() && !session.is_read_again() && !is_reloading {
        return None;
    }
    let read_at = session.source.read_at.iter();
    let mut words: Vec<Shown> = read_at.map(|time| sentence!("{time}")).collect();
    words.extend(pace.map(|seconds| sentence!("every {seconds} s")));
    let style = if session.is_stale {
        words.push("not read again".into());
        app.ui.theme.warning
    } else {
        Style::new()
    };
    if is_reloading {
        words.push("reading…".into());
    }
    Some((sentence!("  {}", words.join(" · ")), style))
}

pub(crate) fn draw_tabs(p: &mut Painter<'_>, session: &Session, area: Rect) {
    let theme = &p.ui.theme;
    let front = p.ui.front(Some(session));
    p.regions.tabs.clear();
    let mut rest = skip(area, 1);
    for (screen, name) in TABS {
        let is_open = front.open_tab() == Some(screen);
        let style = if is_open { theme.tab_open } else { theme.tab };
        let [place, behind] = p.put_key(rest, &p.ui.hint(screen), name, style);
        p.regions.tabs.push(place);
        rest = skip(behind, 2);
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
    rest = skip(rest, narrow(room.saturating_sub(cells_of(&parts))));
    for (text, style) in parts {
        rest = skip(p.put_cut(rest, &text, style), 2);
    }
}

/// Returns the cells that parts take, with the blanks behind each.
fn cells_of(parts: &[Part]) -> usize {
    parts.iter().map(|(text, _)| cells(text) + 2).sum()
}

/// Returns a place, from 1, among so many, as in `4,084 of 11,938`.
fn place_of(place: usize, count: usize) -> Shown {
    sentence!("{} of {}", number::grouped(place), number::grouped(count))
}

/// Returns what the rows of a screen show. The usual order is left out where there is no room for it.
fn state_of_rows(ui: &Ui, session: &Session, screen: Screen, room: usize) -> Vec<Part> {
    let theme = &ui.theme;
    let outline = &session.pane().outline;
    let mut parts = Vec::new();
    if let Some(search) = &session.search {
        let found = search.found.len();
        let place = search.place(session.selected());
        let place = place.map_or_else(|| number::grouped(found), |place| place_of(place, found));
        let similar = if search.is_fuzzy { " similar" } else { "" };
        let text = shown(search.text.as_bytes());
        parts.push((sentence!("/{text} {place}{similar}"), theme.found));
    }
    let marked = session.marked_count();
    if marked > 0 {
        let count = number::grouped(marked);
        parts.push((sentence!("● {count} marked"), theme.key));
    }
    if outline.filter() != Filter::All {
        let filter = outline.filter().name();
        parts.push((sentence!("only {filter}"), theme.edited));
    }
    if session.is_behind() {
        parts.push(("computing…".into(), theme.warning));
    } else if screen == Screen::Policies && !session.is_compared() {
        parts.push(("comparing…".into(), theme.warning));
    }
    let usual = match screen {
        Screen::Tree | Screen::Time => "tree order",
        Screen::Ranking => "by rank",
        Screen::Policies => "by spread",
    };
    if let Some(sort) = outline.sort() {
        parts.push((sentence!("by {}", sort.title()), theme.dim));
    }
    // In the large layout, the pressed keys have this room.
    if ui.presenter.is_some() {
        return parts;
    }
    let rows = outline.rows().len();
    let place = place_of((session.pane().cursor + 1).min(rows), rows);
    let before = parts.len();
    parts.push((place, theme.dim));
    let usual = (Shown::from(usual), theme.dim);
    if outline.sort().is_none() && cells_of(&parts) + cells(&usual.0) + 2 <= room {
        parts.insert(before, usual);
    }
    parts
}

/// Returns the last keys that fit into so many cells, and what the newest does if that fits, too.
fn pressed(theme: &Theme, keys: &[PressedKey], room: usize) -> Vec<Part> {
    let Some(newest) = keys.last() else {
        return Vec::new();
    };
    let name = |key: &PressedKey| match key.count {
        1 => key.name.clone(),
        count => sentence!("{} ×{count}", key.name),
    };
    let with_help = sentence!("{} {}", name(newest), newest.help);
    let newest = if !newest.help.is_empty() && cells(&with_help) + 2 <= room {
        with_help
    } else {
        name(newest)
    };
    let mut left = room.saturating_sub(cells(&newest) + 2);
    let older = keys.iter().rev().skip(1).map_while(|key| {
        let name = name(key);
        left = left.checked_sub(cells(&name) + 2)?;
        Some((name, theme.dim))
    });
    let mut parts: Vec<Part> = older.collect();
    parts.reverse();
    parts.push((newest, theme.key));
    parts
}
