use gatepost_kv::MemoryKv;

gatepost_kv::kit!(|_| MemoryKv::default(), not durable);
