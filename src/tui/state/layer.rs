//! What lies over what on the screen. This order alone says who gets a key, a turn of the wheel, a click and pasted text,
//! and whose line stands at the bottom; what each layer does with them is in `update::layers`.

use super::{App, Confirm, Dialog, Front, Help, Menu, Prefix, Prompt, Session, Ui};

/// A layer of the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layer<'a> {
    Prompt(&'a Prompt),
    Confirm(&'a Confirm),
    Menu(&'a Menu),
    Help(&'a Help),
    History,
    Prefix(&'a Prefix),
    /// The strip of a lesson. It takes only its own keys, and leaves all else to the layer below it.
    Lesson,
    /// The curves or the maps of the factor.
    Plot,
    /// A page or a screen, on which actions act.
    Front(Front<'a>),
}

impl<'a> Layer<'a> {
    /// Returns the layer of a dialog.
    const fn of(dialog: &'a Dialog) -> Self {
        match dialog {
            Dialog::Prompt(prompt) => Self::Prompt(prompt),
            Dialog::Confirm(question) => Self::Confirm(question),
            Dialog::Menu(menu) => Self::Menu(menu),
            Dialog::Help(help) => Self::Help(help),
            Dialog::History(_) => Self::History,
            Dialog::Curves | Dialog::Surface => Self::Plot,
        }
    }
    /// Returns whether it stands over the page or the screen and has to be left before anything else is done.
    pub(crate) const fn is_dialog(self) -> bool {
        match self {
            Self::Prompt(_)
            | Self::Confirm(_)
            | Self::Menu(_)
            | Self::Help(_)
            | Self::History
            | Self::Prefix(_)
            | Self::Plot => true,
            Self::Lesson | Self::Front(_) => false,
        }
    }

    /// Returns whether text can be typed in it: a line, or the filter of a list.
    pub(crate) const fn takes_text(self) -> bool {
        matches!(self, Self::Prompt(_) | Self::Menu(_) | Self::Help(_))
    }

    /// Returns whether the key that quits, a letter, leaves it: as long as nothing is typed into the filter of a list, unless
    /// that is how a line of it begins.
    pub(crate) fn is_left_by_quit(self, letter: char) -> bool {
        match self {
            Self::Help(help) => help.list.query.is_empty(),
            Self::Menu(menu) => menu.list.query.is_empty() && !menu.has_line_with(letter),
            Self::Prompt(_)
            | Self::Confirm(_)
            | Self::History
            | Self::Prefix(_)
            | Self::Lesson
            | Self::Plot
            | Self::Front(_) => false,
        }
    }

    /// Returns whether it takes the last line, so that a notice is not seen before it is left.
    pub(crate) const fn hides_notices(self) -> bool {
        matches!(self, Self::Prompt(_) | Self::Confirm(_))
    }

    /// Returns whether keys of the page or the screen are suggested while it is on top. Dialogs name their own.
    pub(crate) const fn suggests_keys(self) -> bool {
        matches!(self, Self::Prefix(_) | Self::Front(_))
    }

    /// Returns whether it shows the screen as it is, so that the clock may go on.
    pub(crate) const fn is_screen(self) -> bool {
        matches!(self, Self::Front(Front::Screen(_)))
    }
}

impl Ui {
    /// Returns the layers over a tree, from the top to the bottom. The last one is a screen, or nothing.
    fn layers<'a>(&'a self, session: Option<&'a Session>) -> Vec<Layer<'a>> {
        let mut layers = Vec::new();
        let dialog = self.dialog.as_ref().map(Layer::of);
        let is_plot = matches!(dialog, Some(Layer::Plot));
        if !is_plot {
            layers.extend(dialog);
        }
        if let Some(prefix) = &self.prefix {
            layers.push(Layer::Prefix(prefix));
        }
        if let Some(session) = session
            && session.played_lesson().is_some()
        {
            layers.push(Layer::Lesson);
        }
        if is_plot {
            layers.push(Layer::Plot);
        }
        let Some(session) = session else {
            layers.push(Layer::Front(Front::Nothing));
            return layers;
        };
        let below = session.screen;
        for open in self.manual.iter().chain(&self.page) {
            let page = Front::Page { below, open };
            layers.push(Layer::Front(page));
        }
        let screen = Front::Screen(below);
        layers.push(Layer::Front(screen));
        layers
    }

    /// Returns the layer on top. A lesson is none, because what it does not take goes to the layer below it.
    pub(crate) fn top<'a>(&'a self, session: Option<&'a Session>) -> Layer<'a> {
        for layer in self.layers(session) {
            if !matches!(layer, Layer::Lesson) {
                return layer;
            }
        }
        Layer::Front(Front::Nothing)
    }

    /// Returns the page or the screen on which actions act, whatever dialog stands over it.
    pub(crate) fn front<'a>(&'a self, session: Option<&'a Session>) -> Front<'a> {
        for layer in self.layers(session) {
            if let Layer::Front(front) = layer {
                return front;
            }
        }
        Front::Nothing
    }
}

impl App {
    /// Returns the layers of the screen, from the top to the bottom.
    pub(crate) fn layers(&self) -> Vec<Layer<'_>> {
        self.ui.layers(self.session())
    }

    /// Returns the layer on top, but for a lesson.
    pub(crate) fn top(&self) -> Layer<'_> {
        self.ui.top(self.session())
    }

    /// Returns the page or the screen on which actions act.
    pub(crate) fn front(&self) -> Front<'_> {
        self.ui.front(self.session())
    }
}
