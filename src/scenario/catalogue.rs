//! The scenarios that are built into the program.

/// Name and text of each file in `scenarios/`; a new file's name goes into the list below.
macro_rules! built_in {
    ($($name:literal)+) => {
        const BUILT_IN: &[(&str, &str)] = &[$(
            ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/", $name, ".yaml"))),
        )+];
    };
}

built_in! {
    "attribute-products"
    "bloated-documents"
    "blog-comments"
    "bucket-events-quarter"
    "bucket-sensors"
    "case-insensitive-search"
    "chat-conversations"
    "collection-per-tenant"
    "computed-likes"
    "computed-ratings"
    "ecommerce"
    "extended-reference-orders"
    "extended-reference-snapshot"
    "many-to-many-courses"
    "many-to-many-enrolments"
    "missing-index"
    "missing-validation"
    "multi-tenant-saas"
    "normalised-like-sql"
    "one-to-few-addresses"
    "one-to-many-orders"
    "one-to-many-parts"
    "one-to-one-profile"
    "one-to-squillions-logs"
    "order-lines-embedded"
    "outlier-bestseller"
    "polymorphic-catalogue"
    "polymorphic-payments"
    "product-list-page"
    "schema-versioning-people"
    "shared-child-embedded"
    "social-feed"
    "subset-reviews"
    "unbounded-array-followers"
    "unnecessary-indexes"
}

/// The text of the built-in scenario of that name.
pub fn builtin(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of the built-in scenarios, in alphabetical order.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_built_in_under_its_name() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
            .collect();
        files.sort();
        assert_eq!(builtin_names().collect::<Vec<_>>(), files);
        for name in files {
            let path = format!("{}/scenarios/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(builtin(&name), Some(&*std::fs::read_to_string(path).unwrap()), "{name}");
        }
        assert_eq!(builtin("no-such-scenario"), None);
    }
}
