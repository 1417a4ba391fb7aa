package io.interlock.testcontainers;

import java.net.InetSocketAddress;

import io.interlock.testsupport.server.FourLetterWord;
import org.awaitility.Awaitility;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/**
 * Waits until ZooKeeper answers {@code srvr} with its mode. An open port says nothing:
 * Docker opens it before the server runs.
 */
class ServingWaitStrategy extends AbstractWaitStrategy {

	@Override
	protected void waitUntilReady() {
		InetSocketAddress address = new InetSocketAddress(this.waitStrategyTarget.getHost(),
				this.waitStrategyTarget.getMappedPort(ZooKeeperContainer.PORT));
		Awaitility.await()
			.atMost(this.startupTimeout)
			.until(() -> FourLetterWord.ask(address, "srvr").contains("Mode:"));
	}

}
