//! The origin of a tree as a [`Source`].

use super::{Format, Request};
use crate::base::shown::{Shown, shown};
use crate::model::Source;
use std::os::unix::ffi::OsStrExt as _;

/// Returns the file of a request as named in messages.
pub(super) fn file_name(request: &Request) -> Shown {
    shown(request.path.as_os_str().as_bytes())
}

/// Returns the source of a request for one file that does not state the unit of its usage.
pub(super) fn source(request: &Request, format: Format) -> Source {
    let title = match request.path.file_name() {
        Some(_) if request.path.as_os_str() == "-" => "standard input".into(),
        Some(name) => shown(name.as_bytes()),
        None => file_name(request),
    };
    Source {
        format,
        path: file_name(request),
        title,
        taken: None,
        usage_unit: String::new(),
        lacks_settings: format == Format::Csv,
        ..Source::default()
    }
}
