package io.interlock.curator;

import java.time.Duration;

import org.apache.curator.framework.CuratorFramework;

/**
 * What every hold of one provider works with.
 */
record HoldServices(SessionMonitor monitor, LeaseKeeper keeper, Releases releases, Verification verification,
		ContenderThreads threads, ParentReaper parents, SequenceHeadroom headroom,
		Duration releaseTimeout) implements AutoCloseable {

	static HoldServices create(CuratorFramework client, CuratorLockSettings settings, IdleParents idleParents,
			Runnable onSuspended) {
		SessionMonitor monitor = new SessionMonitor(client);
		ContenderThreads threads = new ContenderThreads();
		LeaseKeeper keeper = new LeaseKeeper(monitor, new ForgottenConnection(monitor.handle(), threads));
		Releases releases = new Releases(monitor);
		monitor.start(new SessionObserver() {

			@Override
			public void connected() {
				releases.connected();
			}

			@Override
			public void suspended() {
				onSuspended.run();
			}

			@Override
			public void sessionLost(SessionLease lease) {
				keeper.sessionLost(lease);
			}

		});
		keeper.start();
		return new HoldServices(monitor, keeper, releases, new Verification(monitor, settings.verifyTimeout()), threads,
				new ParentReaper(monitor, idleParents, threads), new SequenceHeadroom(), settings.releaseTimeout());
	}

	@Override
	public void close() {
		this.keeper.endAll();
		this.releases.await(this.releaseTimeout);
		this.monitor.close();
		this.keeper.close();
		this.threads.close();
	}

}
