// Runners that this test process starts share devices among themselves, not with those of the machine.
process.env.KS_LOCK_SCOPE = `test-${process.pid}`;
