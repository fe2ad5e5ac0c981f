//! A scheduler's own outputs with pseudonyms in place of names. Only what is known to be no name is kept: a description,
//! a limit's name or the command line of an admin would tell as much as a name.

use super::slurm::{assoc_mgr, config, json};
use crate::base::shown::{Shown, sentence};
use crate::model::{Named, Pseudonyms};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::HashSet;

/// Why the names of an output cannot be replaced.
#[derive(Debug, thiserror::Error)]
#[error(
    "the names in {file} cannot be told from the rest ({what}), so nothing was saved; take the snapshot without \
     --anonymise, and write a tree without names with fairscope convert --anonymise"
)]
pub struct AnonymiseError {
    file: &'static str,
    what: Shown,
}

/// Returns an output of Slurm or Flux, saved under this name, with pseudonyms.
pub(crate) fn output(
    file: &'static str,
    bytes: &[u8],
    pseudonyms: &Pseudonyms,
) -> Result<Vec<u8>, AnonymiseError> {
    let made = match file {
        "sshare.json" => shares(bytes, pseudonyms),
        "scontrol_config.txt" => Ok(config::anonymised(bytes, pseudonyms)),
        "assoc_mgr.txt" => Ok(assoc_mgr::anonymised(bytes, pseudonyms)),
        _ => rows(bytes, pseudonyms),
    };
    made.map_err(|what| AnonymiseError { file, what })
}

/// The line before the tree of a cluster.
const BANNER: &[u8] = b"CLUSTER: ";

fn banner(line: &[u8], pseudonyms: &Pseudonyms) -> Option<Vec<u8>> {
    let cluster = line.strip_prefix(BANNER)?;
    let cluster = pseudonyms.of(Named::Cluster, cluster.trim_ascii());
    Some([BANNER, cluster.as_bytes()].concat())
}

/// What the column of a title holds.
enum Content {
    Name(Named),
    Number,
    Unknown,
}

fn content(title: &str) -> Content {
    match title {
        "Account" | "Bank" => Content::Name(Named::Account),
        "User" | "Username" => Content::Name(Named::User),
        "Partition" => Content::Name(Named::Partition),
        "Cluster" => Content::Name(Named::Cluster),
        "" | "ID" | "RawShares" | "NormShares" | "RawUsage" | "NormUsage" | "EffectvUsage"
        | "FairShare" | "LevelFS" | "GrpTRESMins" | "GrpTRESRaw" | "TRESRunMins" | "Active"
        | "Fairshare" => Content::Number,
        _ => Content::Unknown,
    }
}

/// Rewrites rows of fields between bars, below a line of their titles: `sshare -P` and `flux account view-bank -t -P`.
fn rows(bytes: &[u8], pseudonyms: &Pseudonyms) -> Result<Vec<u8>, Shown> {
    let mut columns = Vec::new();
    let mut made = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b'|').collect();
        if let Some(banner) = banner(line, pseudonyms) {
            made.push(banner);
        } else if fields.len() < 2 {
            made.push(Vec::new());
        } else if matches!(fields[0].trim_ascii(), b"Account" | b"Bank" | b"Cluster") {
            let titles = fields.iter().map(|title| String::from_utf8_lossy(title));
            columns = titles.map(|title| content(title.trim())).collect();
            made.push(line.to_vec());
        } else if fields.len() > columns.len() {
            let (count, most) = (fields.len(), columns.len());
            return Err(sentence!("a row has {count} fields below {most} titles"));
        } else {
            let fields = fields.iter().zip(&columns);
            let fields = fields.map(|(field, column)| match column {
                Content::Name(named) => {
                    let name = field.trim_ascii();
                    let indent = field.len() - field.trim_ascii_start().len();
                    [&field[..indent], pseudonyms.of(*named, name).as_bytes()].concat()
                }
                Content::Number => field.to_vec(),
                Content::Unknown => Vec::new(),
            });
            made.push(fields.collect::<Vec<_>>().join(&b'|'));
        }
    }
    Ok(made.join(&b'\n'))
}

/// Rewrites `sshare --json`: its associations, and of the rest the versions and the cluster.
fn shares(bytes: &[u8], pseudonyms: &Pseudonyms) -> Result<Vec<u8>, Shown> {
    let mut lines = Vec::new();
    let mut text = bytes.trim_ascii_start();
    if let Some(end) = memchr::memchr(b'\n', text)
        && let Some(banner) = banner(&text[..end], pseudonyms)
    {
        lines.push(banner);
        text = &text[end..];
    }
    let mut document: Value =
        serde_json::from_slice(&json::legal(text)).map_err(|error| Shown::error(&error))?;
    let take = |of: &mut Value| of.get_mut("shares").map(Value::take);
    let mut shares = take(&mut document).unwrap_or_default();
    if shares.is_object() {
        shares = take(&mut shares).unwrap_or_default();
    }
    let associations = shares.as_array_mut().ok_or("it has no list of shares")?;
    for association in associations {
        let is_user = association["type"].to_string().contains("USER");
        let own = if is_user { Named::User } else { Named::Account };
        for (key, named) in [
            ("name", own),
            ("parent", Named::Account),
            ("partition", Named::Partition),
            ("cluster", Named::Cluster),
        ] {
            if let Some(name) = association.get_mut(key)
                && let Some(text) = name.as_str()
            {
                *name = pseudonyms.of(named, text.as_bytes()).into();
            }
        }
    }
    let (slurm, plugin) = (&document["meta"]["slurm"], &document["meta"]["plugin"]);
    let cluster = slurm["cluster"].as_str().unwrap_or_default();
    let made = serde_json::json!({
        "shares": { "shares": shares },
        "meta": {
            "plugin": { "data_parser": plugin["data_parser"] },
            "slurm": {
                "version": slurm["version"],
                "release": slurm["release"],
                "cluster": pseudonyms.of(Named::Cluster, cluster.as_bytes()),
            },
        },
    });
    lines.push(serde_json::to_vec(&made).map_err(|error| Shown::error(&error))?);
    Ok(lines.join(&b'\n'))
}

/// The tables of flux-accounting that are read.
const TABLES: &str = "association_table bank_table config_table priority_factor_weight_table t_half_life_period_table \
                      job_usage_factor_table job_usage_per_association_table";

/// The beginnings of their columns that hold neither a name nor a text of an admin.
const COLUMNS: &str = "creation_time mod_time active shares job_usage fairshare max_ bank_id priority key value factor \
                       weight end_half_life_period period last_job_timestamp usage_factor_period_ id";

/// Rewrites a copy of flux-accounting's database, and leaves out whatever else it holds.
pub fn database(copy: &Connection, pseudonyms: &Pseudonyms) -> rusqlite::Result<()> {
    let texts = |query: &str| -> rusqlite::Result<Vec<String>> {
        copy.prepare(query)?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    let is_read = |name: &str| TABLES.split(' ').any(|table| table == name);
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    for kind in ["trigger", "view", "table"] {
        let query = format!("SELECT name FROM sqlite_master WHERE type = '{kind}'");
        for name in texts(&query)? {
            if !is_read(&name) && !name.starts_with("sqlite_") {
                copy.execute_batch(&format!("DROP {kind} IF EXISTS {}", quoted(&name)))?;
            }
        }
    }
    let mut tables = texts("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    tables.retain(|table| is_read(table));
    for table in tables {
        for column in texts(&format!("SELECT name FROM pragma_table_info('{table}')"))? {
            let named = match &column[..] {
                "username" => Named::User,
                "bank" | "parent_bank" | "default_bank" => Named::Account,
                "cluster" => Named::Cluster,
                column if COLUMNS.split(' ').any(|known| column.starts_with(known)) => continue,
                column => {
                    // The defaults of flux-accounting, which tells users apart by their names alone.
                    let usual = match column {
                        "userid" => "65534",
                        "projects" | "default_project" => "'*'",
                        _ => "''",
                    };
                    let column = quoted(column);
                    copy.execute_batch(&format!("UPDATE {table} SET {column} = {usual}"))?;
                    continue;
                }
            };
            let query =
                format!("SELECT DISTINCT CAST({column} AS TEXT) FROM {table} WHERE {column} <> ''");
            let names: HashSet<String> = texts(&query)?.into_iter().collect();
            let query = format!("UPDATE {table} SET {column} = ?1 WHERE {column} = ?2");
            let mut update = copy.prepare(&query)?;
            for name in names {
                update.execute([pseudonyms.of(named, name.as_bytes()), name])?;
            }
        }
    }
    copy.execute_batch("VACUUM")
}
