//! Whether the bytes that are counted are those that cross the wire: a relay between driver and server counts them too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use bson::{Document, doc};
use mongodb::Database;
use patternbench::server::{SecretUri, ServerChoice, ServerOptions, Traffic, TrafficCount, open};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{shared_server, unique_name};

/// Bytes to the server and back, by connection.
type Counts = Arc<Mutex<BTreeMap<usize, (u64, u64)>>>;

/// Passes connections on to the server and counts what goes through each.
struct Relay {
    address: String,
    counts: Counts,
}

impl Relay {
    async fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it listens").to_string();
        let counts = Counts::default();
        let kept = Arc::clone(&counts);
        tokio::spawn(async move {
            for number in 0.. {
                let (client, _) = listener.accept().await.expect("connections come");
                let server = TcpStream::connect(&server).await.expect("the server is there");
                client.set_nodelay(true).expect("an option of a socket");
                let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
                let sent = Arc::clone(&kept);
                tokio::spawn(pass(from_client, to_server, move |bytes| add(&sent, number, (bytes, 0))));
                let received = Arc::clone(&kept);
                tokio::spawn(pass(from_server, to_client, move |bytes| add(&received, number, (0, bytes))));
            }
        });
        Self { address, counts }
    }

    fn so_far(&self) -> BTreeMap<usize, (u64, u64)> {
        self.counts.lock().expect("no task panics").clone()
    }
}

fn add(counts: &Counts, connection: usize, (sent, received): (u64, u64)) {
    let mut counts = counts.lock().expect("no task panics");
    let of_connection = counts.entry(connection).or_default();
    *of_connection = (of_connection.0 + sent, of_connection.1 + received);
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, count: impl Fn(u64)) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(bytes) = from.read(&mut buffer).await {
        if bytes == 0 {
            break;
        }
        // Counted before it arrives, so that nobody who has an answer finds it uncounted.
        count(bytes as u64);
        if to.write_all(&buffer[..bytes]).await.is_err() {
            break;
        }
    }
}

/// What the commands of the closure sent and received, as counted and as relayed over the connection that had most.
async fn both<F: Future<Output = ()>>(relay: &Relay, traffic: &Traffic, commands: F) -> (TrafficCount, (u64, u64)) {
    let (counted_before, relayed_before) = (traffic.so_far(), relay.so_far());
    commands.await;
    let counted = traffic.so_far().since(counted_before);
    let relayed = relay.so_far().into_iter().map(|(connection, (sent, received))| {
        let before = relayed_before.get(&connection).copied().unwrap_or_default();
        (sent - before.0, received - before.1)
    });
    (counted, relayed.max().expect("there are connections"))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_counted_is_what_crosses_the_wire() {
    let server = shared_server().shown_uri();
    let address = server.strip_prefix("mongodb://").and_then(|rest| rest.split('/').next()).expect("an address");
    let relay = Relay::to(address.to_owned()).await;
    let uri = SecretUri::parse(&format!("mongodb://{}/?directConnection=true", relay.address)).expect("a valid one");
    let relayed =
        open(&ServerOptions::new(ServerChoice::Uri(uri))).await.expect("the server answers through the relay");
    let traffic = Arc::new(Traffic::default());
    let pool = relayed.counted(1, &traffic).await.expect("a connection");
    let database: Database = pool.client().database(&format!("patternbench_{}_test", unique_name("traffic")));
    let items = database.collection::<Document>("items");

    // More than ten documents, so that their numbers in a list differ in length.
    let documents: Vec<_> = (0..120).map(|number| doc! { "_id": number, "text": "x".repeat(1_000) }).collect();
    let inserting = async { drop(items.insert_many(&documents).await.expect("they are new")) };
    let (counted, relayed) = both(&relay, &traffic, inserting).await;
    assert_eq!((counted.round_trips, (counted.sent, counted.received)), (1, relayed));
    assert!(counted.sent > 120_000);

    let reading = async {
        let mut cursor = items.find(doc! {}).batch_size(50).await.expect("a cursor");
        while cursor.advance().await.expect("batches arrive") {}
    };
    let (counted, relayed) = both(&relay, &traffic, reading).await;
    assert_eq!((counted.round_trips, (counted.sent, counted.received)), (3, relayed), "batches of 50, 50 and 20");

    let writing = async {
        items.update_one(doc! { "_id": 5 }, doc! { "$set": { "text": "y" } }).await.expect("it is there");
        items.delete_one(doc! { "_id": 6 }).await.expect("it is there");
        items.insert_one(doc! { "_id": 7 }).await.expect_err("7 is there already");
        items.aggregate([doc! { "$nonsense": 1 }]).await.expect_err("no such stage");
    };
    let (counted, relayed) = both(&relay, &traffic, writing).await;
    assert_eq!((counted.round_trips, (counted.sent, counted.received)), (4, relayed), "errors are answers too");
    pool.close().await;
}
