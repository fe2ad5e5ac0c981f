//! `fairscope snapshot`: the scheduler's own output, saved.

use super::args::SnapshotArgs;
use super::{FINE, Outcome, output};
use crate::base::shell;
use crate::base::shown::shown;
use crate::format::Request;
use crate::open::live;
use crate::report::words::source as words;
use std::ops::ControlFlow;
use std::time::Duration;

pub(super) fn run(args: &SnapshotArgs) -> Outcome {
    let request = Request {
        path: live::PATH.into(),
        live: Some(args.live),
        cluster: args.cluster.clone(),
        timeout: args.timeout.map(Duration::from_secs),
        ..Request::default()
    };
    let saved = live::save(&request, args.live, &args.out, words::about, &mut |_| {
        ControlFlow::Continue(())
    })?;
    for problem in saved.problems.list() {
        output::complain(&problem.to_string());
    }
    output::print(output::Content::Text, |out| {
        for (path, length) in &saved.files {
            let name = shown(path.as_os_str().as_encoded_bytes());
            writeln!(out, "{name}  {length} bytes")?;
        }
        let folder = shell::word(&args.out, "DIRECTORY");
        writeln!(out, "fairscope {folder} opens it")
    })?;
    Ok(FINE)
}
