//! PBS's `sched_priv`.
