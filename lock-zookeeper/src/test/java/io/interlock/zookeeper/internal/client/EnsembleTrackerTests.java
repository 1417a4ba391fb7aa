package io.interlock.zookeeper.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.interlock.testsupport.server.Ensemble;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that our client follows the ensemble if it is to.
 */
@Timeout(120)
class EnsembleTrackerTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@Test
	void followsReconfigurationsIfTold() throws Exception {
		ServerSettings settings = ServerSettings.quick()
			.withSyncLimit(10)
			.with("reconfigEnabled", "true")
			.withJvmOptions("-Dzookeeper.skipACL=yes");
		try (Ensemble ensemble = Ensemble.start(settings)) {
			List<Server> servers = new ArrayList<>(ensemble.servers());
			Server leader = ensemble.awaitLeader();
			String address = leader.connectString() + "/orders";
			try (OwnClient follower = start(address, true); OwnClient other = start(address, false)) {
				other.framework().blockUntilConnected();
				awaitAddresses(follower, servers);
				int leaving = servers.indexOf(ensemble.follower().orElseThrow());
				reconfigure(leader, Integer.toString(leaving + 1));
				servers.remove(leaving);
				awaitAddresses(follower, servers);
				assertThat(addressesOf(other)).isEqualTo(address);
			}
		}
	}

	private static void reconfigure(Server leader, String leaving) throws Exception {
		ZooKeeperAdmin admin = new ZooKeeperAdmin(leader.connectString(), 10_000, (event) -> {
		});
		try {
			admin.reconfigure(null, leaving, null, -1, null);
		}
		finally {
			admin.close();
		}
	}

	private static void awaitAddresses(OwnClient client, List<Server> servers) {
		List<String> addresses = servers.stream().map(Server::connectString).toList();
		await().atMost(SOON).untilAsserted(() -> {
			String[] told = addressesOf(client).split("/");
			assertThat(told[0].split(",")).containsExactlyInAnyOrderElementsOf(addresses);
			assertThat(told[1]).isEqualTo("orders");
		});
	}

	private static String addressesOf(OwnClient client) {
		return client.framework().getZookeeperClient().getCurrentConnectionString();
	}

	private static OwnClient start(String connectString, boolean follows) {
		CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.ensembleTracker(follows)
			.retryPolicy(new RetryOneTime(100));
		return OwnClient.start(builder, null, null, (customized) -> {
		});
	}

}
