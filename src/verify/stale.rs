//! Numbers of different moments in one dump.
