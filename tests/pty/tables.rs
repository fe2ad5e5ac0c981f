//! Tables of reports on a real terminal.

use crate::support::data;
use crate::support::expected::Expected as _;
use crate::support::terminal::Terminal;

/// The words on standard error where columns are left out.
const NARROW: &str = "the terminal is too narrow for ";

/// Runs a command on a terminal of 80 columns until it ends, and returns what it has written.
fn printed(arguments: &[&str]) -> String {
    let mut terminal = Terminal::fairscope(arguments, &[]);
    let (status, _) = terminal.wait_exit();
    assert!(status.success(), "{status}");
    String::from_utf8_lossy(terminal.log()).into_owned()
}

#[test]
fn a_table_fits_the_terminal_and_says_what_it_leaves_out() {
    let source = data("slurm/gold/sshare.txt");
    let source = source.to_str().expect("the path is plain");
    for command in ["show", "rank"] {
        let text = printed(&[command, source]);
        let (said, table): (Vec<&str>, Vec<&str>) = text
            .lines()
            .partition(|line| line.starts_with("fairscope: "));
        assert!(said.iter().any(|line| line.contains(NARROW)), "{text}");
        let is_narrow = |line: &&str| line.chars().count() <= 80;
        let rows: Vec<_> = table.iter().filter(|line| line.contains("  ")).collect();
        assert!(
            rows.len() > 2 && rows.iter().all(|line| is_narrow(line)),
            "{text}"
        );
        let chosen = printed(&[
            command,
            source,
            "--columns",
            "rank,norm_shares,norm_usage,effectv_usage,level_fs",
        ]);
        chosen.must_lack(NARROW);
    }
}
