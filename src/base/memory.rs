//! The memory that the process may still take: the least of what its limits and the machine leave.

use rustix::process::{Resource, getrlimit};
use std::path::Path;

/// The bytes of a kibibyte, the unit of `/proc`.
const KIB: u64 = 1 << 10;

/// The files of a control group that tell about its memory, and the directory below which such groups are.
struct GroupFiles {
    top: &'static str,
    limit: &'static str,
    usage: &'static str,
}

const VERSION_1: GroupFiles = GroupFiles {
    top: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
};

const VERSION_2: GroupFiles = GroupFiles {
    top: "/sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
};

/// What limits the memory of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit of its address space, `ulimit -v`.
    AddressSpace,
    /// The limit of its data, `ulimit -d`.
    Data,
    /// The limit of a control group that it is in.
    Group,
    /// What the machine has.
    Machine,
}

/// The memory that the process may still take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// In bytes.
    pub bytes: u64,
    /// What leaves no more.
    pub limit: Limit,
}

impl Room {
    /// Returns what the process may still take, or `None` if nothing is known to limit it.
    pub fn now() -> Option<Self> {
        let limits = [Resource::As, Resource::Data].map(|resource| getrlimit(resource).current);
        let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        Self::of(limits, &text)
    }

    /// Returns what the process may still take under limits of its address space and its data in bytes. `text` returns
    /// the text of a file of the kernel. One that cannot be read is empty, and limits nothing. Memory that the kernel
    /// would give back counts as free.
    pub fn of(
        [address_space, data]: [Option<u64>; 2],
        text: &dyn Fn(&Path) -> String,
    ) -> Option<Self> {
        let own = text(Path::new("/proc/self/status"));
        let machine = text(Path::new("/proc/meminfo"));
        let below = |limit: Option<u64>, used| Some(limit?.saturating_sub(kib(&own, used)?));
        let swap = kib(&machine, "SwapFree:").unwrap_or(0);
        let rooms = [
            (Limit::AddressSpace, below(address_space, "VmSize:")),
            (Limit::Data, below(data, "VmData:")),
            (Limit::Group, least_of_groups(text, swap)),
            (
                Limit::Machine,
                kib(&machine, "MemAvailable:").map(|free| free.saturating_add(swap)),
            ),
        ];
        let known = rooms.into_iter().filter_map(|(limit, bytes)| {
            let bytes = bytes?;
            Some(Self { bytes, limit })
        });
        known.min_by_key(|room| room.bytes)
    }
}

/// Returns the least that the control groups of the process leave, in bytes, or `None` if they limit nothing.
fn least_of_groups(text: &dyn Fn(&Path) -> String, swap: u64) -> Option<u64> {
    let own = text(Path::new("/proc/self/cgroup"));
    let mut least = None;
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let files = match controllers {
            "" => VERSION_2,
            names if names.split(',').any(|name| name == "memory") => VERSION_1,
            _ => continue,
        };
        let top = Path::new(files.top);
        // In a container the path may be the one outside of it, so that only the group at the top can be read.
        let group = top.join(path.trim_start_matches('/'));
        for group in group.ancestors().take_while(|group| group.starts_with(top)) {
            let room = files.room(group, text, swap);
            least = least.into_iter().chain(room).min();
        }
    }
    least
}

impl GroupFiles {
    /// Returns what a group leaves, in bytes, or `None` if it limits nothing. `swap` is what the machine has of it.
    fn room(&self, group: &Path, text: &dyn Fn(&Path) -> String, swap: u64) -> Option<u64> {
        let read = |file| text(&group.join(file));
        let limit = number(&read(self.limit))?;
        let used = number(&read(self.usage))?;
        let parts = read("memory.stat");
        let part = |name: &str| {
            let mut pairs = parts.lines().filter_map(|line| line.split_once(' '));
            pairs.find_map(|(key, value)| number(value).filter(|_| key == name))
        };
        // The kernel drops pages of files first. Version 1 counts those of the groups below apart.
        let pages = part("total_cache").or_else(|| part("file")).unwrap_or(0);
        let swap = number(&read("memory.swap.max")).map_or(swap, |limit| {
            let used = number(&read("memory.swap.current")).unwrap_or(0);
            limit.saturating_sub(used).min(swap)
        });
        let left = limit.saturating_sub(used.saturating_sub(pages));
        Some(left.saturating_add(swap))
    }
}

/// Returns a number of a text of `/proc` in bytes.
fn kib(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    number(line.trim_end_matches("kB"))?.checked_mul(KIB)
}

/// Reads a number; `max` is none.
fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}
