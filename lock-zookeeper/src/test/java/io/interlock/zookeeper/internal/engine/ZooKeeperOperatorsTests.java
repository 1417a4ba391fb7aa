package io.interlock.zookeeper.internal.engine;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.interlock.admin.OperatorsContract;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.node.OwnerRecord;
import io.interlock.zookeeper.internal.operator.RevocationBoard;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockInspector;
import io.interlock.zookeeper.internal.operator.ZooKeeperLockRevoker;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What operators see and do in ZooKeeper.
 */
@ExtendWith(SharedServer.class)
class ZooKeeperOperatorsTests extends OperatorsContract {

	private final LocalServer server;

	private int started;

	ZooKeeperOperatorsTests(LocalServer server) {
		this.server = server;
	}

	/** Nothing is written when a node gets the lock. */
	@Override
	protected boolean tellsGrants() {
		return false;
	}

	@Override
	protected Node start() throws Exception {
		String name = "shop@localhost:" + ++this.started;
		ZooKeeperLockSettings settings = new ZooKeeperLockSettings(Instance.ROOT, name, Instance.PATIENCE,
				Recipe.PIPELINED, Map.of(), Set.of(), false,
				new OwnerRecord.Details("shop", "localhost", (long) this.started), OwnerRecord.LockData.FULL);
		Instance instance = Instance.queueing(this.server.connectString(), Duration.ofSeconds(30), settings, QUEUES);
		instance.client().blockUntilConnected();
		RevocationBoard board = new RevocationBoard(instance.client(), Instance.ROOT, null, instance.heldLocks()::holds,
				instance.heldLocks()::requestRevocation);
		board.start();
		return new Node(name, instance.template(), instance.heldLocks(),
				new ZooKeeperLockInspector(instance.client(), Instance.ROOT, Instance.PATIENCE),
				new ZooKeeperLockRevoker(instance.client(), Instance.ROOT, Instance.PATIENCE), () -> {
					board.close();
					instance.close();
				});
	}

}
