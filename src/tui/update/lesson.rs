//! Playing a lesson: its steps, its questions, and what the reader does in between.

use crate::base::shown::{Shown, sentence, shown};
use crate::format::{Example, Request};
use crate::model::resolve;
use crate::open::example;
use crate::open::opened::Opened;
use crate::report::lesson::{Lesson, LessonGroup, Staged, TRAINING, Until, WhyView};
use crate::rules::policy::RuleColumn;
use crate::tui::input::action::Action;
use crate::tui::input::event::{KeyCode, KeyEvent, KeyModifiers};
use crate::tui::input::keymap::Key;
use crate::tui::state::{
    App, Choice, Dialog, Front, Item, Layer, LessonPlace, Memory, OpenLesson, parse_lesson,
};
use crate::tui::update::opening;
use std::path::Path;
use std::sync::Arc;

/// Returns a built-in lesson, or a sentence if there is none of that name.
pub fn built_in(name: &str) -> Result<Lesson, Shown> {
    let text = Lesson::text_of(name)?;
    let parsed = parse_lesson(&shown(name.as_bytes()), text, Path::new(""));
    parsed.map_err(|refused| Shown::joined(&refused, "; "))
}

/// Opens a built-in tree for a lesson.
fn training(built_in: Example) -> Opened {
    let mut opened = Opened::new(example(built_in), None);
    let request = &mut opened.source.reference.request;
    request.cluster = Some(TRAINING.to_owned());
    opened
}

impl App {
    /// Lists the lessons, and first the one that was left on this tree.
    pub(crate) fn list_lessons(&mut self) {
        let items = self.lesson_items();
        self.ui.show(Dialog::menu("Lessons", items, None));
        if self.ui.options.recent.is_some() {
            self.ui.queue(Memory::RecallFinished);
        }
    }

    /// Returns the lines of the list of lessons, by groups.
    fn lesson_items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        if let Some(lesson) = self.lesson()
            && lesson.place == LessonPlace::Left
        {
            let title = &lesson.staged.lesson.title;
            let step = lesson.step + 1;
            let help = sentence!("{title}: step {step} of {}", lesson.count());
            items.push(Item::new(Choice::ResumeLesson, "  go on", help));
        }
        for &group in LessonGroup::ALL {
            for name in Lesson::names_in(group) {
                if let Ok(lesson) = built_in(name) {
                    let listed = self.ui.finished.listed(name);
                    let mut item = Item::new(Choice::Lesson(name), listed, lesson.listed());
                    item.group = group.name().into();
                    items.push(item);
                }
            }
        }
        items
    }

    /// Takes in the lessons that were finished in earlier runs, also into the list that is open.
    pub(crate) fn recall_finished(&mut self, words: &[Vec<u8>]) {
        self.ui.finished.add_known(words);
        if let Some(Dialog::Menu(menu)) = &mut self.ui.dialog {
            for item in &mut menu.items {
                if let Choice::Lesson(name) = item.choice {
                    item.name = self.ui.finished.listed(name);
                }
            }
        }
    }

    /// Says once that finished lessons are not kept.
    pub(crate) fn tell_unkept(&mut self, reason: &Shown) {
        if !self.ui.finished.is_unkept {
            self.ui.finished.is_unkept = true;
            self.ui
                .fail(sentence!("{reason}; finished lessons are not kept"));
        }
    }

    /// Returns the lesson of the tree in front, also one that was left.
    fn lesson(&self) -> Option<&OpenLesson> {
        self.session()?.lesson.as_ref()
    }

    /// Returns the lesson of the tree in front, to change it.
    fn lesson_mut(&mut self) -> Option<&mut OpenLesson> {
        self.open_tree()?.0.lesson.as_mut()
    }

    /// Opens the tree of a lesson, on which the lesson is played once it is there.
    pub(crate) fn begin_lesson(&mut self, lesson: Arc<Lesson>) {
        self.close_dialog();
        self.ui.close_pages();
        let other = lesson.other.as_deref().cloned();
        let own = Request::to_open(&lesson.source);
        self.ui.lesson = Some(lesson);
        if let Some(other) = other {
            return opening::open(&mut self.ui, other);
        }
        let Some(built_in) = Example::of(&own) else {
            return opening::open(&mut self.ui, own);
        };
        self.show_loaded(training(built_in));
    }

    /// Plays a lesson on the tree in front.
    pub(crate) fn stage_lesson(&mut self, lesson: Arc<Lesson>) {
        let Some((session, ui)) = self.open_tree() else {
            return;
        };
        match Staged::new(lesson, &session.scenario) {
            Ok(staged) => {
                session.lesson = Some(OpenLesson::new(staged, session.source.clone()));
                self.go_to_step(0);
            }
            Err(reason) => ui.fail(sentence!("{reason}; the lesson does not fit this tree")),
        }
    }

    /// Goes on with the lesson that was left. The reader's own edits go on in another tree.
    pub(crate) fn resume_lesson(&mut self) {
        self.in_tree(|session, _| session.catch_up());
        let Some(session) = self.session() else {
            return;
        };
        let Some(lesson) = &session.lesson else {
            return;
        };
        let step = lesson.step;
        let mut own = None;
        if session.changes != lesson.changes {
            // The step has a tree of its own, so the reader's edits go on in another one.
            own = Some(session.clone());
        }
        self.go_to_step(step);
        if let Some(mut own) = own {
            own.lesson = None;
            own.forget_answers();
            self.sessions.push(own);
            let ui = &mut self.ui;
            let key = ui.hint(Action::NextTree);
            ui.say(sentence!("your edits are in another tree: {key} shows it"));
        }
    }

    /// Begins a step: with its question if it has one, and without what was done in another step.
    fn go_to_step(&mut self, step: usize) {
        self.ui.close_pages();
        self.close_dialog();
        if let Some(lesson) = self.lesson_mut() {
            lesson.step = step;
            lesson.chosen = None;
            lesson.place = LessonPlace::Step;
            lesson.is_done = false;
            lesson.done_with = None;
            lesson.is_revealed = lesson.stage().step.question.is_none();
            self.set_up();
        }
    }

    /// Shows the tree of the step as it is now: before its question is answered, or after.
    fn set_up(&mut self) {
        let Some(lesson) = self.lesson() else { return };
        let scenario = lesson.scenario().clone();
        let source = match lesson.staged.example(lesson.step) {
            Some(built_in) => training(built_in).source,
            None => lesson.source.clone(),
        };
        let view = lesson.staged.view(lesson.step);
        let is_revealed = lesson.is_revealed;
        let mut columns = None;
        if let Some(named) = view.columns
            && !named.is_empty()
        {
            columns = Some(named.into_iter().map(RuleColumn::current).collect());
        }
        self.in_tree(|session, _| {
            session.source = source;
            session.replace_scenario(|_, front| *front = scenario);
            session.marks.clear();
            session.search = None;
            session.columns.chosen = columns;
        });
        // A page is opened on the node that is selected before.
        self.act(Action::TreeScreen);
        self.in_tree(|session, _| {
            session.sort_by(None);
            if let Some((_, path)) = view.select
                && let Ok(node) = resolve(session.scenario.tree(), path.as_bytes())
            {
                session.select(node);
            }
        });
        let screen = view.screen.and_then(Action::named);
        self.act(screen.unwrap_or(Action::TreeScreen));
        self.in_tree(|session, _| {
            session.why = view.why.unwrap_or(WhyView::Shown);
        });
        if is_revealed {
            self.act_by_names(view.actions);
        }
        self.ui.notice = None;
        self.in_tree(|session, _| {
            if let Some(lesson) = &mut session.lesson {
                lesson.changes = session.changes;
            }
        });
    }

    /// Performs actions of these names on what is in front.
    fn act_by_names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            if let Some(action) = Action::named(name) {
                self.act_in_front(action);
            }
        }
    }

    /// Handles a key of a lesson: on, back, an answer, or leaving. Returns whether it is one.
    pub(crate) fn press_in_lesson(&mut self, event: KeyEvent) -> bool {
        let is_control = event.modifiers.contains(KeyModifiers::CONTROL);
        let Some(lesson) = self.lesson().filter(|_| !is_control) else {
            return false;
        };
        let mut answers = 0;
        if let Some(question) = lesson.open_question() {
            answers = question.answers.len();
        }
        let key = Key::of(event);
        match event.code {
            KeyCode::Enter if self.chooses_on_page() => return false,
            KeyCode::Char(' ') | KeyCode::PageDown | KeyCode::Enter => {
                self.show_key_as(None, key, "next");
                self.go_on();
            }
            KeyCode::Backspace | KeyCode::PageUp => {
                self.show_key_as(None, key, "back");
                self.go_back();
            }
            KeyCode::Char(digit @ '1'..='9') if answers > 0 => {
                let place = usize::from(digit as u8 - b'1');
                if place < answers {
                    self.show_key_as(None, key, "answer");
                    self.reveal(Some(place));
                } else {
                    self.ask_for_answer(answers);
                }
            }
            KeyCode::Esc if self.top().is_screen() => self.leave_lesson(),
            _ if answers > 0 && self.waits_for_answer(key) => self.ask_for_answer(answers),
            _ => return false,
        }
        true
    }

    /// Returns whether enter is for the page in front: it has something to choose.
    fn chooses_on_page(&self) -> bool {
        match self.top() {
            Layer::Front(Front::Page { open, .. }) => {
                open.topic().is_some() || open.is_choice_on_screen()
            }
            _ => false,
        }
    }

    /// Returns whether a key shows what would tell the answer to the open question.
    fn waits_for_answer(&self, key: Key) -> bool {
        let action = self.ui.action_of(None, key);
        matches!(action, Some(Action::Why | Action::Problems))
    }

    /// Says which keys answer the open question.
    fn ask_for_answer(&mut self, answers: usize) {
        self.ui.say(sentence!(
            "first your answer: 1 to {answers}, or space to see it"
        ));
    }

    /// Goes on: to the answer of the open question, to the next step, or out of the lesson behind the last one.
    fn go_on(&mut self) {
        let Some(lesson) = self.lesson() else { return };
        if lesson.place == LessonPlace::End {
            return self.begin_next_lesson();
        }
        if !lesson.is_revealed {
            return self.reveal(None);
        }
        let next = lesson.step + 1;
        if next < lesson.count() {
            return self.go_to_step(next);
        }
        self.finish_lesson();
    }

    /// Shows what the lesson comes to, and notes that it was finished.
    fn finish_lesson(&mut self) {
        self.ui.close_pages();
        self.close_dialog();
        let Some(lesson) = self.lesson_mut() else {
            return;
        };
        lesson.place = LessonPlace::End;
        if let Some(name) = lesson.staged.lesson.built_in_name() {
            self.ui.finished.add(name);
            if self.ui.options.recent.is_some() && !self.ui.finished.is_unkept {
                self.ui.queue(Memory::Finish(name));
            }
        }
    }

    /// Begins the lesson that teaches next; behind the last one, lists them all. The tree of a lesson that was only read
    /// closes.
    fn begin_next_lesson(&mut self) {
        let Some(session) = self.session() else {
            return;
        };
        let Some(lesson) = &session.lesson else {
            return;
        };
        let is_as_left = lesson.changes == session.changes;
        let next = lesson.staged.lesson.next();
        let place = self.ui.current;
        let Some(next) = next.and_then(|name| built_in(name).ok()) else {
            self.leave_lesson();
            return self.list_lessons();
        };
        if let Some(lesson) = self.lesson_mut() {
            lesson.place = LessonPlace::Left;
        }
        self.begin_lesson(Arc::new(next));
        if is_as_left && self.ui.current > place {
            self.sessions.remove(place);
            self.ui.current -= 1;
        }
    }

    /// Goes back to the question of the step, or to the step before.
    fn go_back(&mut self) {
        let Some(lesson) = self.lesson() else { return };
        let step = lesson.step;
        if lesson.place == LessonPlace::End {
            if let Some(lesson) = self.lesson_mut() {
                lesson.place = LessonPlace::Step;
            }
        } else if lesson.is_revealed && lesson.stage().step.question.is_some() {
            self.go_to_step(step);
        } else if step == 0 {
            self.ui.say("this is the first step");
        } else {
            self.go_to_step(step - 1);
            self.reveal(None);
        }
    }

    /// Shows the answer of the open question, and whether the chosen one is right; `None` if none was chosen.
    fn reveal(&mut self, chosen: Option<usize>) {
        if let Some(lesson) = self.lesson_mut().filter(|lesson| !lesson.is_revealed) {
            lesson.chosen = chosen;
            lesson.is_revealed = true;
            self.ui.dialog = None;
            self.set_up();
        }
    }

    /// Leaves the lesson, which can be gone on with.
    fn leave_lesson(&mut self) {
        self.ui.dialog = None;
        let Some(lesson) = self.lesson_mut() else {
            return;
        };
        lesson.place = LessonPlace::Left;
        let key = self.ui.hint(Action::Lessons);
        let said = sentence!("{key} goes on with the lesson, {}", self.way_back());
        self.ui.say(said);
    }

    /// Returns how to reach the tree that was open before the lesson, or that there was none.
    fn way_back(&self) -> Shown {
        match self.sessions.len() {
            1 => "and the tree is yours to play with".into(),
            _ => sentence!("{} shows the other tree", self.ui.hint(Action::NextTree)),
        }
    }

    /// Notes that an action was performed, for which a task may have waited.
    pub(crate) fn note_for_lesson(&mut self, action: Action) {
        if let Some(lesson) = self.lesson_mut()
            && let Some(Until::Action(name)) = lesson.until()
        {
            lesson.is_done |= *name == action.name();
        }
    }

    /// Looks whether the task of the step is done by now.
    pub(crate) fn follow_lesson(&mut self) {
        self.in_tree(|session, _| {
            let Some(mut lesson) = session.lesson.take() else {
                return;
            };
            let is_changed = session.changes != lesson.changes;
            let is_tried = session.scenario.trial().is_some();
            if !lesson.is_done && lesson.is_revealed && is_changed && !is_tried {
                let stage = lesson.stage();
                lesson.is_done = stage.with(session.latest()).is_done();
            }
            if let Some(Until::Selected(path)) = lesson.until()
                && let Ok(node) = resolve(session.scenario.tree(), path.as_bytes())
            {
                lesson.is_done |= node == session.selected();
            }
            if lesson.is_done && lesson.done_with.is_none() {
                lesson.done_with = Some(session.latest().clone());
            }
            session.lesson = Some(lesson);
        });
    }
}
