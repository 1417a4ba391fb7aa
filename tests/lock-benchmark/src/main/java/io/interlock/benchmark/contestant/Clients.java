package io.interlock.benchmark.contestant;

import java.util.concurrent.TimeUnit;

import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Clients of the contestants, which differ in nothing but what their users set. None
 * follows the configuration of the ensemble: it would find the way round a proxy.
 *
 * @since 0.1.0
 */
public final class Clients {

	private Clients() {
	}

	/**
	 * Connect on the retry policy of Curator's documentation.
	 * @param connectString where to connect
	 * @return a client, connected
	 */
	public static CuratorFramework connect(String connectString) {
		return connect(connectString, new ExponentialBackoffRetry(1000, 3));
	}

	static CuratorFramework connect(String connectString, RetryPolicy retryPolicy) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs(30_000)
			.retryPolicy(retryPolicy)
			.ensembleTracker(false)
			.build();
		client.start();
		try {
			if (!client.blockUntilConnected(20, TimeUnit.SECONDS)) {
				client.close();
				throw new IllegalStateException("No connection to " + connectString);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		return client;
	}

}
