//! The kit on correct stores: the adapter in memory, and those of the controls.

mod memory {
    use gatepost_kv::MemoryKv;

    gatepost_kv::kit!(|_| MemoryKv::default(), not durable);
}

mod optimistic {
    use crate::optimistic::Optimistic;

    gatepost_kv::kit!(|_| Optimistic::new(None), not durable);
}

mod file {
    use crate::file::FileKv;

    gatepost_kv::kit!(|folder| FileKv::open(folder, None, false));
}

mod shared_file {
    use crate::file::FileKv;

    gatepost_kv::kit!(|folder| FileKv::open(folder, None, true));
}
