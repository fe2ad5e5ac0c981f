//! Tables from which everything else is derived: an enum whose variants have a name and a line of help.

/// Defines an enum from rows of `Variant, "name", "help";`. The help is also the documentation. A last row
/// `..Variant(Table), "documentation";` takes in the rows of another table.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident {
            $($(#[$row_meta:meta])* $variant:ident, $name:literal, $help:literal;)*
            $(..$Rest:ident($Table:ty), $rest_help:literal;)?
        }
    ) => {
        $(#[$meta])*
        $vis enum $Name {
            $(#[doc = $help] $(#[$row_meta])* $variant,)*
            $(#[doc = $rest_help] $Rest($Table),)?
        }

        impl $Name {
            /// The rows of the table, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name: on the command line, in files, in JSON and on the screen.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    $(Self::$Rest(row) => <$Table>::name(row),)?
                }
            }

            /// Returns its help, in one line.
            pub const fn help(self) -> &'static str {
                match self {
                    $(Self::$variant => $help,)*
                    $(Self::$Rest(row) => <$Table>::help(row),)?
                }
            }

            /// Returns the row of that name, or `None` if there is none.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|row| row.name() == name)
            }
        }
    };
}

pub(crate) use table;
