//! The colours of pages can be read on both grounds.

use palette::Srgb;
use palette::color_difference::Wcag21RelativeContrast as _;
use std::collections::BTreeMap;
use std::str::FromStr as _;

const STYLE: &str = include_str!("../../../assets/page/page.css");

/// Returns the colours of a block by name.
fn colours(block: &str) -> BTreeMap<&str, Srgb> {
    let declarations = block.split(';').filter_map(|it| it.split_once(':'));
    let colours = declarations.filter_map(|(name, value)| {
        let colour = Srgb::<u8>::from_str(value.trim()).ok()?;
        let name = name.rsplit("--").next()?;
        Some((name, colour.into_format()))
    });
    colours.collect()
}

#[test]
fn text_and_lines_can_be_read_on_both_grounds() {
    let blocks = STYLE.split(":root {").skip(1);
    let blocks: Vec<_> = blocks
        .map(|block| colours(block.split_once('}').expect("a block ends").0))
        .collect();
    assert_eq!(blocks.len(), 2, "light and dark");
    for colours in blocks {
        assert_eq!(colours.len(), 23, "{:?}", colours.keys());
        for ground in ["ground", "raised", "hover"] {
            let contrast = |name: &str| colours[name].relative_contrast(colours[ground]);
            let is_line = |name: &str| name.len() == 2 && name.starts_with('s');
            for name in colours.keys() {
                let least = match *name {
                    "ground" | "raised" | "hover" | "rule" => continue,
                    name if is_line(name) => 3.0,
                    _ => 4.5,
                };
                let contrast = contrast(name);
                assert!(contrast >= least, "{name} on {ground}: {contrast:.2}");
            }
        }
    }
}
