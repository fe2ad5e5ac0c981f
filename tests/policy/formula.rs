//! A job_sort_formula, held against Python and the real scheduler.
