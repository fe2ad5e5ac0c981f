//! Evaluates a formula, instruction by instruction.

use super::function::FUNCTIONS;
use super::number::{EvalResult, Number};
use super::parse::Instruction;

/// Returns the value of the instructions. `held` are the values of the names they use. The stack is reused, so that a
/// million evaluations allocate once.
pub(super) fn value(steps: &[Instruction], held: &[Number], stack: &mut Vec<Number>) -> EvalResult {
    stack.clear();
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        match *step {
            Instruction::Push(number) => stack.push(number),
            Instruction::Load(name) => stack.push(held[name]),
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
                stack.push(operator(first, second)?);
            }
            Instruction::Compare(holds) => {
                let (second, first) = (pop(stack), pop(stack));
                stack.push(Number::of(holds(first.compare(second))));
            }
            Instruction::CompareOn(holds, skip) => {
                let (second, first) = (pop(stack), pop(stack));
                if holds(first.compare(second)) {
                    stack.push(second);
                } else {
                    stack.push(Number::of(false));
                    at += skip;
                }
            }
            Instruction::Call(function, count) => {
                let start = stack.len() - count;
                let number = FUNCTIONS[function].1.value(&stack[start..])?;
                stack.truncate(start);
                stack.push(number);
            }
            Instruction::SkipIf(truth, skip) => {
                let decides = |number: &Number| number.is_true() == truth;
                if stack.last().is_some_and(decides) {
                    at += skip;
                } else {
                    pop(stack);
                }
            }
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
    let top = stack.pop();
    top.expect("every step finds on the stack what the parser put before it")
}
