//! The scenario to start from that `patternbench new NAME` writes.

const STARTER: &str = include_str!("starter.yaml");

/// The text of a small, complete, commented scenario, which passes `check` as it is.
///
/// `name` is the file's name without `.yaml`; it appears in the comments and, spelt for people, in the title.
pub fn starter(name: &str) -> String {
    STARTER.replace("{name}", name).replace("{title}", &title(name))
}

/// `product-list-page` → `Product list page`, in quotes where YAML would read it as something else than text.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut characters = words.trim().chars();
    let title: String = characters.next().into_iter().flat_map(char::to_uppercase).chain(characters).collect();
    if title.chars().all(|character| character.is_ascii_alphabetic() || character == ' ') && !is_word_of_yaml(&title) {
        title
    } else {
        format!("{title:?}")
    }
}

fn is_word_of_yaml(text: &str) -> bool {
    ["", "true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_spelt_for_people_and_are_text_in_yaml() {
        assert_eq!(title("product-list-page"), "Product list page");
        assert_eq!(title("one-2-many"), "\"One 2 many\"");
        assert_eq!(title("true"), "\"True\"");
        assert_eq!(title("2"), "\"2\"");
    }
}
