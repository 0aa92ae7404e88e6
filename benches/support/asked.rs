//! Filters and lists for benches that are no Criterion's.

/// Whether the command line asks for the bench of that name: it names none, or a part of this one. A list is answered here.
#[expect(clippy::print_stdout, reason = "a bench is listed as Criterion lists its own")]
pub(crate) fn is_asked_for(name: &str) -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut filters = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    let is_left = filters.peek().is_none() || filters.any(|filter| name.contains(filter.as_str()));
    let listed = arguments.iter().any(|argument| argument == "--list");
    if is_left && listed {
        println!("{name}: benchmark");
    }
    is_left && !listed
}
