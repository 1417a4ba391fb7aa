CREATE INDEX IF NOT EXISTS test_instance ON interlock_lock (instance);
