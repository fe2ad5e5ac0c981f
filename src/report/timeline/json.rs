//! A timeline as JSON: the moments, and for each node one list a number, `null` where the node is not there.

use crate::analysis::diff::Pair;
use crate::analysis::timeline::{Moment, Point, Step, Timeline, Track};
use crate::base::number::Value;
use crate::model::Shares;
use crate::report::View;
use crate::report::json::{self, Json, Layout};
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, timeline: &Timeline, tracks: &[Track]) -> io::Result<()> {
    let mut json = Json::new(out);
    json::open(&mut json, &View::of(&timeline.newest, &timeline.problems))?;
    json.key("pace_seconds")?;
    json.count(timeline.pace)?;
    json.key("moments")?;
    json.array(Layout::Lines)?;
    for moment in &timeline.moments {
        write_moment(&mut json, moment)?;
    }
    json.close()?;
    json.key("nodes")?;
    json.array(Layout::Lines)?;
    for track in tracks {
        write_track(&mut json, track)?;
    }
    json.close()?;
    json::problems(&mut json, "problems", timeline.problems.list())?;
    json.close()
}

fn write_moment(json: &mut Json<'_>, moment: &Moment) -> io::Result<()> {
    json.object(Layout::Inline)?;
    json.key("when")?;
    json.string(&moment.dump.when())?;
    json.key("at")?;
    json.text(json::rfc3339(moment.dump.at).as_deref())?;
    json.key("file")?;
    json.string(&crate::source::format::input::name(&moment.dump.path))?;
    json.key("nodes")?;
    json.raw(moment.nodes)?;
    json.key("users")?;
    json.raw(moment.users)?;
    json.key("usage")?;
    number(json, moment.usage)?;
    json.key("problems")?;
    json.raw(moment.problems)?;
    json.key("missing_before")?;
    json.raw(moment.missing)?;
    json.key("changes")?;
    match &moment.step {
        Some(step) => write_step(json, step)?,
        None => json.raw("null")?,
    }
    json.close()
}

fn write_step(json: &mut Json<'_>, step: &Step) -> io::Result<()> {
    json.object(Layout::Inline)?;
    for (key, count) in [
        ("added", step.added),
        ("removed", step.removed),
        ("moved", step.moved),
        ("ranks", step.ranks),
        ("diluted", step.diluted),
        ("shares_changed", step.shares_count),
    ] {
        json.key(key)?;
        json.raw(count)?;
    }
    json.key("dilution")?;
    json.double(step.dilution)?;
    json.key("shares")?;
    json.array(Layout::Inline)?;
    for change in &step.shares {
        json.object(Layout::Inline)?;
        json.key("path")?;
        json.text(change.path.as_deref())?;
        pair(json, change.shares, shares)?;
        json.close()?;
    }
    json.close()?;
    json.key("settings")?;
    json.array(Layout::Inline)?;
    for setting in &step.settings {
        json.object(Layout::Inline)?;
        json.key("key")?;
        json.string(setting.key)?;
        let Pair { before, after } = &setting.values;
        pair(json, Pair { before, after }, |json, text| json.string(text))?;
        json.close()?;
    }
    json.close()?;
    json.key("furthest")?;
    match &step.furthest {
        Some((path, ranks)) => {
            json.object(Layout::Inline)?;
            json.key("path")?;
            json.string(path)?;
            pair(json, *ranks, |json, rank| json.count(Some(rank)))?;
            json.close()?;
        }
        None => json.raw("null")?,
    }
    json.close()
}

fn pair<T>(
    json: &mut Json<'_>,
    pair: Pair<T>,
    mut put: impl FnMut(&mut Json<'_>, T) -> io::Result<()>,
) -> io::Result<()> {
    json.key("before")?;
    put(json, pair.before)?;
    json.key("after")?;
    put(json, pair.after)
}

fn shares(json: &mut Json<'_>, shares: Shares) -> io::Result<()> {
    json.value(shares.count().map_or(Value::Parent, Value::Count))
}

fn number(json: &mut Json<'_>, number: Option<f64>) -> io::Result<()> {
    json.value(number.map_or(Value::Null, Value::Double))
}

fn write_track(json: &mut Json<'_>, track: &Track) -> io::Result<()> {
    json.object(Layout::Inline)?;
    json.key("path")?;
    json.string(&track.path)?;
    json.key("kind")?;
    json.string(track.kind.name())?;
    list(json, "shares", track, |json, point| {
        shares(json, point.shares)
    })?;
    list(json, "target", track, |json, point| {
        number(json, point.target)
    })?;
    list(json, "usage", track, |json, point| {
        number(json, point.usage)
    })?;
    list(json, "factor", track, |json, point| {
        json.value(point.factor)
    })?;
    list(json, "rank", track, |json, point| json.count(point.rank))?;
    json.close()
}

/// One number of a node at every moment.
fn list(
    json: &mut Json<'_>,
    key: &str,
    track: &Track,
    mut put: impl FnMut(&mut Json<'_>, &Point) -> io::Result<()>,
) -> io::Result<()> {
    json.key(key)?;
    json.array(Layout::Inline)?;
    for point in &track.points {
        match point {
            Some(point) => put(json, point)?,
            None => json.raw("null")?,
        }
    }
    json.close()
}
