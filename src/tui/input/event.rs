//! What a reader does: a key, a use of the mouse, a paste. A terminal, a page and a script all give these.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub};

/// What a reader does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key is pressed, held or released.
    Key(KeyEvent),
    /// The mouse is used.
    Mouse(MouseEvent),
    /// A text is pasted.
    Paste(String),
}

/// A key, without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character.
    Char(char),
    /// A function key, by its number.
    F(u8),
    /// The key that removes the character before the cursor.
    Backspace,
    /// The key that ends a line.
    Enter,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow upwards.
    Up,
    /// The arrow downwards.
    Down,
    /// The key to the beginning.
    Home,
    /// The key to the end.
    End,
    /// The key a page upwards.
    PageUp,
    /// The key a page downwards.
    PageDown,
    /// The tabulator.
    Tab,
    /// The tabulator with shift.
    BackTab,
    /// The key that removes the character at the cursor.
    Delete,
    /// The key that changes between inserting and replacing.
    Insert,
    /// The key that leaves.
    Esc,
    /// The control key of the byte 0.
    Null,
}

/// The keys that are held while another one is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeyModifiers {
    /// A bit for each.
    bits: u8,
}

impl KeyModifiers {
    /// None.
    pub const NONE: Self = Self { bits: 0 };
    /// The shift key.
    pub const SHIFT: Self = Self { bits: 1 };
    /// The control key.
    pub const CONTROL: Self = Self { bits: 1 << 1 };
    /// The alt key.
    pub const ALT: Self = Self { bits: 1 << 2 };
    /// The key of the system: that with a logo.
    pub const SUPER: Self = Self { bits: 1 << 3 };
    /// The hyper key.
    pub const HYPER: Self = Self { bits: 1 << 4 };
    /// The meta key.
    pub const META: Self = Self { bits: 1 << 5 };

    /// Returns whether all of the others are among these.
    pub const fn contains(self, others: Self) -> bool {
        self.bits & others.bits == others.bits
    }

    /// Adds others.
    pub const fn insert(&mut self, others: Self) {
        self.bits |= others.bits;
    }

    /// Removes others.
    pub const fn remove(&mut self, others: Self) {
        self.bits &= !others.bits;
    }
}

impl BitAnd for KeyModifiers {
    type Output = Self;

    fn bitand(self, others: Self) -> Self {
        Self {
            bits: self.bits & others.bits,
        }
    }
}

impl BitOr for KeyModifiers {
    type Output = Self;

    fn bitor(mut self, others: Self) -> Self {
        self.insert(others);
        self
    }
}

impl BitOrAssign for KeyModifiers {
    fn bitor_assign(&mut self, others: Self) {
        self.insert(others);
    }
}

impl Sub for KeyModifiers {
    type Output = Self;

    fn sub(mut self, others: Self) -> Self {
        self.remove(others);
        self
    }
}

/// What happens to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyEventKind {
    /// It is pressed.
    Press,
    /// It is held.
    Repeat,
    /// It is released.
    Release,
}

/// A key with its modifiers, and what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyEvent {
    /// The key.
    pub code: KeyCode,
    /// The keys that are held with it.
    pub modifiers: KeyModifiers,
    /// What happens to it.
    pub kind: KeyEventKind,
}

impl KeyEvent {
    /// Returns a key that is pressed.
    pub const fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        Self::new_with_kind(code, modifiers, KeyEventKind::Press)
    }

    /// Returns a key to which something happens.
    pub const fn new_with_kind(code: KeyCode, modifiers: KeyModifiers, kind: KeyEventKind) -> Self {
        Self {
            code,
            modifiers,
            kind,
        }
    }
}

impl From<KeyCode> for KeyEvent {
    fn from(code: KeyCode) -> Self {
        Self::new(code, KeyModifiers::NONE)
    }
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MouseButton {
    /// The left one.
    Left,
    /// The right one.
    Right,
    /// The middle one.
    Middle,
}

/// What is done with the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MouseEventKind {
    /// A button is pressed.
    Down(MouseButton),
    /// A button is released.
    Up(MouseButton),
    /// The mouse is moved while a button is held.
    Drag(MouseButton),
    /// The mouse is moved.
    Moved,
    /// The wheel is turned downwards.
    ScrollDown,
    /// The wheel is turned upwards.
    ScrollUp,
    /// The wheel is pushed to the left.
    ScrollLeft,
    /// The wheel is pushed to the right.
    ScrollRight,
}

/// A use of the mouse, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MouseEvent {
    /// What is done.
    pub kind: MouseEventKind,
    /// The column, from 0.
    pub column: u16,
    /// The row, from 0.
    pub row: u16,
    /// The keys that are held with it.
    pub modifiers: KeyModifiers,
}
