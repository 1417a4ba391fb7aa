package io.interlock.test.contract;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.interlock.provider.LockProvider;
import io.interlock.testsupport.proxy.TcpProxy;
import io.interlock.testsupport.server.FourLetterWord;
import io.interlock.testsupport.server.Server;
import io.interlock.testsupport.server.ServerSettings;
import io.interlock.testsupport.tier.Deep;
import io.interlock.zookeeper.Recipe;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockProvider;
import io.interlock.zookeeper.internal.engine.ZooKeeperLockSettings;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for locks in ZooKeeper, on a server in a process of its own. Its clock
 * cannot be moved, so what restarts it is left to the deep tier.
 */
class ZooKeeperLockProviderContractTests extends LockProviderOutageContract {

	private static final String ROOT = "/contract";

	/** Longer than a machine stalls. */
	private static final Duration LEASE = Duration.ofSeconds(10);

	/** For a test that waits until a session that goes on would be over. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(4);

	/** For a test whose first session ends: it may end earlier too. */
	private static final Duration ENDING_LEASE = Duration.ofSeconds(2);

	@TempDir
	static Path directory;

	private static Server server;

	private static CuratorFramework observer;

	private final Map<LockProvider, TcpProxy> links = new HashMap<>();

	private Duration lease = LEASE;

	private Duration firstLease = LEASE;

	private final List<CuratorFramework> clients = new ArrayList<>();

	@BeforeAll
	static void startServer() {
		server = Server.standalone(directory, ServerSettings.quick().withTickTime(Duration.ofMillis(500)));
		observer = client(server.connectString(), Duration.ofSeconds(30));
	}

	@AfterAll
	static void stopServer() {
		observer.close();
		server.close();
	}

	@AfterEach
	void closeClients() {
		this.clients.forEach(CuratorFramework::close);
		this.links.values().forEach(TcpProxy::close);
	}

	private static CuratorFramework client(String connectString, Duration sessionTimeout) {
		CuratorFramework client = CuratorFrameworkFactory.builder()
			.connectString(connectString)
			.sessionTimeoutMs((int) sessionTimeout.toMillis())
			.connectionTimeoutMs(1000)
			.retryPolicy(new RetryForever(50))
			.ensembleTracker(false)
			.build();
		client.start();
		return client;
	}

	@Override
	protected LockProvider startInstance() throws Exception {
		TcpProxy link = TcpProxy.to(server.clientPort());
		CuratorFramework client = client(link.connectString(), this.links.isEmpty() ? this.firstLease : this.lease);
		ZooKeeperLockProvider provider = new ZooKeeperLockProvider(client, new ZooKeeperLockSettings(ROOT,
				"test@localhost:1", Duration.ofSeconds(5), Recipe.PIPELINED, Map.of(), false), null, null);
		this.links.put(provider, link);
		this.clients.add(client);
		assertThat(client.blockUntilConnected(1, TimeUnit.MINUTES)).isTrue();
		return provider;
	}

	@Override
	protected Duration lease() {
		return this.lease;
	}

	@Test
	@EnabledIfSystemProperty(named = "interlock.test.server-version", matches = ".+",
			disabledReason = "the server is that of the class path")
	void serverIsTheOneThatIsNamed() {
		assertThat(FourLetterWord.ask(server.clientPort(), "srvr"))
			.contains("version: " + System.getProperty("interlock.test.server-version"));
	}

	@Test
	@Override
	void holdOutlivesItsLease() throws Exception {
		this.lease = SHORT_LEASE;
		this.firstLease = SHORT_LEASE;
		super.holdOutlivesItsLease();
	}

	@Test
	@Override
	void keptLockStaysTakenAfterItsInstanceHasStopped() throws Exception {
		this.lease = ENDING_LEASE;
		this.firstLease = ENDING_LEASE;
		super.keptLockStaysTakenAfterItsInstanceHasStopped();
	}

	@Test
	@Override
	void keptLockStaysTakenAlthoughItsInstanceIsCutOff() throws Exception {
		this.lease = ENDING_LEASE;
		this.firstLease = ENDING_LEASE;
		super.keptLockStaysTakenAlthoughItsInstanceIsCutOff();
	}

	@Test
	@Override
	void lossIsKnownBeforeTheNextGrant() throws Exception {
		this.firstLease = ENDING_LEASE;
		super.lossIsKnownBeforeTheNextGrant();
	}

	@Test
	@Deep
	@Override
	void outageIsNotContention() throws Exception {
		super.outageIsNotContention();
	}

	@Test
	@Deep
	@Override
	void releaseDuringAnOutageReturnsAtOnce() throws Exception {
		super.releaseDuringAnOutageReturnsAtOnce();
	}

	@Test
	@Deep
	@Override
	void holdIsNotValidWhileTheStoreIsSilent() throws Exception {
		super.holdIsNotValidWhileTheStoreIsSilent();
	}

	@Test
	@Deep
	@Override
	void restartGrantsNothingTwice() throws Exception {
		super.restartGrantsNothingTwice();
	}

	@Override
	protected int contenders(String name) throws Exception {
		Stat parent = observer.checkExists().forPath(ROOT + "/" + name);
		return (parent != null) ? parent.getNumChildren() : 0;
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		TcpProxy link = this.links.get(instance);
		link.refuse();
		link.cut();
		return true;
	}

	@Override
	protected void stopStore() {
		server.kill();
	}

	@Override
	protected void startStore() {
		server.start();
	}

}
