//! Parses a formula by the precedence of Python's operators, directly into instructions for a stack.
//!
//! It builds instructions instead of a tree, because a long formula would make a deep tree, and evaluating or dropping
//! it would need as much of the machine's stack. Only nesting in the text is recursion here, and that has a limit.

use super::function::{CONSTANTS, FUNCTIONS};
use super::number::{EvalResult, Number};
use super::token::{Token, TokenKind, tokens};
use super::{Formula, FormulaError, Keyword, Name, Span};
use crate::base::nearest::nearest;
use crate::base::shown::{Shown, sentence};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// The deepest nesting of brackets, signs and powers.
const DEEPEST: usize = 200;

#[derive(Clone, Debug)]
pub(super) enum Instruction {
    Push(Number),
    /// Pushes the number of a name on the stack, by its place among the names.
    Load(usize),
    Negate,
    /// Replaces the topmost number by whether Python treats it as false.
    Not,
    Binary(Operator),
    /// Replaces the two topmost numbers by a truth value.
    Compare(Comparator),
    /// Compares as `Compare` does. If true, the chain goes on and the second number remains on the stack. If false,
    /// that truth value remains and so many instructions are skipped.
    CompareOn(Comparator, usize),
    /// Replaces the given number of topmost numbers by the value of a function, given by its place in the table.
    Call(usize, usize),
    /// Skips so many instructions if Python treats the topmost number as this truth value, otherwise removes it.
    SkipIf(bool, usize),
    /// Removes the topmost number and skips so many instructions if it is false.
    SkipUnless(usize),
    Skip(usize),
}

pub(super) type Operator = fn(Number, Number) -> EvalResult;

/// A comparison: whether it holds for an order of two numbers, `None` if one is NaN.
pub(super) type Comparator = fn(Option<Ordering>) -> bool;

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
    job: &'a BTreeMap<String, f64>,
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    parsed: Formula,
    /// The place of every word among the names.
    places: HashMap<String, usize>,
}

type ParseResult = Result<(), FormulaError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at]
    }

    fn advance(&mut self) {
        // The end is the last token, and nothing advances beyond it.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

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

    fn unexpected(&self, expected: &str) -> FormulaError {
        let Token { kind, span } = self.peek();
        let found = match kind {
            TokenKind::End => "the formula ends here".to_owned(),
            _ => format!("unexpected {}", &self.text[span.start..span.end]),
        };
        self.error(span, format!("{found}; expected {expected}"))
    }

    fn push(&mut self, step: Instruction) {
        self.parsed.steps.push(step);
    }

    /// The number of instructions so far: a place to return to.
    fn here(&self) -> usize {
        self.parsed.steps.len()
    }

    fn enter(&mut self) -> ParseResult {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the formula is nested more than {DEEPEST} deep here");
            return Err(self.error(self.peek().span, message));
        }
        Ok(())
    }

    /// `a if c else b`.
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
            self.parsed.steps[skip] = Instruction::Skip(self.here() - skip - 1);
        }
        self.depth -= 1;
        Ok(())
    }

    fn either(&mut self) -> ParseResult {
        let both = |parser: &mut Self| parser.joined("and", false, Self::inverse);
        self.joined("or", true, both)
    }

    /// Parts joined by a word, of which the first with the truth value that decides is the result.
    fn joined(
        &mut self,
        word: &'static str,
        decides: bool,
        part: fn(&mut Self) -> ParseResult,
    ) -> ParseResult {
        part(self)?;
        while self.passes(TokenKind::Word(word)) {
            let skip = self.here();
            self.push(Instruction::SkipIf(decides, 0));
            part(self)?;
            self.parsed.steps[skip] = Instruction::SkipIf(decides, self.here() - skip - 1);
        }
        Ok(())
    }

    fn inverse(&mut self) -> ParseResult {
        let mut count = 0;
        while self.passes(TokenKind::Word("not")) {
            count += 1;
        }
        self.comparison()?;
        let negations = std::iter::repeat_n(Instruction::Not, count);
        self.parsed.steps.extend(negations);
        Ok(())
    }

    fn comparison(&mut self) -> ParseResult {
        self.arithmetic(0)?;
        // `a < b < c` evaluates b once and stops if a < b is false.
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
        let end = self.here();
        for (place, before) in chained {
            self.parsed.steps[place] = Instruction::CompareOn(before, end - place - 1);
        }
        Ok(())
    }

    fn operator<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let TokenKind::Sign(sign) = self.peek().kind else {
            return None;
        };
        let &(_, operator) = table.iter().find(|(known, _)| *known == sign)?;
        self.advance();
        Some(operator)
    }

    /// Sums of products of what follows them.
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

    /// A power with signs before it. They bind weaker than a `**` on their right.
    fn signed(&mut self) -> ParseResult {
        let mut minuses = 0;
        while let Some(more) = self.operator(&[("-", 1), ("+", 0)]) {
            minuses += more;
        }
        self.power()?;
        let negations = std::iter::repeat_n(Instruction::Negate, minuses);
        self.parsed.steps.extend(negations);
        Ok(())
    }

    /// `a ** b`, which binds stronger on its left than on its right.
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

    fn close(&mut self) -> ParseResult {
        if self.passes(TokenKind::Sign(")")) {
            Ok(())
        } else {
            Err(self.unexpected("an operator or a closing bracket"))
        }
    }

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
                None => Err(self.unknown("function", word, span)),
            };
        }
        if let Some(&(_, number)) = CONSTANTS.iter().find(|(name, _)| *name == word) {
            self.push(Instruction::Push(number));
            return Ok(());
        }
        let name = match Keyword::named(word) {
            Some(keyword) => Name::Keyword(keyword),
            None if super::is_resource(word, self.job) => Name::Resource(word.to_owned()),
            None if function.is_some() => {
                let message = format!("the function {word} has no arguments");
                let advice = "write its arguments in brackets after it";
                return Err(self.error(span, message).suggesting(advice));
            }
            None => return Err(self.unknown("name", word, span)),
        };
        let names = &mut self.parsed.names;
        let place = *self.places.entry(word.to_owned()).or_insert_with(|| {
            names.push(name);
            names.len() - 1
        });
        self.parsed.uses.push((place, span));
        self.push(Instruction::Load(place));
        Ok(())
    }

    fn unknown(&self, what: &str, word: &str, span: Span) -> FormulaError {
        let known: Vec<&str> = if what == "function" {
            FUNCTIONS.iter().map(|&(name, _)| name).collect()
        } else {
            super::names(self.job).collect()
        };
        let advice = match nearest(word, &known) {
            Some(suggestion) => sentence!("did you mean '{suggestion}'?"),
            None if what == "name" => sentence!(
                "if it is a resource of your site, give the job an amount with --set resources.{word}=1"
            ),
            None => sentence!("expected one of {}", known.join(", ")),
        };
        let message = format!("unknown {what} '{word}'");
        self.error(span, message).suggesting(advice)
    }

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
        let (least, most) = call.takes();
        if !(least..=most).contains(&count) {
            let takes = match (least, most) {
                (1, 1) => "1 argument".to_owned(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, usize::MAX) => format!("{least} arguments or more"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            return Err(self.error(span, format!("{name} takes {takes}, not {count}")));
        }
        self.push(Instruction::Call(function, count));
        Ok(())
    }
}
