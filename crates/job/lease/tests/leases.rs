//! The objects of leases.

use std::sync::Arc;

use lease::{LeaseRecord, LeaseState, LeaseStore};
use object_store::memory::InMemory;
use object_store::path::Path;

fn leases() -> LeaseStore {
    let store = Arc::new(InMemory::new());
    LeaseStore::new(store, Path::from("t/_leases"), "memory".to_owned())
}

fn lease(id: &str) -> LeaseRecord {
    LeaseRecord {
        id: id.to_owned(),
        purpose: "a test".to_owned(),
        request: None,
        host: "here".to_owned(),
        process: 1,
        acquired_at: "now".to_owned(),
        heartbeat_ms: 1,
        heartbeats: 0,
        state: LeaseState::Running,
    }
}

#[tokio::test]
async fn of_two_leases_with_one_token_one_is_created() {
    let leases = leases();
    assert_eq!(leases.latest().await.unwrap(), None);
    let (mine, theirs) = (lease("mine"), lease("theirs"));
    let (first, second) = tokio::join!(leases.create(1, &mine), leases.create(1, &theirs));
    assert_ne!(first.unwrap(), second.unwrap());
    // A retry after a lost response succeeds.
    let owner = leases.latest().await.unwrap().unwrap().record;
    assert!(leases.create(1, &owner).await.unwrap());
    assert!(leases.create(2, &mine).await.unwrap());
    assert!(!leases.create(2, &theirs).await.unwrap());

    let finished = LeaseRecord {
        state: LeaseState::Finished,
        ..mine
    };
    leases.update(2, &finished).await.unwrap();
    leases.remove_before(2).await.unwrap();
    let last = leases.latest().await.unwrap().unwrap();
    assert_eq!((last.token, last.record), (2, finished));
}

/// The record is what earlier versions wrote, and messages name its object.
#[tokio::test]
async fn a_lease_is_a_json_object_named_by_its_token() {
    let store = Arc::new(InMemory::new());
    let folder = Path::from("t/_leases");
    let leases = LeaseStore::new(store.clone(), folder.clone(), "/tables/_leases".to_owned());
    leases.create(7, &lease("mine")).await.unwrap();
    let object = folder.join("00000007.json");
    let bytes = {
        use object_store::ObjectStoreExt;
        store.get(&object).await.unwrap().bytes().await.unwrap()
    };
    assert_eq!(
        String::from_utf8(bytes.to_vec()).unwrap(),
        "{\"id\":\"mine\",\"purpose\":\"a test\",\"request\":null,\"host\":\"here\",\"process\":1,\
         \"acquired_at\":\"now\",\"heartbeat_ms\":1,\"heartbeats\":0,\"state\":\"running\"}"
    );
    {
        use object_store::ObjectStoreExt;
        store.put(&object, "not a lease".into()).await.unwrap();
    }
    let error = leases.latest().await.unwrap_err().to_string();
    assert!(
        error.starts_with("lease /tables/_leases/00000007.json: "),
        "{error}"
    );
}
