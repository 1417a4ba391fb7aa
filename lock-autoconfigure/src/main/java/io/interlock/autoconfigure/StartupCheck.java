package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.interlock.autoconfigure.curator.LockAcl;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;

/**
 * Makes sure that locks can be created once there is a connection: ZooKeeper accepts any
 * credentials and any chroot on connecting. With a timeout the application does not start
 * before that is known; without one it starts at once, and trouble is logged when it
 * shows.
 */
class StartupCheck implements InitializingBean, DisposableBean {

	private static final Log logger = LogFactory.getLog(StartupCheck.class);

	private static final long RETRY_PAUSE_MILLIS = 200;

	private final CuratorFramework client;

	private final LockRoot root;

	private final StartupFailures failures;

	private final LockAcl acl;

	private final Duration timeout;

	private final FutureTask<@Nullable Void> check = new FutureTask<>(this::check);

	StartupCheck(CuratorFramework client, String rootPath, @Nullable String username, LockAcl acl, Duration timeout) {
		this.client = client;
		this.root = new LockRoot(client, rootPath);
		this.failures = new StartupFailures(client, this.root, username);
		this.acl = acl;
		this.timeout = timeout;
	}

	@Override
	public void afterPropertiesSet() {
		boolean wait = !this.timeout.isZero();
		Thread thread = new Thread(wait ? this.check : this::checkAndLog, "interlock-startup-check");
		thread.setDaemon(true);
		thread.start();
		if (wait) {
			await();
		}
	}

	private void await() {
		try {
			this.check.get(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw this.failures.refused(ex.getCause());
		}
		catch (TimeoutException ex) {
			this.check.cancel(true);
			throw this.failures.unreachable(this.timeout);
		}
		catch (InterruptedException ex) {
			this.check.cancel(true);
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for ZooKeeper", ex);
		}
	}

	private void checkAndLog() {
		this.check.run();
		try {
			this.check.get();
		}
		catch (ExecutionException ex) {
			StartupCheckException failure = this.failures.refused(ex.getCause());
			logger.error(failure.getMessage() + " " + failure.getAction());
		}
		catch (Exception ex) {
			logger.debug("Start-up check ended with the application", ex);
		}
	}

	private @Nullable Void check() throws Exception {
		while (!isUsable()) {
			// The client may believe for a moment that the lost connection stands.
			TimeUnit.MILLISECONDS.sleep(RETRY_PAUSE_MILLIS);
		}
		return null;
	}

	private boolean isUsable() throws Exception {
		this.client.blockUntilConnected();
		try {
			this.root.create();
			this.root.probe();
			warnIfUnprotected();
			return true;
		}
		catch (KeeperException.ConnectionLossException | KeeperException.SessionExpiredException
				| KeeperException.OperationTimeoutException ex) {
			logger.debug("Connection lost during the start-up check", ex);
			return false;
		}
	}

	private void warnIfUnprotected() throws Exception {
		if (this.acl != LockAcl.OPEN && this.root.isWritableForEverybody()) {
			logger.warn(
					"interlock.zookeeper.acl is %s, but everybody may create and delete lock paths below '%s', because "
						.formatted(this.acl, this.root)
							+ "that path existed before. Set its ACL, as 'setAcl -R %s auth::cdrwa' does"
								.formatted(this.root)
							+ " in zkCli.sh for the user of this application");
		}
	}

	@Override
	public void destroy() {
		this.check.cancel(true);
	}

}
