//! Names of databases.

use std::fmt;

use bson::{Document, doc};

use super::error::GuardError;
use crate::scenario::Scenario;
use crate::server::DATABASE_PREFIX;

/// The longest name that a server takes.
pub const MAX_NAME_BYTES: usize = 63;
/// What stands in place of a model's name for the dataset itself.
const SOURCE: &str = "source";

/// Which of a model's databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The one that is measured.
    Measured,
    /// The small one for parity.
    Parity,
    /// The second one of a model that is compared with itself.
    Control,
}

impl Purpose {
    const fn suffix(self) -> &'static str {
        match self {
            Self::Measured => "",
            Self::Parity => "_parity",
            Self::Control => "_control",
        }
    }
}

/// The name of a database of patternbench's: `patternbench_<scenario>_<model>[_parity|_control]`, or
/// `patternbench_<scenario>_source[_parity]`.
///
/// Scenarios and models have no `_` in their names, so no two of them share a database; all is in lower case, since
/// servers refuse names that differ in case alone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatabaseName(String);

impl DatabaseName {
    /// The database of a model.
    ///
    /// # Errors
    /// Where a name holds other characters than `[a-z0-9-]`, the model is called `source`, or the whole is too long.
    pub fn model(scenario: &str, model: &str, purpose: Purpose) -> Result<Self, GuardError> {
        if model == SOURCE {
            return Err(GuardError::BadName { name: model.to_owned(), why: "it is the dataset's own".to_owned() });
        }
        Self::join(scenario, model, purpose)
    }

    /// The database of the dataset: the one for parity, or the one that measured models are built from.
    ///
    /// # Errors
    /// As for [`model`](Self::model).
    pub fn source(scenario: &str, parity: bool) -> Result<Self, GuardError> {
        Self::join(scenario, SOURCE, if parity { Purpose::Parity } else { Purpose::Measured })
    }

    fn join(scenario: &str, part: &str, purpose: Purpose) -> Result<Self, GuardError> {
        for name in [scenario, part] {
            let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            if name.is_empty() || !name.bytes().all(fits) {
                let why = "a name is made of lower-case letters, digits and dashes".to_owned();
                return Err(GuardError::BadName { name: name.to_owned(), why });
            }
        }
        let name = format!("{DATABASE_PREFIX}{scenario}_{part}{}", purpose.suffix());
        if name.len() > MAX_NAME_BYTES {
            let why =
                format!("a server takes {MAX_NAME_BYTES} bytes, these are {}; shorten scenario or model", name.len());
            return Err(GuardError::BadName { name, why });
        }
        Ok(Self(name))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatabaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Every database that runs of a scenario may use: the dataset's and each model's, with those for parity and control.
///
/// # Errors
/// Where a name is too long for a server.
pub fn planned(scenario: &Scenario) -> Result<Vec<DatabaseName>, GuardError> {
    let sources = [false, true].into_iter().map(|parity| DatabaseName::source(&scenario.name, parity));
    let purposes = [Purpose::Measured, Purpose::Parity, Purpose::Control];
    let models = scenario.models.iter().flat_map(|model| purposes.map(|purpose| (&model.name, purpose)));
    sources.chain(models.map(|(model, purpose)| DatabaseName::model(&scenario.name, model, purpose))).collect()
}

/// The roles that a user needs to run scenarios on these databases, and no more.
pub fn user_roles(databases: &[DatabaseName]) -> Vec<Document> {
    let roles = ["readWrite", "dbAdmin"];
    databases.iter().flat_map(|database| roles.map(|role| doc! {"role": role, "db": database.as_str()})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(scenario: &str, model: &str, purpose: Purpose) -> String {
        DatabaseName::model(scenario, model, purpose).unwrap().to_string()
    }

    #[test]
    fn names_say_scenario_model_and_purpose() {
        assert_eq!(name("chat", "naive", Purpose::Measured), "patternbench_chat_naive");
        assert_eq!(name("chat", "naive", Purpose::Parity), "patternbench_chat_naive_parity");
        assert_eq!(name("chat", "naive", Purpose::Control), "patternbench_chat_naive_control");
        assert_eq!(DatabaseName::source("chat", false).unwrap().as_str(), "patternbench_chat_source");
        assert_eq!(DatabaseName::source("chat", true).unwrap().as_str(), "patternbench_chat_source_parity");
    }

    #[test]
    fn sixty_three_bytes_are_the_most() {
        let frame = "patternbench__m_parity".len();
        let longest = "s".repeat(63 - frame);
        assert_eq!(name(&longest, "m", Purpose::Parity).len(), 63);
        let error = DatabaseName::model(&format!("{longest}s"), "m", Purpose::Parity).unwrap_err().to_string();
        assert!(error.contains("64"), "the error says how long it is: {error}");
    }

    #[test]
    fn what_would_make_two_names_one_is_refused() {
        for (scenario, model) in
            [("a_b", "m"), ("a", "m_parity"), ("A", "m"), ("", "m"), ("a", ""), ("a", "source"), ("ä", "m")]
        {
            assert!(DatabaseName::model(scenario, model, Purpose::Measured).is_err(), "{scenario} {model}");
        }
    }
}
