//! Long outputs of Slurm, read in windows, so that the file takes no memory. Its numbers are those of the whole file: what
//! is unusual is read again as a whole, by the reader that says what it is.

use super::input::{self, HEAD, Input, LONG, Windows};
use super::slurm::rows::Rows;
use super::slurm::{assoc_mgr, json, sshare};
use super::{Format, LoadError, OnProgress, Request, check_head, detect, memory, tidied};
use std::path::Path;

/// Reads the file of a request, or returns `None` if it is to be read as a whole: it is short, of another format,
/// unusual, or one of several.
///
/// # Errors
/// If the file cannot be read, or the user cancelled.
pub(super) fn read(request: &Request, report: OnProgress<'_>) -> Result<Option<Rows>, LoadError> {
    let is_alone = request.more.is_empty() && request.path != Path::new("-");
    if !is_alone || request.usage.is_some() || request.sched_config.is_some() {
        return Ok(None);
    }
    read_by(request, (LONG, HEAD), report)
}

/// Reads a file of at least so many bytes in steps of so many.
fn read_by(
    request: &Request,
    (least, step): (u64, usize),
    report: OnProgress<'_>,
) -> Result<Option<Rows>, LoadError> {
    let Some(mut windows) = Windows::open(&request.path, least, step, report)? else {
        return Ok(None);
    };
    windows.fill(0)?;
    let head = windows.start();
    let Some(format) = format(&head, request) else {
        return Ok(None);
    };
    let file = head.name();
    if memory::check_by_start(format, &file, &head.bytes, windows.length()).is_err() {
        return Ok(None);
    }
    match format {
        Format::SlurmJson => json::windows::read(windows, file),
        Format::AssocMgr => assoc_mgr::read_windows(windows, file),
        _ => sshare::read_windows(windows, file),
    }
}

/// Returns the format of a file with this beginning, or `None` if it is not one that is read in windows.
fn format(head: &Input, request: &Request) -> Option<Format> {
    let format = detect::detect(head)?;
    let is_long = matches!(
        format,
        Format::SlurmJson | Format::AssocMgr | Format::Sshare
    );
    let is_asked_for = request.format.is_none_or(|asked| asked == format);
    let is_usual = !input::is_packed(&head.bytes)
        && input::check_first_line(head).is_ok()
        && check_head(head, request).is_ok()
        && input::check(head).is_ok();
    let is_good = is_long && is_asked_for && is_usual;
    (is_good && tidied(head.clone()) == *head).then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::format::slurm;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::io::Write as _;
    use std::ops::ControlFlow;

    /// Returns everything that was read, as text: numbers to their last bit, and no number is its own equal.
    fn all(rows: &Rows) -> String {
        let count = rows.rows.len();
        let names: Vec<_> = rows.names.names().iter().collect();
        let figures = rows.figures.iter();
        let figures = figures.map(|(fact, figures)| {
            let of_rows = (0..count).map(|row| figures.at(row));
            (fact, of_rows.collect::<Vec<_>>())
        });
        let texts = rows.texts.iter();
        let texts = texts.map(|(fact, texts)| {
            let of_rows = (0..count).map(|row| texts.at(row));
            (fact, of_rows.collect::<Vec<_>>())
        });
        format!(
            "{:?}",
            (
                (&rows.file, names, &rows.rows, &rows.problems),
                (figures.collect::<Vec<_>>(), texts.collect::<Vec<_>>()),
                (rows.usage_precision, &rows.version, rows.taken),
                (rows.policy, rows.tie_order, rows.incomplete),
            )
        )
    }

    /// Reads a text in windows, and as a whole.
    fn both(text: &[u8], step: usize) -> (Option<String>, Option<String>) {
        let mut file = tempfile::NamedTempFile::new().expect("a file can be made");
        file.write_all(text).expect("it can be written");
        let request = Request {
            path: file.path().to_owned(),
            ..Request::default()
        };
        let mut report = |_: &_| ControlFlow::Continue(());
        let in_windows = read_by(&request, (0, step), &mut report).expect("nobody cancelled");
        let whole = input::read(file.path(), &mut report).expect("it is there");
        let whole = tidied(whole);
        let format = detect::detect(&whole);
        let whole = format.and_then(|format| slurm::read(format, &whole, &mut report).ok());
        (in_windows.as_ref().map(all), whole.as_ref().map(all))
    }

    fn association(name: &str, parent: &str, number: &str, gap: &str) -> String {
        format!(
            "{{\"id\": 3,{gap} \"cluster\": \"c\",{gap}\"name\": \"{name}\", \"parent\": \"{parent}\", \
             \"shares_normalized\": {{\"set\": true, \"infinite\": false, \"number\": {number}}}, \
             \"shares\": 4, \"usage\": 7, \"fairshare\": {{\"level\": {number}}},{gap} \"tres\": {{\"usage\": \
             [{{\"name\": \"billing\", \"value\": 7.25}}], \"group_minutes\": [{{\"name\": \"cpu\", \"value\": 1}}]}}, \
             \"type\": [\"USER\"]}}"
        )
    }

    fn associations() -> impl Strategy<Value = Vec<(String, String, &'static str, &'static str)>> {
        let name = prop_oneof![4 => "[a-d]{1,3}", 1 => "(\\\\\"|\\\\u00e9|\u{e9}|\\]|NaN|, ){1,3}"];
        let number = prop_oneof![
            4 => Just("0.25"),
            1 => Just("Infinity"),
            1 => Just("-Infinity"),
            1 => Just("NaN"),
            1 => Just("null"),
            1 => Just("18446744073709551615.0"),
        ];
        let gap = prop_oneof![
            Just(""),
            Just("\n    "),
            Just(" \"other\": [[1], {\"]\": 2}], ")
        ];
        vec((name, "[a-d]{1,2}", number, gap), 4..16)
    }

    const AROUND: [(&str, &str); 4] = [
        ("{\"shares\": {\"shares\": [", "]}, \"errors\": []}"),
        (
            "\n{\n\"shares\" : [\n",
            "\n],\n\"meta\": {\"Slurm\": {\"release\": \"24.05.1\", \"cluster\": \"d\"}}, \"warnings\": \
             [{\"description\": \"odd\"}]}\n",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent: json\r\n\r\n{\"shares\":{ \"shares\":[",
            "], \"more\": 1}, \"meta\": {\"command\": [\"sshare\", \"-A\", \"x\"]}}\n\nConnection: Close",
        ),
        (
            "{\"shares\": {\"shares\": [",
            "]}}\nCLUSTER: other\n{\"shares\": {\"shares\": [{\"name\": \"z\", \"parent\": \"\"}]}}",
        ),
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn json_in_windows_is_json(
            associations in associations(),
            around in prop::sample::select(AROUND.to_vec()),
            step in 420_usize..1500,
        ) {
            let list = associations.iter();
            let list = list.map(|(name, parent, number, gap)| association(name, parent, number, gap));
            let text = [around.0, &list.collect::<Vec<_>>().join(" ,\n "), around.1].concat();
            let (in_windows, whole) = both(text.as_bytes(), step);
            prop_assert!(whole.is_some(), "{}", text);
            prop_assert_eq!(in_windows, whole);
        }

        #[test]
        fn odd_json_in_windows_is_left_alone(
            associations in associations(),
            around in prop::sample::select(AROUND.to_vec()),
            odd in "(null|,|\\[\\]|\\{\\}|\\{|\\]|\"|1|Infinity|\\{\"name\": 1\\}|\\{\"id\": \"x\"\\})",
            place in 0_usize..16,
            cut in prop_oneof![2 => Just(0_usize), 1 => 1_usize..600],
            step in 420_usize..1500,
        ) {
            let list = associations.iter();
            let list = list.map(|(name, parent, number, gap)| association(name, parent, number, gap));
            let mut list: Vec<String> = list.collect();
            list.insert(place.min(list.len()), odd);
            let text = [around.0, &list.join(","), around.1].concat();
            let text = &text.as_bytes()[..text.len() - cut];
            let (in_windows, whole) = both(text, step);
            prop_assert!(in_windows.is_none() || in_windows == whole);
        }

        #[test]
        fn blocks_in_windows_are_blocks(
            blocks in vec(("[a-d =]{1,3}", "([a-d]{1,3}\\([0-9]\\))?", "(0\\.25|x|inf)", 0_u8..40), 2..20),
            after in prop_oneof![
                4 => Just(""),
                1 => Just("\nUser Records\n\nUserName=a\nClusterName=c Account=z\n"),
                1 => Just("\nQOS Records\n"),
                1 => Just("[root@host ~]$ exit\n"),
                1 => Just("ClusterName=c Acc"),
            ],
            step in 300_usize..900,
        ) {
            let mut text = "Current Association Manager state\n\nAssociation Records\n\n".to_owned();
            for (account, user, number, odd) in blocks {
                let share = if odd == 0 { "none" } else { "3" };
                text.extend([
                    "ClusterName=c Account=", &account, " UserName=", &user, " Partition= Priority=0 ID=7\n    ",
                    "SharesRaw/Norm/Level/Factor=", share, "/", &number, "/12/0.75\n    UsageRaw/Norm/Efctv=41.99/",
                    &number, "/1.00\n    ParentAccount=a(1) Lft=4 DefAssoc=No\n    ",
                    "GrpTRESMins=cpu=1000(58),mem=N(3)\n", if odd == 1 { "\r\n" } else { "" },
                ]);
            }
            text += after;
            let (in_windows, whole) = both(text.as_bytes(), step);
            let is_usual = !text.contains(['\r', '$']);
            prop_assert!(whole.is_some());
            if is_usual {
                prop_assert_eq!(in_windows, whole);
            } else {
                prop_assert!(in_windows.is_none() || in_windows == whole);
            }
        }

        #[test]
        fn lines_in_windows_are_lines(
            rows in vec(("[ ]{1,3}", "[a-d]{1,2}", "[a-d]{0,2}", "(0\\.25|x|inf)", 0_u8..60), 8..30),
            header in prop_oneof![
                Just("Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare"),
                Just("# comment\nAccount|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare"),
                Just("CLUSTER: one\n\nAccount|User|RawShares|Other|RawUsage|EffectvUsage|FairShare"),
            ],
            end in prop_oneof![3 => Just("\n"), 1 => Just(""), 1 => Just("\n\n"), 1 => Just("\n[a@b ~]$ exit\n")],
            step in 200_usize..700,
        ) {
            let mut text = format!("{header}\nroot||1|1.0|100|1.0|\n");
            let again = header.rsplit('\n').next().unwrap_or_default();
            for (blanks, account, user, number, odd) in rows {
                let between = match odd {
                    0 => "\n",
                    1 => again,
                    2 => "CLUSTER: two",
                    3 => "> ",
                    4 => "nothing",
                    _ => "",
                };
                text.extend([&blanks, account.as_str(), "|", &user, "|3|", &number, "|7|", &number, "|0.5\n", between]);
                text += if between.is_empty() { "" } else { "\n" };
            }
            text.truncate(text.len() - 1);
            text += end;
            let (in_windows, whole) = both(text.as_bytes(), step);
            let is_usual = !text.contains(['#', '>', '$']);
            prop_assert!(in_windows == whole || (in_windows.is_none() && !is_usual), "{}", text);
        }
    }
}
