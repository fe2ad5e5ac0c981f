//! pbsfs's arguments, read as `getopt("sgptdceI:")` reads them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// What is to be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// `-p`
    Print,
    /// `-t`
    Tree,
    /// `-g ENTITY`
    Entity(OsString),
    /// `-c A B`
    Compare(OsString, OsString),
}

/// Arguments that make sense.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) action: Action,
    pub(super) directory: PathBuf,
    /// What getopt says about unknown options, which pbsfs otherwise ignores.
    pub(super) complaints: Vec<u8>,
}

/// Arguments that end the program before it reads anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// `--version`
    Version,
    /// What pbsfs itself would say.
    Usage(String),
    /// What only we have to say.
    Ours(String),
}

/// The options as getopt finds them.
struct Options {
    action: u8,
    scheduler: Option<OsString>,
    operands: Vec<OsString>,
    complaints: Vec<u8>,
}

impl Options {
    fn parse(args: &[OsString]) -> Result<Self, Refusal> {
        let usage = || Refusal::Usage("Usage: pbsfs --version\n".to_owned());
        let mut options = Self {
            action: b'p',
            scheduler: None,
            operands: Vec::new(),
            complaints: Vec::new(),
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let bytes = arg.as_bytes();
            if bytes == b"--" {
                options.operands.extend(args.cloned());
                break;
            }
            if bytes.starts_with(b"--") {
                return Err(usage());
            }
            // A lone dash is an operand.
            let Some(letters) = bytes
                .strip_prefix(b"-")
                .filter(|letters| !letters.is_empty())
            else {
                options.operands.push(arg.clone());
                continue;
            };
            for (place, &letter) in letters.iter().enumerate() {
                match letter {
                    b's' | b'g' | b'p' | b't' | b'd' | b'c' | b'e' => options.action = letter,
                    b'I' => {
                        let rest = &letters[place + 1..];
                        let attached =
                            (!rest.is_empty()).then(|| OsStr::from_bytes(rest).to_owned());
                        match attached.or_else(|| args.next().cloned()) {
                            Some(name) => options.scheduler = Some(name),
                            None => options
                                .complaints
                                .extend_from_slice(b"pbsfs: option requires an argument -- 'I'\n"),
                        }
                        break;
                    }
                    b'-' => return Err(usage()),
                    letter => {
                        options
                            .complaints
                            .extend_from_slice(b"pbsfs: invalid option -- '");
                        options.complaints.push(letter);
                        options.complaints.extend_from_slice(b"'\n");
                    }
                }
            }
        }
        Ok(options)
    }
}

impl Arguments {
    /// Reads everything behind `fairscope pbsfs`.
    pub(super) fn parse(args: &[OsString]) -> Result<Self, Refusal> {
        if let [only] = args
            && only == "--version"
        {
            return Err(Refusal::Version);
        }
        let Options {
            action,
            scheduler,
            mut operands,
            complaints,
        } = Options::parse(args)?;
        if matches!(action, b's' | b'd' | b'e') {
            let option = char::from(action);
            return Err(Refusal::Ours(format!(
                "pbsfs -{option} changes a scheduler's live data, and fairscope never writes its source; \
                 use the real pbsfs, or `fairscope whatif` to see what a change would do\n"
            )));
        }
        let said = String::from_utf8_lossy(&complaints).into_owned();
        let usage = |text: &str| Refusal::Usage(format!("{said}{text}\n"));
        let Some(directory) = operands.pop() else {
            return Err(Refusal::Ours(
                "no directory was named; write the sched_priv directory last: \
                 fairscope pbsfs -p /var/spool/pbs/sched_priv\n"
                    .to_owned(),
            ));
        };
        let action = match (action, operands.len()) {
            (b'g', 1) => Action::Entity(operands.remove(0)),
            (b'g', _) => return Err(usage("Usage: pbsfs [-I sched_name] -g <fairshare_entity>")),
            (b'c', 2) => {
                let first = operands.remove(0);
                Action::Compare(first, operands.remove(0))
            }
            (b'c', _) => return Err(usage("Usage: pbsfs [-I sched_name] -c <entity1> <entity2>")),
            (b't', 0) => Action::Tree,
            (_, 0) => Action::Print,
            _ => return Err(usage("Usage: pbsfs -[ptdgcs] [-I sched_name]")),
        };
        if scheduler.is_some_and(|name| name != "default") {
            return Err(usage("Can't connect to the server"));
        }
        Ok(Self {
            action,
            directory: PathBuf::from(directory),
            complaints,
        })
    }
}
