//! Lines that a person typed at the prompt of a shell, and code fences.

/// The commands whose outputs can be opened.
const COMMANDS: [&str; 10] = [
    "sshare",
    "sacctmgr",
    "scontrol",
    "sreport",
    "squeue",
    "sprio",
    "sacct",
    "flux",
    "cat",
    "fairscope",
];

/// The commands of other outputs, which are read beside a tree.
const OTHERS: [&str; 3] = ["squeue", "sprio", "sacct"];

/// Words before a command, of which the last runs it on another machine.
const BEFORE: [&str; 4] = ["sudo", "time", "watch", "ssh"];

/// What a person typed at a prompt.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// A command that prints a tree, or nothing.
    Usual,
    /// A command that prints something else.
    Other,
}

/// Returns whether a text has any byte with which a mark of a prompt or a code fence begins. Few outputs have one.
pub(super) fn may_have_prompts(text: &[u8]) -> bool {
    // The last is the first byte of ❯.
    memchr::memchr3(b'$', b'#', b'%', text).is_some()
        || memchr::memchr3(b'>', b'`', 0xe2, text).is_some()
}

pub(super) fn is_fence(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(b"```")
}

/// Returns what was typed if a line has a prompt, or `None` if it has none. A mark alone may begin a comment or a quote, so
/// one of our commands must follow it, or a host must be before it.
pub(super) fn typed(line: &[u8]) -> Option<Typed> {
    let line = std::str::from_utf8(line).ok()?.trim();
    let end = line.find(['$', '#', '%', '>', '❯'])?;
    let mark = line[end..].chars().next().map_or(1, char::len_utf8);
    let host = &line[..end];
    let rest = &line[end + mark..];
    let is_apart = rest.is_empty() || rest.starts_with(' ');
    if !is_apart || host.contains('|') {
        return None;
    }
    if let Some(command) = command(rest)
        && COMMANDS.contains(&command)
    {
        if OTHERS.contains(&command) {
            return Some(Typed::Other);
        }
        return Some(Typed::Usual);
    }
    let name = host.trim_end_matches([']', ' ']);
    let is_host = host.contains('@') && !name.contains("  ");
    let is_shells = host.starts_with(['[', '(']) || host.contains(':');
    if !is_host || !is_shells {
        return None;
    }
    match rest.trim() {
        "" | "exit" | "logout" => Some(Typed::Usual),
        _ => Some(Typed::Other),
    }
}

/// Returns the command of a line that was typed, without its folder.
fn command(typed: &str) -> Option<&str> {
    let mut words = typed.split_whitespace();
    let mut word = words.next()?;
    while BEFORE.contains(&word) {
        let is_host_next = word == "ssh";
        word = words.next()?;
        if is_host_next {
            word = words.next()?;
        }
    }
    word.rsplit('/').next()
}
