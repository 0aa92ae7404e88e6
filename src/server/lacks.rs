//! What a server lacks of what scenarios need.

use super::ServerFacts;
use super::secantusd::absent;
use crate::scenario::Need;
use crate::words::{Product, Topology};

/// The wire protocol of server 8.0, the first that takes writes to several collections in one request.
const BULK_WRITE_WIRE_VERSION: i32 = 25;

impl ServerFacts {
    /// Why the server does not give what is needed, as far as that is known without trying; `None` where it does, or where
    /// it can be tried.
    pub fn lacks(&self, need: Need) -> Option<String> {
        match need {
            Need::Transactions => lacks_transactions(self.topology),
            Need::ChangeStreams => {
                (self.topology == Topology::Standalone).then(|| "a standalone server has no change streams".to_owned())
            }
            Need::BulkWrite => lacks_bulk_write(self.wire_version, &format!("{} {}", self.product, self.version)),
            Need::WildcardIndex | Need::HashedIndex | Need::TextIndex | Need::TimeSeries => {
                (self.product == Product::Secantusd).then(|| absent(need)).flatten().map(str::to_owned)
            }
        }
    }
}

fn lacks_transactions(topology: Topology) -> Option<String> {
    (topology == Topology::Standalone).then(|| "a standalone server has no transactions".to_owned())
}

fn lacks_bulk_write(wire_version: i32, name: &str) -> Option<String> {
    (wire_version < BULK_WRITE_WIRE_VERSION)
        .then(|| format!("bulkWrite needs a server of version 8.0, which {name} is not"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_standalone_server_has_no_transactions() {
        let lacking: Vec<_> =
            Topology::ALL.iter().filter(|topology| lacks_transactions(**topology).is_some()).collect();
        assert_eq!(lacking, [&Topology::Standalone]);
    }

    #[test]
    fn writes_to_several_collections_came_with_8_0() {
        // 21 is 7.0, 24 the last before 8.0.
        for wire_version in [0, 21, 24] {
            let why = lacks_bulk_write(wire_version, "mongod 7.0.1").expect("it came later");
            assert_eq!(why, "bulkWrite needs a server of version 8.0, which mongod 7.0.1 is not");
        }
        assert_eq!(lacks_bulk_write(25, "mongod 8.0.4"), None);
    }
}
