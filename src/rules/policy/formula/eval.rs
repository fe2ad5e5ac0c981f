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
                let number = pop(stack);
                stack.push(number.negated()?);
            }
            Instruction::Not => {
                let number = pop(stack);
                stack.push(Number::from_truth(!number.is_true()));
            }
            Instruction::Binary(operator) => {
                let second = pop(stack);
                let first = pop(stack);
                stack.push(operator(first, second)?);
            }
            Instruction::Compare(holds) => {
                let second = pop(stack);
                let first = pop(stack);
                stack.push(Number::from_truth(holds(first.compare(second))));
            }
            Instruction::CompareOn(holds, skip) => {
                let second = pop(stack);
                let first = pop(stack);
                if holds(first.compare(second)) {
                    stack.push(second);
                } else {
                    stack.push(Number::from_truth(false));
                    at += skip;
                }
            }
            Instruction::Call { function, count } => {
                let start = stack.len() - count;
                let (_, call) = FUNCTIONS[function];
                let number = call.value(&stack[start..])?;
                stack.truncate(start);
                stack.push(number);
            }
            Instruction::SkipIf { truth, skip } => {
                let number = pop(stack);
                if number.is_true() == truth {
                    stack.push(number);
                    at += skip;
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

/// Takes the topmost number from the stack.
fn pop(stack: &mut Vec<Number>) -> Number {
    let top = stack.pop();
    top.expect("every step finds on the stack what the parser put before it")
}
