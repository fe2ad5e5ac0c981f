//! Evaluates a formula, instruction by instruction.

use super::function::FUNCTIONS;
use super::number::{EvalError, EvalResult, Number};
use super::parse::{Binary, Comparator, Instruction};
use std::cmp::Ordering;

/// Returns the value of the instructions. `numbers` are those of the names they use. The stack is reused, so that a
/// million evaluations allocate once.
pub(super) fn value(
    steps: &[Instruction],
    numbers: &[Number],
    stack: &mut Vec<Number>,
) -> EvalResult {
    stack.clear();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        match *step {
            Instruction::Push(number) => stack.push(number),
            Instruction::Load(name) => stack.push(numbers[name]),
            Instruction::Negate => {
                let number = pop(stack).negated()?;
                stack.push(number);
            }
            Instruction::Not => {
                let number = Number::of(!pop(stack).is_true());
                stack.push(number);
            }
            Instruction::Binary(operator) => {
                let (second, first) = (pop(stack), pop(stack));
                stack.push(operator.value(first, second)?);
            }
            Instruction::Compare(comparison) => {
                let (second, first) = (pop(stack), pop(stack));
                stack.push(Number::of(comparison.holds(first, second)));
            }
            Instruction::CompareOn(comparison, skip) => {
                let (second, first) = (pop(stack), pop(stack));
                if comparison.holds(first, second) {
                    stack.push(second);
                } else {
                    stack.push(Number::of(false));
                    at += skip;
                }
            }
            Instruction::Call(function, count) => {
                let start = stack.len() - count;
                let number = FUNCTIONS[function].call.value(&stack[start..])?;
                stack.truncate(start);
                stack.push(number);
            }
            Instruction::SkipIfFalse(skip) => at = skipped(stack, at, skip, false),
            Instruction::SkipIfTrue(skip) => at = skipped(stack, at, skip, true),
            Instruction::SkipUnless(skip) => {
                if !pop(stack).is_true() {
                    at += skip;
                }
            }
            Instruction::Skip(skip) => at += skip,
        }
    }
    Ok(pop(stack))
}

fn pop(stack: &mut Vec<Number>) -> Number {
    stack
        .pop()
        .expect("every step finds on the stack what the parser put before it")
}

/// If the topmost number has the truth that decides, skips the next instructions. Otherwise removes the number.
fn skipped(stack: &mut Vec<Number>, at: usize, skip: usize, decides: bool) -> usize {
    if stack
        .last()
        .is_some_and(|number| number.is_true() == decides)
    {
        at + skip
    } else {
        pop(stack);
        at
    }
}

impl Binary {
    fn value(self, first: Number, second: Number) -> Result<Number, EvalError> {
        match self {
            Self::Plus => first.plus(second),
            Self::Minus => first.minus(second),
            Self::Times => first.times(second),
            Self::Over => first.over(second),
            Self::FloorOver => first.floor_over(second),
            Self::RestOver => first.rest_over(second),
            Self::Power => first.power(second),
        }
    }
}

impl Comparator {
    fn holds(self, first: Number, second: Number) -> bool {
        let order = first.compare(second);
        match self {
            Self::Less => order == Some(Ordering::Less),
            Self::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => order == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::Equal => order == Some(Ordering::Equal),
            Self::NotEqual => order != Some(Ordering::Equal),
        }
    }
}
