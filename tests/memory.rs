//! The memory that is left, as the kernel's own texts tell it.

use fairscope::base::memory::{Limit, Room};
use std::path::Path;

const MIB: u64 = 1 << 20;

/// A process that has 300 MiB of addresses and 40 MiB of data, on a machine with 2 GiB and some swap.
const STATUS: &str = "Name:\tfairscope\nVmPeak:\t  409600 kB\nVmSize:\t  307200 kB\nVmRSS:\t   20480 kB\n\
                      VmData:\t   40960 kB\nThreads:\t3\n";
const MEMINFO: &str = "MemTotal:        8388608 kB\nMemFree:          102400 kB\nMemAvailable:    2097152 kB\n\
                       SwapTotal:             0 kB\nSwapFree:              0 kB\n";

/// Returns what is left with files of these texts; others cannot be read.
fn left(limits: [Option<u64>; 2], files: &[(&str, &str)]) -> Option<(u64, Limit)> {
    let text = |path: &Path| {
        let file = files.iter().find(|(name, _)| Path::new(name) == path);
        file.map_or_else(String::new, |(_, text)| (*text).to_owned())
    };
    let room = Room::of(limits, &text)?;
    Some((room.bytes / MIB, room.limit))
}

#[test]
fn what_cannot_be_read_is_no_limit() {
    assert_eq!(left([None, None], &[]), None);
    assert_eq!(left([Some(MIB), Some(MIB)], &[]), None);
    let files = [
        ("/proc/self/status", "VmSize:\tmany kB\n"),
        ("/proc/meminfo", "MemAvailable:\n"),
        ("/proc/self/cgroup", "what\n0::\n"),
    ];
    assert_eq!(left([Some(MIB), Some(MIB)], &files), None);
}

#[test]
fn the_least_limit_counts() {
    let files = [("/proc/self/status", STATUS), ("/proc/meminfo", MEMINFO)];
    let machine = Some((2048, Limit::Machine));
    assert_eq!(left([None, None], &files), machine);
    assert_eq!(left([Some(4096 * MIB), None], &files), machine);
    assert_eq!(
        left([Some(400 * MIB), None], &files),
        Some((100, Limit::AddressSpace))
    );
    assert_eq!(
        left([Some(400 * MIB), Some(64 * MIB)], &files),
        Some((24, Limit::Data))
    );
    // Less than the process has already.
    assert_eq!(
        left([Some(MIB), None], &files),
        Some((0, Limit::AddressSpace))
    );
    let swap = MEMINFO.replace("SwapFree:              0", "SwapFree:        1048576");
    let files = [("/proc/self/status", STATUS), ("/proc/meminfo", &*swap)];
    assert_eq!(left([None, None], &files), Some((3072, Limit::Machine)));
}

#[test]
fn groups_of_version_2_limit_each_other() {
    let job = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7";
    let own = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n";
    let [limit, usage, parts, swap_limit, swap_usage] = [
        "memory.max",
        "memory.current",
        "memory.stat",
        "memory.swap.max",
        "memory.swap.current",
    ]
    .map(|file| format!("{job}/{file}"));
    let slice = "/sys/fs/cgroup/system.slice/memory.max";
    let swap = MEMINFO.replace("SwapFree:              0", "SwapFree:        1048576");
    let mut files = vec![
        ("/proc/meminfo", &*swap),
        ("/proc/self/cgroup", own),
        (slice, "max\n"),
        (&*limit, "536870912\n"),
        (&*usage, "402653184\n"),
        (&*swap_limit, "0\n"),
        (&*swap_usage, "0\n"),
    ];
    assert_eq!(left([None, None], &files), Some((128, Limit::Group)));
    // Pages of files are given back.
    files.push((&*parts, "anon 134217728\nfile 268435456\nkernel 0\n"));
    assert_eq!(left([None, None], &files), Some((384, Limit::Group)));
    // Swap that the group may use.
    files[5].1 = "104857600\n";
    files[6].1 = "52428800\n";
    assert_eq!(left([None, None], &files), Some((434, Limit::Group)));
    files[5].1 = "max\n";
    assert_eq!(left([None, None], &files), Some((1408, Limit::Group)));
}

#[test]
fn groups_of_version_1_limit_too() {
    let own = "5:cpu,cpuacct:/docker/7\n4:hugetlb,memory:/docker/7\n0::/\n";
    // In a container only the top can be read.
    let top = "/sys/fs/cgroup/memory";
    let [limit, usage, parts] = [
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "memory.stat",
    ]
    .map(|file| format!("{top}/{file}"));
    let mut files = vec![
        ("/proc/meminfo", MEMINFO),
        ("/proc/self/cgroup", own),
        (&*limit, "268435456\n"),
        (&*usage, "134217728\n"),
        (&*parts, "cache 0\nrss 67108864\ntotal_cache 67108864\n"),
    ];
    assert_eq!(left([None, None], &files), Some((192, Limit::Group)));
    // Without a limit the kernel gives the largest number of pages.
    files[2].1 = "9223372036854771712\n";
    assert_eq!(left([None, None], &files), Some((2048, Limit::Machine)));
}

#[test]
fn this_machine_tells_what_is_left() {
    if Path::new("/proc/meminfo").exists() {
        let room = Room::now().expect("Linux says what is available");
        assert!(room.bytes > 0, "{room:?}");
    } else {
        println!("skipped: there is no /proc/meminfo");
    }
}
