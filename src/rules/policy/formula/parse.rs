//! Parses a formula by the precedence of Python's operators, directly into instructions for a stack.
//!
//! It builds instructions instead of a tree, because a long formula would make a deep tree, and evaluating or dropping
//! it would need as much of the machine's stack. Only nesting in the text is recursion here, and that has a limit.

use super::function::{CONSTANTS, FUNCTIONS};
use super::number::{EvalResult, Number};
use super::token::{Token, TokenKind, tokens};
use super::{Formula, FormulaError, Keyword, Name, NameUse, Span, find};
use crate::base::nearest::nearest;
use crate::base::shown::{Shown, sentence};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// The deepest nesting of brackets, signs and powers.
const DEEPEST: usize = 200;

/// One step of the evaluation, on a stack of numbers.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// Pushes a number on the stack.
    Push(Number),
    /// Pushes the number of a name on the stack, by its place among the names.
    Load(usize),
    /// Replaces the topmost number by its negative.
    Negate,
    /// Replaces the topmost number by whether Python treats it as false.
    Not,
    /// Replaces the two topmost numbers by the result of an operator.
    Binary(Operator),
    /// Replaces the two topmost numbers by a truth value.
    Compare(Comparator),
    /// Compares as `Compare` does. If true, the chain goes on and the second number remains on the stack. If false,
    /// that truth value remains and so many instructions are skipped.
    CompareOn(Comparator, usize),
    /// Replaces the topmost numbers by the value of a function.
    Call {
        /// The place of the function in the table.
        function: usize,
        /// How many numbers it takes.
        count: usize,
    },
    /// Skips instructions if Python treats the topmost number as a truth value, otherwise removes it.
    SkipIf {
        /// The truth value.
        truth: bool,
        /// How many instructions are skipped.
        skip: usize,
    },
    /// Removes the topmost number and skips so many instructions if it is false.
    SkipUnless(usize),
    /// Skips so many instructions.
    Skip(usize),
}

/// The computation of an operator from the number on its left and the one on its right.
pub(super) type Operator = fn(Number, Number) -> EvalResult;

/// A comparison: whether it holds for an order of two numbers, `None` if one is NaN.
pub(super) type Comparator = fn(Option<Ordering>) -> bool;

/// The signs of comparisons.
const COMPARISONS: &[(&str, Comparator)] = &[
    ("<", |order| order == Some(Ordering::Less)),
    ("<=", |order| order.is_some_and(Ordering::is_le)),
    (">", |order| order == Some(Ordering::Greater)),
    (">=", |order| order.is_some_and(Ordering::is_ge)),
    ("==", |order| order == Some(Ordering::Equal)),
    ("!=", |order| order != Some(Ordering::Equal)),
];

/// The operators of sums, and those of products, which bind stronger.
const ARITHMETIC: [&[(&str, Operator)]; 2] = [
    &[("+", Number::plus), ("-", Number::minus)],
    &[
        ("*", Number::times),
        ("/", Number::over),
        ("//", Number::floor_over),
        ("%", Number::rest_over),
    ],
];

/// Python's reserved words, which cannot be names.
pub(super) const RESERVED: &[&str] = &[
    "None", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

impl Formula {
    /// Parses a formula. The names of the job's resources are known beside PBS's own.
    pub fn parse(text: &str, job: &BTreeMap<String, f64>) -> Result<Self, FormulaError> {
        let mut parser = Parser {
            text,
            job,
            tokens: tokens(text)?,
            at: 0,
            depth: 0,
            parsed: Self {
                text: text.to_owned(),
                ..Self::default()
            },
            places: HashMap::new(),
        };
        parser.conditional()?;
        match parser.peek().kind {
            TokenKind::End => Ok(parser.parsed),
            _ => Err(parser.unexpected("an operator or the end of the formula")),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The resources of the job, whose names are known.
    job: &'a BTreeMap<String, f64>,
    tokens: Vec<Token<'a>>,
    /// The place of the next token.
    at: usize,
    /// How deep it is nested.
    depth: usize,
    /// What was parsed so far.
    parsed: Formula,
    /// The place of every word among the names.
    places: HashMap<String, usize>,
}

type ParseResult = Result<(), FormulaError>;

impl<'a> Parser<'a> {
    /// Returns the next token.
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    /// Goes on to the token after the next one.
    fn advance(&mut self) {
        // The end is the last token, and nothing advances beyond it.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Returns whether the next token is of a kind, and if so goes on.
    fn passes(&mut self, kind: TokenKind<'_>) -> bool {
        let is_here = self.peek().kind == kind;
        if is_here {
            self.advance();
        }
        is_here
    }

    fn error(&self, span: Span, message: impl Into<String>) -> FormulaError {
        FormulaError::new(self.text, span, Shown::again(message.into()))
    }

    /// Returns that the next token is not what is expected.
    fn unexpected(&self, expected: &str) -> FormulaError {
        let Token { kind, span } = self.peek();
        let found = match kind {
            TokenKind::End => "the formula ends here".to_owned(),
            _ => format!("unexpected {}", span.part(self.text)),
        };
        self.error(span, format!("{found}; expected {expected}"))
    }

    fn push(&mut self, step: Instruction) {
        self.parsed.steps.push(step);
    }

    /// Returns the number of instructions so far: a place to return to.
    fn here(&self) -> usize {
        self.parsed.steps.len()
    }

    /// Returns how many instructions follow the one at a place.
    fn since(&self, place: usize) -> usize {
        self.here() - place - 1
    }

    /// Notes that it is nested deeper by one.
    fn enter(&mut self) -> ParseResult {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the formula is nested more than {DEEPEST} deep here");
            return Err(self.error(self.peek().span, message));
        }
        Ok(())
    }

    /// Parses `a if c else b`.
    fn conditional(&mut self) -> ParseResult {
        self.enter()?;
        let start = self.here();
        self.either()?;
        if self.passes(TokenKind::Word("if")) {
            let then = self.parsed.steps.split_off(start);
            self.either()?;
            if !self.passes(TokenKind::Word("else")) {
                return Err(self.unexpected("else"));
            }
            self.push(Instruction::SkipUnless(then.len() + 1));
            self.parsed.steps.extend(then);
            let skip = self.here();
            self.push(Instruction::Skip(0));
            self.conditional()?;
            self.parsed.steps[skip] = Instruction::Skip(self.since(skip));
        }
        self.depth -= 1;
        Ok(())
    }

    /// Parses `a or b`.
    fn either(&mut self) -> ParseResult {
        self.joined("or", true, |parser| {
            parser.joined("and", false, Self::inverse)
        })
    }

    /// Parses parts joined by a word, of which the first with the truth value that decides is the result.
    fn joined(
        &mut self,
        word: &'static str,
        truth: bool,
        part: fn(&mut Self) -> ParseResult,
    ) -> ParseResult {
        part(self)?;
        while self.passes(TokenKind::Word(word)) {
            let place = self.here();
            self.push(Instruction::SkipIf { truth, skip: 0 });
            part(self)?;
            let skip = self.since(place);
            self.parsed.steps[place] = Instruction::SkipIf { truth, skip };
        }
        Ok(())
    }

    /// Parses `not a`.
    fn inverse(&mut self) -> ParseResult {
        let mut count = 0;
        while self.passes(TokenKind::Word("not")) {
            count += 1;
        }
        self.comparison()?;
        for _ in 0..count {
            self.push(Instruction::Not);
        }
        Ok(())
    }

    /// Parses `a < b`, or a chain of comparisons: `a < b < c` evaluates b once and stops if a < b is false.
    fn comparison(&mut self) -> ParseResult {
        self.arithmetic(0)?;
        let mut chained = Vec::new();
        let mut last = None;
        while let Some(comparison) = self.operator(COMPARISONS) {
            if let Some(before) = last {
                chained.push((self.here(), before));
                self.push(Instruction::CompareOn(before, 0));
            }
            self.arithmetic(0)?;
            last = Some(comparison);
        }
        if let Some(comparison) = last {
            self.push(Instruction::Compare(comparison));
        }
        for (place, before) in chained {
            self.parsed.steps[place] = Instruction::CompareOn(before, self.since(place));
        }
        Ok(())
    }

    /// Returns the operator of a table whose sign comes next, and goes on. `None` if none of them does.
    fn operator<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let TokenKind::Sign(sign) = self.peek().kind else {
            return None;
        };
        let operator = *find(table, sign)?;
        self.advance();
        Some(operator)
    }

    /// Parses sums, whose terms are products: the operators of a level, and of those that bind stronger.
    fn arithmetic(&mut self, level: usize) -> ParseResult {
        let Some(operators) = ARITHMETIC.get(level) else {
            return self.signed();
        };
        self.arithmetic(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            self.arithmetic(level + 1)?;
            self.push(Instruction::Binary(operator));
        }
        Ok(())
    }

    /// Parses a power with signs before it. They bind weaker than a `**` on their right.
    fn signed(&mut self) -> ParseResult {
        let mut minuses = 0;
        while let Some(more) = self.operator(&[("-", 1), ("+", 0)]) {
            minuses += more;
        }
        self.power()?;
        for _ in 0..minuses {
            self.push(Instruction::Negate);
        }
        Ok(())
    }

    /// Parses `a ** b`, which binds stronger on its left than on its right.
    fn power(&mut self) -> ParseResult {
        self.operand()?;
        if self.passes(TokenKind::Sign("**")) {
            self.enter()?;
            self.signed()?;
            self.push(Instruction::Binary(Number::power));
            self.depth -= 1;
        }
        Ok(())
    }

    /// Parses a number, a name, a call, or what is in brackets.
    fn operand(&mut self) -> ParseResult {
        let token = self.peek();
        match token.kind {
            TokenKind::Number(number) => {
                self.advance();
                self.push(Instruction::Push(number));
                Ok(())
            }
            TokenKind::Sign("(") => {
                self.advance();
                self.conditional()?;
                self.close()
            }
            TokenKind::Word(word) if !RESERVED.contains(&word) => {
                self.advance();
                self.word(word, token.span)
            }
            _ => Err(self.unexpected("a number, a name or a bracket")),
        }
    }

    /// Parses a closing bracket.
    fn close(&mut self) -> ParseResult {
        if self.passes(TokenKind::Sign(")")) {
            Ok(())
        } else {
            Err(self.unexpected("an operator or a closing bracket"))
        }
    }

    /// Parses a name, of which the first word was passed.
    fn word(&mut self, word: &str, span: Span) -> ParseResult {
        if word == "math" && self.peek().kind == TokenKind::Sign(".") {
            let message =
                "PBS imports the functions of math by name and does not accept math itself";
            let advice = "leave out `math.`, as in pow(2, 3)";
            return Err(self.error(span, message).suggesting(advice));
        }
        let function = FUNCTIONS.iter().position(|(name, _)| *name == word);
        if self.peek().kind == TokenKind::Sign("(") {
            return match function {
                Some(function) => self.call(function, span),
                None => Err(self.unknown_function(word, span)),
            };
        }
        if let Some(&number) = find(CONSTANTS, word) {
            self.push(Instruction::Push(number));
            return Ok(());
        }
        let name = if let Some(keyword) = Keyword::named(word) {
            Name::Keyword(keyword)
        } else if super::is_resource(word, self.job) {
            Name::Resource(word.to_owned())
        } else if function.is_some() {
            let message = format!("the function {word} has no arguments");
            let advice = "write its arguments in brackets after it";
            return Err(self.error(span, message).suggesting(advice));
        } else {
            return Err(self.unknown_name(word, span));
        };
        let names = &mut self.parsed.names;
        let place = *self.places.entry(word.to_owned()).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        });
        self.parsed.uses.push(NameUse { name: place, span });
        self.push(Instruction::Load(place));
        Ok(())
    }

    fn unknown_function(&self, word: &str, span: Span) -> FormulaError {
        let mut known = Vec::with_capacity(FUNCTIONS.len());
        for &(name, _) in FUNCTIONS {
            known.push(name);
        }
        let advice = match nearest(word, &known) {
            Some(suggestion) => sentence!("did you mean '{suggestion}'?"),
            None => sentence!("expected one of {}", known.join(", ")),
        };
        let message = format!("unknown function '{word}'");
        self.error(span, message).suggesting(advice)
    }

    fn unknown_name(&self, word: &str, span: Span) -> FormulaError {
        let advice = match nearest(word, &super::names(self.job)) {
            Some(suggestion) => sentence!("did you mean '{suggestion}'?"),
            None => sentence!(
                "if it is a resource of your site, give the job an amount with --set resources.{word}=1"
            ),
        };
        let message = format!("unknown name '{word}'");
        self.error(span, message).suggesting(advice)
    }

    /// Parses the arguments of a function, which is given by its place in the table.
    fn call(&mut self, function: usize, span: Span) -> ParseResult {
        self.advance();
        let mut count = 0;
        while self.peek().kind != TokenKind::Sign(")") {
            self.conditional()?;
            count += 1;
            if !self.passes(TokenKind::Sign(",")) {
                break;
            }
        }
        self.close()?;
        let (name, call) = FUNCTIONS[function];
        let possible = call.possible_counts();
        if !possible.contains(&count) {
            let (least, most) = possible.into_inner();
            let takes = match most {
                1 => "1 argument".to_owned(),
                usize::MAX => format!("{least} arguments or more"),
                most if most == least => format!("{least} arguments"),
                most => format!("{least} to {most} arguments"),
            };
            return Err(self.error(span, format!("{name} takes {takes}, not {count}")));
        }
        self.push(Instruction::Call { function, count });
        Ok(())
    }
}
