//! The arguments of `pbsfs`, read as C's `getopt` reads them.

/// The action of pbsfs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// `-p`, or no option: every node with its numbers.
    All,
    /// `-t`: the tree.
    Tree,
    /// `-g`: one entity.
    Entity,
    /// `-c`: the more deserving of two.
    Compare,
    /// `-s`: sets usage.
    Set,
    /// `-d`: decays.
    Decay,
    /// `-e`: drops what `resource_group` does not name.
    Trim,
}

impl Action {
    fn of(option: u8) -> Option<Self> {
        match option {
            b'p' => Some(Self::All),
            b't' => Some(Self::Tree),
            b'g' => Some(Self::Entity),
            b'c' => Some(Self::Compare),
            b's' => Some(Self::Set),
            b'd' => Some(Self::Decay),
            b'e' => Some(Self::Trim),
            _ => None,
        }
    }

    /// Whether the action changes files.
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Set | Self::Decay | Self::Trim)
    }

    /// Returns the number of operands besides the directory.
    pub(super) fn operand_count(self) -> usize {
        match self {
            Self::All | Self::Tree | Self::Decay | Self::Trim => 0,
            Self::Entity => 1,
            Self::Compare | Self::Set => 2,
        }
    }

    /// Returns the error for a wrong number of operands.
    pub(super) fn usage(self) -> &'static [u8] {
        match self {
            Self::Entity => b"Usage: pbsfs [-I sched_name] -g <fairshare_entity>\n",
            Self::Compare => b"Usage: pbsfs [-I sched_name] -c <entity1> <entity2>\n",
            Self::Set => b"Usage: pbsfs [-I sched_name] -s <fairshare_entity> <usage>\n",
            _ => b"Usage: pbsfs -[ptdgcs] [-I sched_name]\n",
        }
    }
}

/// The parsed arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options<'a> {
    pub(super) action: Action,
    /// The name after `-I`.
    pub(super) scheduler: Option<&'a [u8]>,
    pub(super) operands: Vec<&'a [u8]>,
}

/// Reads the arguments: options at any place and bundled, the last action wins, `--` ends them. The messages of getopt
/// are added to `stderr`. Returns `None` for a long option, because pbsfs has none.
pub(super) fn parse<'a>(args: &[&'a [u8]], stderr: &mut Vec<u8>) -> Option<Options<'a>> {
    let mut options = Options {
        action: Action::All,
        scheduler: None,
        operands: Vec::new(),
    };
    let mut args = args.iter().copied();
    while let Some(arg) = args.next() {
        if arg == b"--" {
            options.operands.extend(args);
            break;
        }
        let mut bundle = match arg.strip_prefix(b"-") {
            Some(bundle) if !bundle.is_empty() => bundle,
            _ => {
                options.operands.push(arg);
                continue;
            }
        };
        while let Some((&option, rest)) = bundle.split_first() {
            bundle = rest;
            match option {
                b'-' => return None,
                b'I' => {
                    let attached =
                        Some(std::mem::take(&mut bundle)).filter(|name| !name.is_empty());
                    if let Some(name) = attached.or_else(|| args.next()) {
                        options.scheduler = Some(name);
                    } else {
                        stderr.extend_from_slice(b"pbsfs: option requires an argument -- 'I'\n");
                    }
                }
                option => {
                    if let Some(action) = Action::of(option) {
                        options.action = action;
                    } else {
                        let message = [b"pbsfs: invalid option -- '", &[option][..], b"'\n"];
                        stderr.extend(message.concat());
                    }
                }
            }
        }
    }
    Some(options)
}
