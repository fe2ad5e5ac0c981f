//! What can be written to record the explorer, and to play a recording.

use clap::Args as Arguments;
use std::path::PathBuf;

/// Recordings of the explorer.
#[derive(Arguments, Clone, Debug, Default)]
pub struct RecordingArgs {
    /// Write the keys and their times to a new file, to be played with --replay
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write what appears on the terminal to a new file, for players of asciinema
    #[arg(long, value_name = "FILE")]
    pub cast: Option<PathBuf>,
    /// Play a recording, on its own source if none is given; any key ends it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "watch"])]
    pub replay: Option<PathBuf>,
    /// How many times faster a recording plays; 0 plays it at once [default: 1]
    #[arg(long, value_name = "N", requires = "replay", value_parser = speed)]
    pub speed: Option<f64>,
}

/// The highest speed.
const FASTEST: f64 = 1000.0;

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok();
    let speed = speed.filter(|speed| (0.0..=FASTEST).contains(speed));
    speed.ok_or_else(|| format!("expected a number from 0 to {FASTEST}, such as 2"))
}
