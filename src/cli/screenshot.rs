//! `fairscope screenshot`: a screen of the explorer as a picture, without a terminal.

use super::args::ScreenshotArgs;
use super::new_files::save_new;
use super::output::print;
use super::{FINE, Outcome, source};
use crate::format::Request;
use crate::tui::picture::PictureForm;
use crate::tui::script::{self, Script};
use crate::tui::{Headless, Options};
use color_eyre::eyre::{self, bail, eyre};

pub(super) fn run(args: &ScreenshotArgs) -> Outcome {
    let form = form(args)?;
    let size = script::size(&args.size).map_err(|reason| eyre!("--size: {reason}"))?;
    let keys = Script::parse(args.keys.as_deref().unwrap_or_default());
    let keys = keys.map_err(|reason| eyre!("--keys: {reason}"))?;
    let has_source = !args.sources.is_empty() || args.reading.live.is_some();
    let request = has_source.then(|| source::request(&args.sources, &args.reading));
    let request = request.transpose()?;
    let files = request.as_ref().map(Request::files).unwrap_or_default();
    // The terminal and the user's own settings change nothing, so that the picture is the same everywhere.
    let options = Options {
        policy: args.reading.policy(),
        is_ascii: args.ascii,
        theme: Some(args.theme.clone()),
        folder: std::env::current_dir().unwrap_or_default(),
        ..Options::default()
    };
    let mut explorer = Headless::new(options, size);
    explorer.open(request).map_err(eyre::Report::msg)?;
    explorer.play(&keys);
    if explorer.has_quit() {
        bail!("--keys leaves the explorer, so there is no screen; leave out its last keys");
    }
    let picture = explorer.picture(form);
    if let Some(out) = &args.out {
        save_new(out, picture.as_bytes(), &files)?;
        return Ok(FINE);
    }
    print(form, |out| out.write_all(picture.as_bytes()))?;
    Ok(FINE)
}

/// Returns the form that was asked for, or else that of the file's ending.
fn form(args: &ScreenshotArgs) -> eyre::Result<PictureForm> {
    match (args.format_out, &args.out) {
        (Some(form), _) => Ok(form),
        (None, None) => Ok(PictureForm::Svg),
        (None, Some(out)) => PictureForm::of_file(out).map_err(eyre::Report::msg),
    }
}
