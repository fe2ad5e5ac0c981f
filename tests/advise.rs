//! The advisor: proposals and contradictions compared with trying every assignment of shares, contributions, and the time goals.

mod brute;
mod contributions;
mod time;
