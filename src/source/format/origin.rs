//! Where a tree came from, in the words of a [`Source`].

use super::{Format, Request};
use crate::base::shown::shown;
use crate::model::Source;
use std::os::unix::ffi::OsStrExt as _;

/// Returns the file of a request as messages name it.
pub(super) fn file_name(request: &Request) -> String {
    shown(request.path.as_os_str().as_bytes())
}

/// Returns the source of a request for one file that does not say what its usage counts.
pub(super) fn source(request: &Request, format: Format) -> Source {
    let title = match request.path.file_name() {
        Some(_) if request.path.as_os_str() == "-" => "standard input".to_owned(),
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
