use fairscope::model::*;
use fairscope::policy::*;
use std::time::Instant;
fn tree(n: usize, shape: &str) -> Tree {
    let mut b = TreeBuilder::new(b"TREEROOT");
    b.reserve(n);
    let u = b.intern(b"unknown");
    let unknown = b.push(NodeId::ROOT, u, Kind::Account, Position::First);
    let mut accounts = vec![NodeId::ROOT];
    let mut x = 88172645463325252u64;
    let mut rnd = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    for i in 0..n {
        let name = b.intern(format!("user{i}").as_bytes());
        let parent = match shape {
            "flat" => NodeId::ROOT,
            "chain" => *accounts.last().unwrap(),
            _ => accounts[(rnd() as usize) % accounts.len()],
        };
        let node = b.push(parent, name, Kind::User, Position::First);
        b.set_shares(node, Shares::new((rnd() % 100 + 1) as i64));
        if shape == "chain" || (shape == "skewed" && i % 50 == 0) {
            accounts.push(node);
        } else {
            b.record(node, (rnd() % 1000000) as f64 / 7.0, true);
        }
    }
    b.follow_pbs(unknown);
    b.build()
}
fn main() {
    for shape in ["skewed", "flat", "chain"] {
        let n = if shape == "chain" { 100000 } else { 1_000_000 };
        let t = Instant::now();
        let tree = tree(n, shape);
        println!("{shape} build {:?}", t.elapsed());
        let s = Settings::default();
        for _ in 0..3 {
            let t = Instant::now();
            let e = Policy::Pbs.evaluate(&tree, &s);
            println!(
                "{shape} evaluate {:?} {:?}",
                t.elapsed(),
                e.rank(NodeId::from_index(5))
            );
        }
    }
}
