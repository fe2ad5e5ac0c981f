//! Reading a source again: on a key, or every so many seconds. One reading is under way at a time, edits stay on top,
//! and what cannot be read leaves the screen as it is.
//!
//! The time between two readings is waited for by a thread that sleeps, so the explorer wakes only for it. All that
//! takes long is done on the thread that reads: applying the edits again, the numbers, and who moved where.

use super::{Action, App, Effect, Message, Session};
use crate::analysis::diff::counterparts;
use crate::base::number::counted;
use crate::model::{NodeId, Tree};
use crate::rules::policy::Policy;
use crate::scenario::{Scenario, Shelf};
use crate::source::format::{Loaded, Request, Series, is_example};
use crate::source::opened::{Opened, saved};

/// The fewest seconds between two questions to a scheduler, which has other things to do.
pub const LEAST_LIVE_PACE: u32 = 10;

/// A source to be read again. Its clones are cheap: they share every column.
#[derive(Clone, Debug)]
pub struct Reloading {
    number: u64,
    request: Request,
    /// The series of which it is one, with this one open.
    series: Option<Series>,
    /// What is on the screen, edits included.
    before: Box<Scenario>,
    /// The scenarios beside it.
    shelf: Shelf,
    /// How often edits had changed by then.
    changes: u64,
}

impl PartialEq for Reloading {
    /// Numbers are given once, so the same number is the same question.
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Reloading {}

impl Reloading {
    /// What to open.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The number that the answer bears.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Makes an answer of what was loaded at a time of day: edits applied, numbers worked out, nodes found again.
    #[must_use]
    pub fn perform(self, loaded: Loaded, read_at: String) -> Message {
        let Self {
            number,
            request: _,
            series,
            before,
            shelf,
            changes,
        } = self;
        let mut opened = opened(loaded, &before, &shelf);
        opened.read_at = Some(read_at);
        opened.series = series;
        let counterparts = counterparts(before.tree(), opened.scenario.tree());
        let moves = Moves::between(&before, &opened.scenario, &counterparts);
        opened.work_out();
        Message::Reloaded(Box::new(Reading {
            number,
            opened,
            counterparts,
            moves,
            changes,
        }))
    }
}

/// A source that was read again.
#[derive(Debug)]
pub struct Reading {
    number: u64,
    opened: Opened,
    /// By the number of a node on the screen: the same node now.
    counterparts: Vec<Option<NodeId>>,
    moves: Moves,
    changes: u64,
}

/// Who moved between two readings.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    policy: Policy,
    /// By the number of a node: the places that it, or the best user below it, gained or lost.
    places: Vec<i64>,
    /// How many users have another rank.
    users: usize,
}

impl Moves {
    fn between(before: &Scenario, after: &Scenario, counterparts: &[Option<NodeId>]) -> Self {
        let tree = &after.base().tree;
        let (old, new) = (before.baseline(), after.baseline());
        let (old_best, new_best) = (old.best_ranks(), new.best_ranks());
        let mut places = vec![0; tree.id_count()];
        let mut users = 0;
        for &node in before.base().tree.nodes() {
            let Some(counterpart) = counterparts[node.index()] else {
                continue;
            };
            let (Some(was), Some(is)) = (old.position(node), new.position(counterpart)) else {
                continue;
            };
            let (was, is) = (old_best[was], new_best[is]);
            if was == is || was == 0 || is == 0 {
                continue;
            }
            places[counterpart.index()] = i64::from(was) - i64::from(is);
            users += usize::from(new.rank(counterpart).is_some());
        }
        Self {
            policy: before.policy(),
            places,
            users,
        }
    }
}

/// The scenarios on what was loaded since.
fn opened(mut loaded: Loaded, before: &Scenario, shelf: &Shelf) -> Opened {
    loaded.scenarios = shelf.all(before).map(saved).collect();
    loaded.front = shelf.place();
    let policy = (!before.is_following()).then(|| before.policy());
    let mut opened = Opened::new(loaded, policy);
    hold_against_again(&mut opened, before);
    opened
}

/// Holds the scenario in front against the one of the name that it was held against.
fn hold_against_again(opened: &mut Opened, before: &Scenario) {
    let rival = before.rival().and_then(|name| opened.shelf.named(name));
    opened.scenario.hold_against(rival);
}

/// How reading again stands.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The reading under way: its number and the place of its tree among the open ones.
    asked: Option<(u64, usize)>,
    /// Whether the user asked for it, and wants to hear of it in any case.
    is_wanted: bool,
    /// Whether the clock runs.
    is_waiting: bool,
    /// What came while a dialog was open, which must not lose its node.
    arrived: Option<(usize, Box<Reading>)>,
    /// The dump of the series that is being read, where it is another one than that on the screen.
    pub(super) aimed: Option<Series>,
    /// What is to be the first tree and could not be opened yet.
    pub(super) unopened: Option<Request>,
}

impl App {
    /// Whether the tree on the screen is being read again.
    pub(super) fn is_reloading(&self) -> bool {
        self.watch
            .asked
            .is_some_and(|(_, place)| place == self.current)
    }

    /// The seconds between two readings of a tree, if it is watched.
    pub(super) fn pace(&self, session: &Session) -> Option<u32> {
        self.pace_of(&session.reference.request)
    }

    fn pace_of(&self, request: &Request) -> Option<u32> {
        let seconds = self.options.watch?;
        let is_live = request.live.is_some();
        let least = if is_live { LEAST_LIVE_PACE } else { 1 };
        can_be_read_again(request).ok()?;
        Some(seconds.max(least))
    }

    /// Says why a source could not be opened; the first one is tried again when the time comes, if it is watched.
    pub(super) fn fail_to_load(&mut self, reason: String) -> Vec<Effect> {
        self.loading = None;
        let is_first = self.sessions.is_empty();
        let unopened = self.watch.unopened.as_ref().filter(|_| is_first);
        let Some(seconds) = unopened.and_then(|request| self.pace_of(request)) else {
            self.watch.unopened = None;
            return self.refuse_path(reason);
        };
        self.fail(format!("tried again every {seconds} s: {reason}"));
        self.wait()
    }

    /// Lets the clock run, unless it does, or nothing is watched.
    pub(super) fn wait(&mut self) -> Vec<Effect> {
        if self.watch.is_waiting || self.options.watch.is_none() {
            return Vec::new();
        }
        let unopened = self.watch.unopened.as_ref();
        let pace = match self.session() {
            Some(session) => self.pace(session),
            None => unopened.and_then(|request| self.pace_of(request)),
        };
        let Some(seconds) = pace.or(self.options.watch) else {
            return Vec::new();
        };
        self.watch.is_waiting = true;
        vec![Effect::Wait(seconds)]
    }

    /// The time has come to read again.
    pub(super) fn tick(&mut self) -> Vec<Effect> {
        self.watch.is_waiting = false;
        if self.sessions.is_empty() && self.loading.is_none() {
            let unopened = self.watch.unopened.clone();
            return unopened.map_or_else(Vec::new, |request| vec![self.open(request)]);
        }
        let is_watched = self
            .session()
            .is_some_and(|session| self.pace(session).is_some());
        let is_busy = self.loading.is_some() || self.watch.asked.is_some();
        if is_watched && !is_busy && self.watch.arrived.is_none() {
            return self.read_again();
        }
        self.wait()
    }

    /// Reads the tree on the screen again, because the user says so.
    pub(super) fn reload(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        if let Err(reason) = can_be_read_again(&session.reference.request) {
            return self.fail(reason);
        }
        if self.watch.asked.is_some() {
            return self.say("it is being read already");
        }
        if self.loading.is_some() {
            return self.say("something is being opened just now");
        }
        self.watch.is_wanted = true;
        self.read_again()
    }

    fn read_again(&mut self) -> Vec<Effect> {
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let (request, series) = (session.reference.request.clone(), session.series.clone());
        self.read_in_place(request, series)
    }

    /// Reads a source to be put in the place of the tree on the screen; what was being read before is given up.
    pub(super) fn read_in_place(
        &mut self,
        request: Request,
        series: Option<Series>,
    ) -> Vec<Effect> {
        let number = self.questions + 1;
        let place = self.current;
        let Some(session) = self.session() else {
            return Vec::new();
        };
        let reloading = Reloading {
            number,
            request,
            series,
            before: Box::new(session.meant().clone()),
            shelf: session.shelf.clone(),
            changes: session.changes,
        };
        self.questions = number;
        self.watch.asked = Some((number, place));
        vec![Effect::Reload(Box::new(reloading))]
    }

    /// Gives up the reading under way; says whether there was one.
    pub(super) fn stop_reading(&mut self) -> Option<Vec<Effect>> {
        self.watch.asked.take()?;
        self.watch.is_wanted = false;
        self.watch.aimed = None;
        self.say("reading again was stopped");
        let mut effects = vec![Effect::CancelReload];
        effects.extend(self.wait());
        Some(effects)
    }

    /// Takes an answer that is still waited for, to be shown once no dialog is open.
    pub(super) fn take_reading(&mut self, reading: Box<Reading>) -> Vec<Effect> {
        let is_asked = |&mut (number, _): &mut (u64, usize)| number == reading.number;
        let Some((_, place)) = self.watch.asked.take_if(is_asked) else {
            return Vec::new();
        };
        self.watch.arrived = Some((place, reading));
        self.wait()
    }

    /// Shows what was read again, unless a dialog is open.
    pub(super) fn show_reading(&mut self) -> Vec<Effect> {
        if self.dialog.is_some() {
            return Vec::new();
        }
        let Some((place, reading)) = self.watch.arrived.take() else {
            return Vec::new();
        };
        let is_wanted = std::mem::take(&mut self.watch.is_wanted);
        let Some(session) = self.sessions.get_mut(place) else {
            return Vec::new();
        };
        let before = session.scenario.tree().clone();
        let since = session.read_at.clone();
        let moved = reading.moves.users;
        let way = stepped(session, &reading);
        self.watch.aimed = None;
        let lost = session.take_up(*reading);
        let since = since.map_or_else(String::new, |time| format!(" since {time}"));
        if lost > 0 {
            let key = self.keymap.hint(Action::Problems);
            let edits = counted(
                lost,
                "edit no longer fits and is",
                "edits no longer fit and are",
            );
            self.fail(format!(
                "{edits} not applied, but kept: {key} lists what was odd"
            ));
        } else if let Some(way) = way {
            self.say(format!("{} moved {way}", counted(moved, "user", "users")));
        } else if moved > 0 {
            self.say(format!("{} moved{since}", counted(moved, "user", "users")));
        } else if is_wanted {
            self.say(format!("nobody moved{since}"));
        }
        if place == self.current {
            self.ask_page_again(&before)
        } else {
            Vec::new()
        }
    }

    /// Says why a source could not be read again; the screen stays.
    pub(super) fn fail_to_reload(&mut self, number: u64, reason: &str) -> Vec<Effect> {
        let is_asked = |&mut (asked, _): &mut (u64, usize)| asked == number;
        let Some((_, place)) = self.watch.asked.take_if(is_asked) else {
            return Vec::new();
        };
        self.watch.is_wanted = false;
        let is_other = self.watch.aimed.take().is_some();
        if let Some(session) = self.sessions.get_mut(place).filter(|_| !is_other) {
            session.is_stale = true;
        }
        self.fail(format!("not read again: {reason}"));
        self.wait()
    }
}

/// From which dump to which a reading goes, where it is another one of a series.
fn stepped(session: &Session, reading: &Reading) -> Option<String> {
    let (before, after) = (session.series.as_ref()?, reading.opened.series.as_ref()?);
    let (was, is) = (before.current(), after.current());
    (was != is).then(|| format!("from {} to {}", was.when(), is.when()))
}

/// Whether there is something to read a second time.
fn can_be_read_again(request: &Request) -> Result<(), &'static str> {
    if request.live.is_some() {
        Ok(())
    } else if is_example(&request.path) {
        Err("a built-in tree is always the same; open a file or a scheduler to read it again")
    } else if request.path.as_os_str() == "-" {
        Err("standard input can be read once only; open a file to read it again")
    } else {
        Ok(())
    }
}

impl Session {
    /// Puts a new reading in place of the old one, the user where they were; says how many edits no longer fit.
    fn take_up(&mut self, reading: Reading) -> usize {
        let Reading {
            number: _,
            opened,
            counterparts,
            moves,
            changes,
        } = reading;
        let mut opened = opened;
        let unfit = unfit_count(self.scenarios());
        let meant = self.meant();
        if changes != self.changes {
            // Edits changed while the source was read.
            let scenarios = self.scenarios().map(saved).collect();
            opened.replace_scenarios(scenarios, self.shelf.place());
            hold_against_again(&mut opened, meant);
        }
        opened.scenario.set_policy(meant.policy());
        let selected = counterpart(self.scenario.tree(), self.selected(), &counterparts);
        let lost = unfit_count(opened.shelf.all(&opened.scenario)).saturating_sub(unfit);
        self.adopt_reading(opened, &counterparts);
        self.moves = Some(moves);
        self.is_stale = false;
        self.select_again(selected);
        lost
    }

    /// The places a node gained or lost by the last reading; nothing while edits say more, or under another policy.
    pub(super) fn places_moved(&self, node: NodeId) -> Option<i64> {
        let scenario = &self.scenario;
        let moves = self.moves.as_ref().filter(|_| !scenario.is_compared())?;
        let places = moves.places.get(node.index()).copied()?;
        (moves.policy == scenario.policy()).then_some(places)
    }
}

/// How many edits scenarios keep that do not fit.
fn unfit_count<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> usize {
    scenarios.map(|scenario| scenario.unfit().len()).sum()
}

/// A node as it is now, or the nearest account above it that there still is.
fn counterpart(tree: &Tree, node: NodeId, counterparts: &[Option<NodeId>]) -> NodeId {
    let mut wanted = Some(node);
    while let Some(node) = wanted {
        if let Some(found) = counterparts.get(node.index()).copied().flatten() {
            return found;
        }
        wanted = tree.parent(node);
    }
    NodeId::ROOT
}
