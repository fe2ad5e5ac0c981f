//! The kinds of files in which trees are read and written. How each is read is the matter of `format`.

use crate::base::table::table;

table! {
    /// A kind of file that fairscope opens.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Format {
        Pbs, "pbs", "a PBS sched_priv directory, or a resource_group file with --usage and --sched-config";
        Sshare, "sshare", "what sshare prints: fixed width, -p or -P, any columns; best is sshare -a -l -P";
        SlurmJson, "slurm-json", "sshare -a --json, or slurmrestd's /shares";
        AssocMgr, "assoc-mgr", "scontrol show assoc_mgr flags=assoc";
        SacctmgrDump, "sacctmgr-dump", "sacctmgr dump CLUSTER: shares without usage";
        SacctmgrAssoc, "sacctmgr-assoc", "sacctmgr -P show assoc, with tree, or --json: shares without usage";
        Sreport, "sreport", "sreport cluster AccountUtilizationByUser: usage of a period, to combine with an output \
                             with shares";
        FluxDb, "flux-db", "a flux-accounting database, of any version since 0.10";
        FluxJson, "flux-json", "the JSON of flux account export-db -F, and of fairshare-emulate";
        ViewBank, "view-bank", "flux account view-bank ROOT -t, with or without -P";
        Csv, "csv", "parent,name,shares,usage,type with a header line";
        #[default] Toml, "toml", "fairscope's own trees and scenarios";
    }
}

impl Format {
    /// The formats in which a tree can be written.
    pub const WRITABLE: &'static [Self] = &[
        Self::Pbs,
        Self::SacctmgrDump,
        Self::FluxJson,
        Self::Csv,
        Self::Toml,
    ];

    /// Returns whether it is one of Slurm's, of which several can be opened together.
    pub(crate) const fn is_slurm(self) -> bool {
        matches!(
            self,
            Self::Sshare
                | Self::SlurmJson
                | Self::AssocMgr
                | Self::SacctmgrDump
                | Self::SacctmgrAssoc
                | Self::Sreport
        )
    }
}
