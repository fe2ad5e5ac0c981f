//! How tightly the code is packed, room by room. Tokens a line and the forms below say whether a file can be read once
//! and understood; nobody counts lines. A limit is where its room stands: a change may lower it, and never raises it.

use super::{code, module};
use crate::support::source_files;
use proc_macro2::{TokenStream, TokenTree};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprMethodCall, FnArg, Local, Pat, PatIdent, Type, TypeArray};

/// How tightly a room is packed: tokens a line of code, and of each form, how many a thousand lines of code.
#[derive(Debug)]
struct Density {
    room: &'static str,
    tokens: f64,
    closures: f64,
    combinators: f64,
    rebindings: f64,
    pairs: f64,
    arrays: f64,
    named: f64,
    nameless: f64,
}

/// What each room holds at most.
const LIMITS: &[Density] = &[
    Density {
        room: "base",
        tokens: 8.31,
        closures: 9.9,
        combinators: 10.6,
        rebindings: 0.0,
        pairs: 0.0,
        arrays: 0.7,
        named: 0.4,
        nameless: 0.0,
    },
    Density {
        room: "model",
        tokens: 8.40,
        closures: 17.1,
        combinators: 7.5,
        rebindings: 1.3,
        pairs: 0.3,
        arrays: 0.8,
        named: 0.8,
        nameless: 0.0,
    },
    Density {
        room: "rules",
        tokens: 8.43,
        closures: 19.4,
        combinators: 16.0,
        rebindings: 0.9,
        pairs: 0.2,
        arrays: 0.9,
        named: 1.4,
        nameless: 0.0,
    },
    Density {
        room: "scenario",
        tokens: 8.39,
        closures: 11.1,
        combinators: 12.3,
        rebindings: 0.4,
        pairs: 0.0,
        arrays: 0.0,
        named: 0.4,
        nameless: 0.0,
    },
    Density {
        room: "format",
        tokens: 8.26,
        closures: 11.3,
        combinators: 11.5,
        rebindings: 1.8,
        pairs: 0.3,
        arrays: 0.3,
        named: 0.9,
        nameless: 0.0,
    },
    Density {
        room: "trust",
        tokens: 8.43,
        closures: 21.9,
        combinators: 11.7,
        rebindings: 0.8,
        pairs: 0.0,
        arrays: 0.0,
        named: 1.8,
        nameless: 0.0,
    },
    Density {
        room: "open",
        tokens: 8.46,
        closures: 17.6,
        combinators: 9.1,
        rebindings: 2.1,
        pairs: 0.0,
        arrays: 0.0,
        named: 2.1,
        nameless: 0.0,
    },
    Density {
        room: "analysis",
        tokens: 8.35,
        closures: 13.3,
        combinators: 9.9,
        rebindings: 0.3,
        pairs: 0.1,
        arrays: 0.5,
        named: 0.5,
        nameless: 0.0,
    },
    Density {
        room: "report",
        tokens: 8.38,
        closures: 12.1,
        combinators: 5.2,
        rebindings: 0.9,
        pairs: 0.1,
        arrays: 0.3,
        named: 0.3,
        nameless: 0.0,
    },
    Density {
        room: "tui",
        tokens: 8.94,
        closures: 11.3,
        combinators: 6.5,
        rebindings: 0.7,
        pairs: 0.0,
        arrays: 0.1,
        named: 0.2,
        nameless: 0.0,
    },
    Density {
        room: "web",
        tokens: 8.2,
        closures: 3.5,
        combinators: 11.8,
        rebindings: 1.7,
        pairs: 0.0,
        arrays: 0.0,
        named: 0.0,
        nameless: 0.0,
    },
    Density {
        room: "cli",
        tokens: 8.92,
        closures: 15.2,
        combinators: 5.2,
        rebindings: 1.1,
        pairs: 0.0,
        arrays: 0.3,
        named: 0.5,
        nameless: 0.0,
    },
];

/// Methods that take a closure or a choice where a `match`, an `if` or a loop may be plainer.
const COMBINATORS: &[&str] = &[
    "and_then",
    "filter",
    "filter_map",
    "find_map",
    "is_none_or",
    "is_ok_and",
    "is_some_and",
    "map_or",
    "map_or_else",
    "or_else",
    "then",
    "then_some",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "zip",
];

/// What was counted in a room.
#[derive(Default)]
struct Counted {
    lines: usize,
    tokens: usize,
    closures: usize,
    combinators: usize,
    /// `let x = x.a();`: one name for one value after another.
    rebindings: usize,
    /// `let (a, b) = (x, y);`: two statements in one.
    pairs: usize,
    /// `let [a, b] = …`, and arrays of a fixed length in fields and parameters, where a struct has names.
    arrays: usize,
    /// `let f = |x| …;`, where a function or a loop has a name and a sentence.
    named: usize,
    /// Parameters and values that are called `it`.
    nameless: usize,
}

impl Counted {
    fn add(&mut self, lines: &[String]) {
        let text = lines.join("\n");
        let tokens: TokenStream = text.parse().expect("the sources are Rust");
        self.lines += lines.iter().filter(|line| !line.trim().is_empty()).count();
        self.tokens += count(tokens);
        self.visit_file(&syn::parse_file(&text).expect("the sources are Rust"));
    }

    fn density(&self, room: &'static str) -> Density {
        let lines = self.lines as f64;
        let a_thousand = |forms: usize| 1000.0 * forms as f64 / lines;
        Density {
            room,
            tokens: self.tokens as f64 / lines,
            closures: a_thousand(self.closures),
            combinators: a_thousand(self.combinators),
            rebindings: a_thousand(self.rebindings),
            pairs: a_thousand(self.pairs),
            arrays: a_thousand(self.arrays),
            named: a_thousand(self.named),
            nameless: a_thousand(self.nameless),
        }
    }
}

impl<'ast> Visit<'ast> for Counted {
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.closures += 1;
        visit::visit_expr_closure(self, closure);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if COMBINATORS.iter().any(|name| call.method == name) {
            self.combinators += 1;
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let value = local.init.as_ref().map(|init| &*init.expr);
        match (&local.pat, value) {
            (Pat::Ident(_), Some(Expr::Closure(_))) => self.named += 1,
            (Pat::Ident(name), Some(value)) if is_method_of(value, name) => self.rebindings += 1,
            (Pat::Tuple(_), Some(Expr::Tuple(_))) => self.pairs += 1,
            (Pat::Slice(_), Some(_)) => self.arrays += 1,
            _ => {}
        }
        visit::visit_local(self, local);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Type::Array(_) = field.ty {
            self.arrays += 1;
        }
        visit::visit_field(self, field);
    }

    fn visit_fn_arg(&mut self, argument: &'ast FnArg) {
        if let FnArg::Typed(typed) = argument
            && is_array(&typed.ty)
        {
            self.arrays += 1;
        }
        visit::visit_fn_arg(self, argument);
    }

    fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
        if name.ident == "it" {
            self.nameless += 1;
        }
        visit::visit_pat_ident(self, name);
    }
}

/// Returns whether a type is an array of a fixed length, or a reference to one.
fn is_array(kind: &Type) -> bool {
    match kind {
        Type::Array(TypeArray { .. }) => true,
        Type::Reference(reference) => is_array(&reference.elem),
        _ => false,
    }
}

/// Returns whether a value is what methods make of the value with that name.
fn is_method_of(value: &Expr, name: &PatIdent) -> bool {
    match value {
        Expr::MethodCall(call) => match &*call.receiver {
            Expr::Path(path) => path.path.is_ident(&name.ident),
            receiver => is_method_of(receiver, name),
        },
        Expr::Try(value) => is_method_of(&value.expr, name),
        _ => false,
    }
}

/// Counts words, signs and literals, with those in brackets and the brackets themselves.
fn count(tokens: TokenStream) -> usize {
    let mut counted = 0;
    for token in tokens {
        counted += match token {
            TokenTree::Group(group) => 2 + count(group.stream()),
            _ => 1,
        };
    }
    counted
}

/// Returns what was counted in each room.
fn rooms() -> BTreeMap<String, Counted> {
    let mut rooms: BTreeMap<String, Counted> = BTreeMap::new();
    for file in source_files() {
        let names = module(&file);
        rooms.entry(names[0].clone()).or_default().add(&code(&file));
    }
    rooms
}

#[test]
fn rooms_are_packed_no_tighter_than_they_were() {
    let rooms = rooms();
    let mut tighter = Vec::new();
    for limits in LIMITS {
        let density = rooms[limits.room].density(limits.room);
        println!("{density:.2?}");
        let is_within = density.tokens <= limits.tokens
            && density.closures <= limits.closures
            && density.combinators <= limits.combinators
            && density.rebindings <= limits.rebindings
            && density.pairs <= limits.pairs
            && density.arrays <= limits.arrays
            && density.named <= limits.named
            && density.nameless <= limits.nameless;
        if !is_within {
            tighter.push(format!("{density:.2?}, at most {limits:.2?}"));
        }
    }
    assert!(
        tighter.is_empty(),
        "packed tighter than before:\n{}",
        tighter.join("\n")
    );
}

#[test]
fn every_floor_has_limits() {
    let floors: Vec<&str> = super::FLOORS.iter().map(|(floor, _)| *floor).collect();
    let limited: Vec<&str> = LIMITS.iter().map(|limits| limits.room).collect();
    assert_eq!(limited, floors);
}
