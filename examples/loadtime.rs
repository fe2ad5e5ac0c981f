use fairscope::format::{Request, input, load, pbs};
use std::time::Instant;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    for _ in 0..4 {
        let t = Instant::now();
        let request = Request {
            path: path.clone().into(),
            ..Request::default()
        };
        let loaded = load(&request, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
        let a = t.elapsed();
        println!(
            "load all {a:?} nodes {} problems {}",
            loaded.snapshot.tree.node_count(),
            loaded.problems.count()
        );
        let dir = std::path::Path::new(&path);
        let t = Instant::now();
        let rg = input::read(&dir.join("resource_group"), &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        let r = t.elapsed();
        let files = pbs::Files {
            resource_group: rg,
            ..Default::default()
        };
        let t = Instant::now();
        let p = pbs::parse(&files, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
        println!(
            "read {r:?} parse group+build {:?} {}",
            t.elapsed(),
            p.tree.node_count()
        );
    }
}
