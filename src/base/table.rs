//! One table, from which everything is derived: an enum whose variants have a name and a line of help.

/// Makes an enum of `Variant, "name", "help";` rows: the help is the documentation too.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $($(#[$row_meta:meta])* $variant:ident, $name:literal, $help:literal;)*
        }
    ) => {
        $(#[$meta])*
        $vis enum $Name {
            $(#[doc = $help] $(#[$row_meta])* $variant,)*
        }

        impl $Name {
            /// Everything in the table, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name: on the command line, in files, in JSON and on the screen.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns what it is, in one line.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)* }
            }

            /// Returns the row of that name.
            #[must_use]
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|row| row.name() == name)
            }
        }
    };
}

pub(crate) use table;
