//! Numbers over time are drawn.

use super::{line_of, page};
use crate::support::expected::Expected as _;
use crate::support::markup::{Element, Markup};

/// Returns the captions of the figures.
fn captions(page: &Markup) -> Vec<String> {
    page.all("figcaption").map(|it| it.text.clone()).collect()
}

/// Returns the lines of a figure: the points of each, in the units of the drawing.
fn curves(page: &Markup, figure: &Element) -> Vec<Vec<Vec<(f64, f64)>>> {
    let svg = page.children(figure).find(|it| it.name == "svg");
    let svg = svg.expect("a figure has a drawing");
    let curves = page.children(svg).filter(|it| it.is_of("curve"));
    let pieces = |curve: &Element| -> Vec<Vec<(f64, f64)>> {
        let points = curve.attribute("d").split('M').skip(1);
        let point = |text: &str| {
            let (x, y) = text.split_once(',').expect("two coordinates");
            (x.parse().unwrap(), y.parse().unwrap())
        };
        points
            .map(|piece| piece.split('L').map(point).collect())
            .collect()
    };
    curves.map(pieces).collect()
}

#[test]
fn a_forecast_is_drawn_with_a_line_for_each_node() {
    let page = page(line_of("simulate"));
    assert_eq!(
        captions(&page),
        ["Usage", "Of level", "Factor", "Rank, first at the top"]
    );
    let figures: Vec<_> = page.all("figure").collect();
    let usage = curves(&page, figures[0]);
    assert_eq!(usage.len(), 2, "two nodes");
    let of_first: Vec<usize> = usage[0].iter().map(Vec::len).collect();
    assert_eq!(of_first, [15], "one point a moment, no gap");
    assert!(usage[0][0].windows(2).all(|pair| pair[0].0 < pair[1].0));
    // Usage falls, so the line goes down, which is a larger number.
    assert!(usage[0][0].windows(2).all(|pair| pair[0].1 <= pair[1].1));
    // An account has no rank, and no line.
    assert_eq!(curves(&page, figures[3]).len(), 1);
    let legend = page.all("ol").find(|it| it.is_of("legend"));
    let legend = legend.expect("a legend");
    let names: Vec<_> = page.children(legend).map(|it| it.text.trim()).collect();
    assert_eq!(names, ["chemistry/polymers/priya", "physics"]);
}

#[test]
fn the_other_setting_is_drawn_beside() {
    let page = page(line_of("compare"));
    let figure = page.all("figure").next().unwrap();
    let svg = page.children(figure).find(|it| it.name == "svg").unwrap();
    let dotted = page
        .children(svg)
        .filter(|it| it.is_of("curve") && it.is_of("other"));
    assert_eq!(dotted.count() * 2, curves(&page, figure).len());
    page.one("main")
        .text
        .must_contain("dotted: with PriorityDecayHalfLife=2-0");
}

#[test]
fn what_a_busy_cluster_delivers_is_drawn_beside_the_targets() {
    let page = page("simulate SEED --until 2d --cores 64 --against level-based");
    assert_eq!(
        captions(&page),
        [
            "Delivered share under PBS fairshare",
            "Delivered share under Slurm LEVEL_BASED"
        ]
    );
    for figure in page.all("figure") {
        let curves = curves(&page, figure);
        assert_eq!(curves.len(), 4, "two groups and their targets");
        for (place, curve) in curves.iter().enumerate() {
            let heights = curve.iter().flatten().map(|point| point.1.to_string());
            let heights: Vec<String> = heights.collect();
            let is_level = heights.windows(2).all(|pair| pair[0] == pair[1]);
            assert_eq!(is_level, place % 2 == 1, "only a target stays: {heights:?}");
        }
    }
    page.one("main").text.must_contain("dotted: the target");
}

#[test]
fn what_is_missing_in_a_series_is_a_gap_in_the_line() {
    let page = page(line_of("timeline"));
    assert_eq!(captions(&page), ["Rank, first at the top"]);
    let ranks = curves(&page, page.all("figure").next().unwrap());
    assert_eq!(ranks.len(), 4);
    let bob: Vec<usize> = ranks[0].iter().map(Vec::len).collect();
    assert_eq!(bob, [2, 1], "two days, a day missing, a day, and then gone");
    // First at the top: rank 1 is drawn above rank 3.
    assert!(ranks[0][0][0].1 < ranks[0][0][1].1);
}

#[test]
fn each_followed_node_has_its_own_drawings() {
    let page = page(line_of("timeline-nodes"));
    let captions = captions(&page);
    // Nothing is drawn of what never changed.
    assert_eq!(
        captions,
        [
            "Usage",
            "NormShares",
            "Rank, first at the top",
            "Factor",
            "Usage"
        ]
    );
}

#[test]
fn a_drawing_is_told_to_who_cannot_see_it() {
    for name in ["simulate", "compare", "timeline", "timeline-nodes"] {
        let page = page(line_of(name));
        for svg in page.all("figure").flat_map(|it| page.children(it)) {
            if svg.name != "svg" {
                continue;
            }
            assert_eq!(svg.attribute("role"), "img");
            assert!(!svg.attribute("aria-label").is_empty());
        }
    }
}

/// Returns the texts of a class in a drawing.
fn texts<'a>(page: &'a Markup, svg: &'a Element, class: &str) -> Vec<&'a str> {
    let found = page.children(svg).filter(|it| it.is_of(class));
    found.map(|it| &it.text[..]).collect()
}

#[test]
fn no_two_numbers_of_an_axis_read_the_same() {
    let mut axes = 0;
    for (name, line) in super::PAGES {
        let page = page(line);
        for svg in page.all("figure").flat_map(|it| page.children(it)) {
            if svg.name != "svg" {
                continue;
            }
            let numbers = texts(&page, svg, "scale");
            let mut once = numbers.clone();
            once.dedup();
            assert_eq!(once, numbers, "{name}");
            axes += 1;
        }
    }
    assert!(axes > 12, "{axes}");
    // The factors of a priority differ in the seventh digit here.
    let folder = tempfile::tempdir().unwrap();
    for (day, usage) in [("2025-04-01", 1_000_000_000), ("2025-04-02", 1_000_000_001)] {
        let tree = format!("parent,name,shares,usage,type\n,ann,1,{usage},user\n,bob,1,9,user\n");
        std::fs::write(folder.path().join(format!("t-{day}.csv")), tree).unwrap();
    }
    let page = page(&format!("timeline {} --node ann", folder.path().display()));
    let mut drawn = page.all("figure").flat_map(|it| page.children(it));
    let svg = drawn.find(|it| it.name == "svg").expect("usage is drawn");
    let numbers = texts(&page, svg, "scale");
    assert!(numbers.contains(&"1,000,000,000.5"), "{numbers:?}");
}

#[test]
fn a_figure_alone_is_drawn_for_wide_and_for_narrow_windows() {
    let alone = page(line_of("timeline"));
    let figure = alone.all("figure").next().expect("a figure");
    let drawn: Vec<_> = alone
        .children(figure)
        .filter(|it| it.name == "svg")
        .collect();
    let classes: Vec<_> = drawn.iter().map(|it| it.attribute("class")).collect();
    assert_eq!(classes, ["wide", "narrow"]);
    let boxes: Vec<_> = drawn.iter().map(|it| it.attribute("viewBox")).collect();
    assert_ne!(boxes[0], boxes[1]);
    let several = page(line_of("simulate"));
    for figure in several.all("figure") {
        let drawn = several.children(figure).filter(|it| it.name == "svg");
        assert_eq!(drawn.count(), 1);
    }
}

#[test]
fn every_drawing_has_a_title() {
    for (name, line) in super::PAGES {
        let page = page(line);
        for svg in page.all("figure").flat_map(|it| page.children(it)) {
            if svg.name != "svg" {
                continue;
            }
            let first = page.children(svg).next().expect("a drawing has a title");
            assert_eq!(first.name, "title", "{name}");
            assert!(!first.text.is_empty(), "{name}");
        }
    }
}
