//! Work in a page: it is done in slices, and between two of them the page draws and takes keys.
//!
//! A browser that can suspend a call of the module does so in [`pause`], and goes on with it after the page's turn. In
//! another browser the page waits until the work is done.

use crate::base::cores::at_each_rest;
use crate::tui::{HandedWork, Message, Now};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// The length of a slice in milliseconds, after which the page gets its turn.
const SLICE: f64 = 8.0;

#[wasm_bindgen]
extern "C" {
    /// Returns the milliseconds since the start.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn milliseconds() -> f64;

    /// Lets the page have its turn, where the browser can suspend the call that this happens in.
    fn pause();
}

thread_local! {
    /// When the running slice began; `None` while there is none, for what answers a key is not suspended.
    static SLICE_BEGAN: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Messages of work, which the explorer has not heard.
pub(super) type Told = Rc<RefCell<VecDeque<Message>>>;

/// Work that the explorer waits for.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PageWork {
    work: RefCell<Option<HandedWork>>,
    now: Now,
    told: Told,
}

impl PageWork {
    pub(super) fn new(work: HandedWork, now: Now, told: &Told) -> Self {
        Self {
            work: RefCell::new(Some(work)),
            now,
            told: Rc::clone(told),
        }
    }
}

#[wasm_bindgen]
impl PageWork {
    /// Does the work, which can be done once. Between slices the page may use the explorer, but begin no other work.
    pub fn perform(&self) {
        let Some(work) = self.work.take() else {
            return;
        };
        at_each_rest(end_slice);
        SLICE_BEGAN.set(Some(milliseconds()));
        work.perform(&self.now, &mut |message| tell(&self.told, message));
        SLICE_BEGAN.set(None);
    }
}

/// Keeps a message until the explorer hears it. Of progress only the newest counts.
fn tell(told: &Told, message: Message) {
    let mut told = told.borrow_mut();
    if let (Message::Progress(_), Some(Message::Progress(_))) = (&message, told.back()) {
        told.pop_back();
    }
    told.push_back(message);
}

/// Gives the page its turn if the slice was long enough.
fn end_slice() {
    let Some(began) = SLICE_BEGAN.get() else {
        return;
    };
    if milliseconds() - began < SLICE {
        return;
    }
    SLICE_BEGAN.set(None);
    pause();
    SLICE_BEGAN.set(Some(milliseconds()));
}
