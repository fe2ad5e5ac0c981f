//! What a document says about itself: messages, and which part of the tree was requested.

use super::document::{Meta, SlurmMessage};
use crate::base::shown::shown_text;
use crate::model::Incomplete;

/// How many different messages are reported.
const MOST_MESSAGES: usize = 20;

/// Returns Slurm's own messages in their words, each once, with their counts.
pub(super) fn complaints(complaints: &[SlurmMessage<'_>]) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for complaint in complaints {
        // The placeholder is handled, and there may be one for each association.
        if complaint
            .description
            .0
            .ends_with(b"place holder for Infinity")
        {
            continue;
        }
        let words = words(complaint);
        if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == words) {
            *count += 1;
        } else if counts.len() < MOST_MESSAGES {
            counts.push((words, 1));
        }
    }
    counts
}

/// Returns a message in its own words.
pub(super) fn words(complaint: &SlurmMessage<'_>) -> String {
    let description = shown_text(&complaint.description.0);
    let error = shown_text(&complaint.error.0);
    match (description.is_empty(), error.is_empty()) {
        (false, true) => description.into(),
        (true, false) => error.into(),
        (false, false) => format!("{description} ({error})"),
        (true, true) if complaint.error_number.0.is_nan() => "no reason is given".to_owned(),
        (true, true) => format!("error {}", complaint.error_number.0),
    }
}

/// Returns why a document has only a part of the tree, if its command shows that.
pub(super) fn filtered(meta: &Meta<'_>) -> Option<Incomplete> {
    let mut words = meta.command.iter().flatten().map(|word| &*word.0);
    if !words.next()?.ends_with(b"sshare") {
        return None;
    }
    let (mut is_all, mut is_chosen) = (false, false);
    for word in words {
        match word {
            b"--all" => is_all = true,
            [b'-', b'-', long @ ..] => {
                is_chosen |= [&b"accounts"[..], b"uid", b"users", b"Users"]
                    .iter()
                    .any(|option| long.starts_with(option));
            }
            [b'-', short @ ..] => {
                for letter in short {
                    match letter {
                        b'a' => is_all = true,
                        b'A' | b'u' | b'U' => is_chosen = true,
                        _ => {}
                    }
                    // What follows is the value of the option.
                    if b"AuMo".contains(letter) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    match (is_chosen, is_all) {
        (true, _) => Some(Incomplete::SshareChosen),
        (false, false) => Some(Incomplete::SshareOwn),
        (false, true) => None,
    }
}
