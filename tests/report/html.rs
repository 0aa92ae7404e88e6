//! The HTML report: well-formed, self-contained, harmless, complete.

use patternbench::record::{EventRecord, RunRecord};
use patternbench::report::html;

use crate::markup::{Element, elements};
use crate::terminal::{troubled, typical};

pub(crate) fn all<'a>(page: &'a [Element], name: &str) -> Vec<&'a Element> {
    page.iter().filter(|element| element.name == name).collect()
}

/// The part of the page from one heading to the next of its level.
pub(crate) fn section<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("{from} is there"));
    let inside = start + from.len();
    let end = page[inside..].find(to).unwrap_or_else(|| panic!("{to} follows"));
    &page[start..inside + end]
}

/// One tag a line, so that a snapshot can be read.
pub(crate) fn readable(part: &str) -> String {
    part.replace("><", ">\n<")
}

#[test]
fn the_table_of_results() {
    let page = html(&typical());
    insta::assert_snapshot!(readable(section(&page, "<tbody class=\"group\"", "</table>")));
}

#[test]
fn notes_claims_and_bill() {
    let page = html(&typical());
    insta::assert_snapshot!(readable(section(&page, "<h3>Claims", "<h3>Models side by side")));
}

#[test]
fn the_command_to_run_it_again() {
    let page = html(&typical());
    insta::assert_snapshot!(readable(section(&page, "<h3>Run it again", "</section")));
}

#[test]
fn the_head_of_a_run_in_which_much_went_wrong() {
    let page = html(&troubled());
    insta::assert_snapshot!(readable(section(&page, "<header>", "<h3>Results")));
}

#[test]
fn the_page_needs_nothing_and_runs_nothing() {
    for run in [typical(), troubled()] {
        let page = html(&run);
        let elements = elements(&page);
        for forbidden in ["script", "link", "img", "iframe", "object", "embed", "form", "image", "use"] {
            assert!(all(&elements, forbidden).is_empty(), "{forbidden}");
        }
        for element in &elements {
            for (name, value) in &element.attributes {
                assert!(!name.starts_with("on"), "{name} would run something");
                assert!(!["src", "srcset", "data", "xlink:href"].contains(&name.as_str()));
                assert!(name != "href" || value.starts_with('#'), "{value} leads out of the page");
            }
        }
        assert!(!page.contains("url(") && !page.contains("@import"));
    }
}

#[test]
fn every_link_has_a_target_and_every_id_is_unique() {
    let page = html(&troubled());
    let elements = elements(&page);
    let mut ids: Vec<&String> = elements.iter().filter_map(|element| element.attributes.get("id")).collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for link in all(&elements, "a") {
        let target = link.attributes["href"].trim_start_matches('#').to_owned();
        assert!(ids.contains(&&target), "#{target}");
    }
}

#[test]
fn tables_can_be_read_aloud() {
    let page = html(&typical());
    let elements = elements(&page);
    let tables = all(&elements, "table").len();
    assert!(tables >= 4);
    assert_eq!(all(&elements, "caption").len(), tables, "every table has a caption");
    for head in all(&elements, "th") {
        assert!(["col", "row", "rowgroup"].contains(&head.attributes["scope"].as_str()));
    }
    assert_eq!(all(&elements, "html")[0].attributes["lang"], "en");
    assert_eq!(all(&elements, "h1").len(), 1);
}

#[test]
fn whatever_the_user_wrote_is_text() {
    let hostile = "<script>alert('x')</script>&\u{0}\u{202E}";
    let mut run = typical();
    run.label = Some(hostile.to_owned());
    run.server.host = hostile.to_owned();
    let scenario = &mut run.scenarios[0];
    (scenario.name, scenario.title, scenario.summary) = (hostile.into(), hostile.into(), hostile.into());
    scenario.parameters.insert(hostile.into(), hostile.into());
    scenario.claims[0].source = hostile.into();
    scenario.models[1].title = Some(hostile.into());
    scenario.models[1].collections[0].sample = serde_json::json!({hostile: hostile});
    scenario.events = vec![EventRecord { at: hostile.into(), model: Some(hostile.into()), what: hostile.into() }];
    let page = html(&run);
    assert!(all(&elements(&page), "script").is_empty());
    assert!(page.contains("&lt;script&gt;alert('x')&lt;/script&gt;&amp;"));
}

#[test]
fn several_scenarios_have_a_table_of_contents() {
    let mut run: RunRecord = typical();
    let mut second = run.scenarios[0].clone();
    second.name = "chat-conversations".to_owned();
    run.scenarios.push(second);
    let page = html(&run);
    let elements = elements(&page);
    let targets: Vec<_> = all(&elements, "a")
        .into_iter()
        .filter(|link| link.inside.iter().any(|around| around == "nav"))
        .map(|link| link.attributes["href"].as_str())
        .collect();
    assert_eq!(targets, ["#s1", "#s2"]);
}
