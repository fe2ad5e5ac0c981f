//! The first line: what is open, whose tree it is, which policy is in force, and what is to be known about its numbers.

use super::app::App;
use super::scenarios;
use super::session::Session;
use super::theme::Theme;
use crate::model::{NodeId, Scheduler};
use crate::number;
use crate::policy::ColumnId;
use crate::shown::{cells, cut, shown};
use crate::verify::ColumnCheck;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The first line: the program, the source, the policy, totals, edits.
pub(super) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.theme;
    buffer.set_style(area, theme.bar);
    let on_bar = |style: Style| theme.bar.patch(style);
    let Some(session) = app.session() else {
        let room = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, " fairscope", room, on_bar(theme.title));
        return;
    };
    let scenario = &session.scenario;
    let source = &scenario.base().source;
    let title = app.spelled(shown(source.title.as_bytes()));
    let mut parts = Vec::new();
    let edits = scenario.history().done().len();
    if edits > 0 {
        let unsaved = if session.has_unsaved_edits() {
            " ●"
        } else {
            ""
        };
        let text = format!("  {}{unsaved}", number::counted(edits, "edit", "edits"));
        parts.push((text, on_bar(theme.edited)));
    }
    let name = scenario_part(session);
    parts.extend(name.map(|text| (app.spelled(text), on_bar(theme.edited))));
    let verified = verified_part(session, theme);
    parts.extend(verified.map(|(text, style)| (text, on_bar(style))));
    parts.extend(reading_part(app, session));
    parts.extend(series_part(session, theme.bar));
    let others: usize = parts.iter().map(|(text, _)| cells(text)).sum();
    let room = usize::from(area.width).saturating_sub(cells(&title).min(FEWEST_TITLE) + 1);
    // Which version and cluster it is gives way to what is to be known about it now.
    let full = format!("  {}", app.spelled(origin(session)));
    let origin = if cells(&full) + others <= room {
        full
    } else {
        format!("  {}", scenario.policy().title())
    };
    let needed = cells(&origin) + others;
    parts.insert(0, (origin, theme.bar));
    if app.sessions.len() > 1 {
        parts.push((
            format!("  tree {} of {}", app.current + 1, app.sessions.len()),
            theme.bar,
        ));
    }
    let problems = session.problems.count();
    if problems > 0 {
        let text = format!("  {}", number::counted(problems, "problem", "problems"));
        parts.push((text, on_bar(theme.warning)));
    }
    let usage = number::cell(
        scenario.value(ColumnId::Usage, NodeId::ROOT),
        ColumnId::Usage.unit(),
    );
    let unit = if source.usage_unit.is_empty() {
        String::new()
    } else {
        format!(" {}", shown(source.usage_unit.as_bytes()))
    };
    parts.push((format!("  usage {usage}{unit}"), theme.bar));
    let users = number::counted(scenario.tree().user_count(), "user", "users");
    let nodes = number::counted(scenario.tree().node_count(), "node", "nodes");
    parts.push((format!("  {users} in {nodes}"), theme.bar));
    let mut area = area;
    let mut put = |text: &str, style: Style| {
        let (x, _) = buffer.set_stringn(area.x, area.y, text, usize::from(area.width), style);
        area.width -= x - area.x;
        area.x = x;
        usize::from(area.width)
    };
    let room = put(" ", theme.bar);
    // Who runs it knows what it is called; what is open and what holds for it come first.
    let has_room = cells(PROGRAM) + cells(&title) + needed <= room;
    let room = if has_room {
        put(PROGRAM, theme.bar)
    } else {
        room
    };
    let room = room.saturating_sub(needed).max(FEWEST_TITLE);
    put(&cut(&title, room), on_bar(theme.title));
    for (place, (text, style)) in parts.iter().enumerate() {
        let room = usize::from(area.width);
        if place > 0 && cells(text) > room {
            return;
        }
        let (x, _) = buffer.set_stringn(area.x, area.y, cut(text, room), room, *style);
        area.width -= x - area.x;
        area.x = x;
    }
}

/// The program's name before what is open.
const PROGRAM: &str = "fairscope  ";

/// The cells that the name of a scenario has at most.
const LONGEST_NAME: usize = 24;

/// The cells that what is open has in any case.
const FEWEST_TITLE: usize = 24;

/// Which scheduler or format it is of, and which policy is in force: `Slurm 24.11.5 on linux · Fair Tree`.
fn origin(session: &Session) -> String {
    let source = &session.scenario.base().source;
    let scheduler = session.scenario.base().settings.scheduler.map(word);
    let policy = session.scenario.policy().title();
    let version = shown(source.version.as_bytes());
    let named = scheduler.filter(|_| !version.is_empty());
    let mut text = named.map_or_else(
        || source.format.to_owned(),
        |scheduler| format!("{scheduler} {version}"),
    );
    if !source.cluster.is_empty() {
        text.push_str(" on ");
        text.push_str(&shown(source.cluster.as_bytes()));
    }
    // The scheduler's name stands there already.
    let rule = named.and_then(|scheduler| policy.strip_prefix(scheduler));
    let rule = rule.map_or(policy, str::trim_start);
    format!("{text} · {rule}")
}

/// What a scheduler is called, as titles of policies begin.
const fn word(scheduler: Scheduler) -> &'static str {
    match scheduler {
        Scheduler::Pbs => "PBS",
        Scheduler::Slurm => "Slurm",
        Scheduler::Flux => "Flux",
    }
}

/// Which scenario is in front, where there are several, and what it is held against where that is not the snapshot.
fn scenario_part(session: &Session) -> Option<String> {
    let shelf = &session.shelf;
    if shelf.count() == 1 {
        return None;
    }
    let name = scenarios::title(&session.scenario);
    let place = format!("{}/{}", shelf.place() + 1, shelf.count());
    let against = session.scenario.rival().map(|rival| {
        let rival = shown(rival.as_bytes());
        format!(" against {}", cut(&rival, LONGEST_NAME))
    });
    Some(format!(
        "  {} {place}{}",
        cut(&name, LONGEST_NAME),
        against.unwrap_or_default()
    ))
}

/// Whether the scheduler's own numbers are what we compute.
fn verified_part(session: &Session, theme: &Theme) -> Option<(String, Style)> {
    let verification = &session.verification;
    if verification.policy != Some(session.scenario.policy()) {
        // Another policy need not give what the scheduler recorded.
        return None;
    }
    if verification.unverified.is_some() {
        return Some(("  incomplete".to_owned(), theme.warning));
    }
    if verification.stale.is_some() {
        return Some(("  stale columns".to_owned(), theme.warning));
    }
    let column = verification.main_column()?;
    let count = |rows: usize| number::grouped(i64::try_from(rows).unwrap_or(i64::MAX));
    let differing = verification
        .columns
        .iter()
        .map(ColumnCheck::differing)
        .max();
    if let Some(rows) = differing.filter(|&rows| rows > 0) {
        let rows = number::counted(rows, "row differs", "rows differ");
        return Some((format!("  × {rows}"), theme.error));
    }
    let mut text = format!(
        "  ✓ verified {}/{}",
        count(column.equal),
        count(column.rows)
    );
    if column.undecided > 0 {
        text.push_str(", ");
        text.push_str(&count(column.undecided));
        text.push_str(" undecided");
    }
    Some((text, theme.better))
}

/// Which dump of a series it is, and of when.
fn series_part(session: &Session, bar: Style) -> Option<(String, Style)> {
    let series = session.series.as_ref()?;
    let text = format!(
        "  {} · dump {} of {}",
        series.current().when(),
        series.place() + 1,
        series.dumps().len()
    );
    Some((text, bar))
}

/// When the source was read and when it will be read again, for one that is not read once only.
fn reading_part(app: &App, session: &Session) -> Option<(String, Style)> {
    let pace = app.pace(session);
    if pace.is_none() && !session.is_read_again() && !app.is_reloading() {
        return None;
    }
    let (theme, bar) = (&app.theme, app.theme.bar);
    let mut words: Vec<String> = session.read_at.iter().cloned().collect();
    words.extend(pace.map(|seconds| format!("every {seconds} s")));
    let style = if session.is_stale {
        words.push("not read again".to_owned());
        bar.patch(theme.warning)
    } else {
        bar
    };
    if app.is_reloading() {
        words.push("reading…".to_owned());
    }
    Some((format!("  {}", words.join(" · ")), style))
}
