//! Speed, with the goals beside the figures.

fn main() {
    divan::main();
}
