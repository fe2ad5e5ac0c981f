//! The first line: the open source, its scheduler, the policy and the state of its numbers.

use crate::base::number;
use crate::base::shown::{Shown, cells, cut, sentence, shown};
use crate::format::Severity;
use crate::model::{NodeId, Scheduler};
use crate::report::dump::Standing;
use crate::report::{View, dump, order};
use crate::rules::policy::ColumnId;
use crate::tui::state::app::App;
use crate::tui::state::scenarios::title;
use crate::tui::state::session::Session;
use crate::tui::time::axis::moment;
use crate::tui::widget::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws the first line: the program, the source, the policy, the totals and the edits.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let theme = &app.ui.theme;
    buffer.set_style(area, theme.bar);
    let on_bar = |style: Style| theme.bar.patch(style);
    let Some(session) = app.session() else {
        let room = usize::from(area.width);
        buffer.set_stringn(area.x, area.y, " fairscope", room, on_bar(theme.title));
        return;
    };
    let scenario = &session.scenario;
    let source = &scenario.base().source;
    let title = app.ui.spelled(shown(source.title.as_bytes()));
    let mut parts = Vec::new();
    let done = scenario.history().done().iter();
    let edits = done.filter(|entry| entry.waited().is_none()).count();
    if edits > 0 {
        let unsaved = if session.has_unsaved_edits() {
            " ●"
        } else {
            ""
        };
        let text = sentence!("  {}{unsaved}", number::counted(edits, "edit", "edits"));
        parts.push((text, on_bar(theme.edited)));
    }
    let passed = scenario.settings().time.passed;
    if passed > 0 {
        let day = sentence!("  {}", moment(passed));
        parts.push((day, on_bar(theme.edited)));
    }
    let of_order = |severity| order_part(session, severity);
    let warned = of_order(Severity::Warning);
    parts.extend(warned.map(|text| (text, on_bar(theme.warning))));
    let name = scenario_part(session);
    parts.extend(name.map(|text| (app.ui.spelled(text), on_bar(theme.edited))));
    let verified = verified_part(session, theme);
    parts.extend(verified.map(|(text, style)| (text, on_bar(style))));
    parts.extend(reading_part(app, session));
    parts.extend(series_part(session, theme.bar));
    parts.extend(of_order(Severity::Note).map(|text| (text, theme.bar)));
    let others: usize = parts.iter().map(|(text, _)| cells(text)).sum();
    let room = usize::from(area.width).saturating_sub(cells(&title).min(FEWEST_TITLE) + 1);
    // The version and the cluster are shortened before the state of the numbers.
    let full = app.ui.spelled(origin(session));
    let other = other_policy(session);
    // The short form omits the word for policy.
    let short = other.as_deref().map(dump::headline_with);
    let shortest = other.unwrap_or_else(|| scenario.policy().title().into());
    let short = short.unwrap_or_else(|| shortest.clone());
    let texts = [&full, &short, &shortest];
    let fits = |text: &&&Shown| cells(text) + 2 + others <= room;
    let origin = sentence!("  {}", texts.iter().find(fits).unwrap_or(&&shortest));
    let needed = cells(&origin) + others;
    parts.insert(0, (origin, theme.bar));
    if app.sessions.len() > 1 {
        parts.push((
            sentence!("  tree {} of {}", app.ui.current + 1, app.sessions.len()),
            theme.bar,
        ));
    }
    let problems = session.source.problems.count();
    if problems > 0 {
        let text = sentence!("  {}", number::counted(problems, "problem", "problems"));
        parts.push((text, on_bar(theme.warning)));
    }
    let usage = number::cell(
        scenario.value(ColumnId::Usage, NodeId::ROOT),
        ColumnId::Usage.unit(),
    );
    let unit = if source.usage_unit.is_empty() {
        Shown::default()
    } else {
        sentence!(" {}", shown(source.usage_unit.as_bytes()))
    };
    parts.push((sentence!("  usage {usage}{unit}"), theme.bar));
    let users = number::counted(scenario.tree().user_count(), "user", "users");
    let nodes = number::counted(scenario.tree().node_count(), "node", "nodes");
    parts.push((sentence!("  {users} in {nodes}"), theme.bar));
    let mut area = area;
    let mut put = |text: &str, style: Style| {
        let (x, _) = buffer.set_stringn(area.x, area.y, text, usize::from(area.width), style);
        area.width -= x - area.x;
        area.x = x;
        usize::from(area.width)
    };
    let room = put(" ", theme.bar);
    // The name of the program is the least important, so it is omitted first.
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

/// The name of the program before the source.
const PROGRAM: &str = "fairscope  ";

/// The most cells of a scenario's name.
const LONGEST_NAME: usize = 24;

/// The fewest cells of the source's title.
const FEWEST_TITLE: usize = 24;

/// Returns the current policy and the policy of the dump, or `None` if they are the same.
fn other_policy(session: &Session) -> Option<Shown> {
    let scenario = &session.scenario;
    dump::beside(
        &session.source.verification,
        scenario.policy(),
        scenario.settings(),
    )
}

/// Returns the scheduler or format and the policy: `Slurm 24.11.5 on linux · Fair Tree`.
fn origin(session: &Session) -> Shown {
    let source = &session.scenario.base().source;
    let settings = session.scenario.settings();
    let policy = session.scenario.policy();
    let scheduler = settings.scheduler.map(Scheduler::title);
    let settings = session.scenario.settings();
    let version = shown(source.version.as_bytes());
    let named = scheduler.filter(|_| !version.is_empty());
    let mut text = named.map_or_else(
        || Shown::from(source.format.name()),
        |scheduler| sentence!("{scheduler} {version}"),
    );
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

/// Returns a short remark about PBS's order, or `None` if there is none.
fn order_part(session: &Session, severity: Severity) -> Option<Shown> {
    let view = View::of(&session.scenario, &session.source.problems);
    let remarks = order::quick(&view).into_iter();
    let remarks = remarks.filter(|remark| remark.severity == severity);
    let shorts: Vec<Shown> = remarks.map(|remark| remark.short).collect();
    (!shorts.is_empty()).then(|| sentence!("  {}", shorts.join(" · ")))
}

/// Returns the current scenario if there are several, and its reference if that is not the snapshot.
fn scenario_part(session: &Session) -> Option<Shown> {
    let other_scenarios = &session.other_scenarios;
    if other_scenarios.count() == 1 {
        return None;
    }
    let name = title(&session.scenario);
    let place = sentence!(
        "{}/{}",
        other_scenarios.place() + 1,
        other_scenarios.count()
    );
    let against = session.scenario.compared().map(|compared| {
        let compared = shown(compared.as_bytes());
        sentence!(" against {}", cut(&compared, LONGEST_NAME))
    });
    Some(sentence!(
        "  {} {place}{}",
        cut(&name, LONGEST_NAME),
        against.unwrap_or_default()
    ))
}

/// Returns whether the scheduler's own numbers equal the computed ones, or `None` if that is shown elsewhere or
/// unknown.
fn verified_part(session: &Session, theme: &Theme) -> Option<(Shown, Style)> {
    let scenario = &session.scenario;
    let standing = dump::standing(
        &session.source.verification,
        scenario.policy(),
        scenario.settings(),
    )?;
    let text = standing.text();
    Some(match standing {
        Standing::Incomplete | Standing::Stale(_) => (sentence!("  {text}"), theme.warning),
        Standing::Differing(_) => (sentence!("  × {text}"), theme.error),
        Standing::Verified(_) => (sentence!("  ✓ {text}"), theme.better),
    })
}

/// Returns the place of the dump in its series and its time, or `None` without a series.
fn series_part(session: &Session, bar: Style) -> Option<(Shown, Style)> {
    let series = session.source.series.as_ref()?;
    let text = sentence!(
        "  {} · dump {} of {}",
        series.current().when(),
        series.place() + 1,
        series.dumps().len()
    );
    Some((text, bar))
}

/// Returns the time of the last reading and the interval, or `None` for a source that is read only once.
fn reading_part(app: &App, session: &Session) -> Option<(Shown, Style)> {
    let pace = app.ui.pace(session.request());
    if pace.is_none() && !session.is_read_again() && !app.ui.is_reloading() {
        return None;
    }
    let (theme, bar) = (&app.ui.theme, app.ui.theme.bar);
    let read_at = session.source.read_at.iter();
    let mut words: Vec<Shown> = read_at.map(|time| sentence!("{time}")).collect();
    words.extend(pace.map(|seconds| sentence!("every {seconds} s")));
    let style = if session.source.is_stale {
        words.push("not read again".into());
        bar.patch(theme.warning)
    } else {
        bar
    };
    if app.ui.is_reloading() {
        words.push("reading…".into());
    }
    Some((sentence!("  {}", words.join(" · ")), style))
}
