package io.interlock.zookeeper.internal.session;

import java.time.Duration;

import io.interlock.zookeeper.SessionSnapshot;
import io.interlock.zookeeper.SessionSnapshot.State;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link SessionMonitor}.
 */
class SessionMonitorTests {

	private final CuratorFramework client = mock(CuratorFramework.class, Answers.RETURNS_DEEP_STUBS);

	private final CuratorZookeeperClient connection = mock(CuratorZookeeperClient.class);

	private final ZooKeeper zooKeeper = mock(ZooKeeper.class);

	private final SessionMonitor.Observer observer = mock(SessionMonitor.Observer.class);

	private final SessionMonitor monitor = new SessionMonitor(this.client, null);

	@BeforeEach
	void connect() throws Exception {
		given(this.client.getState()).willReturn(CuratorFrameworkState.STARTED);
		given(this.client.getZookeeperClient()).willReturn(this.connection);
		given(this.connection.isConnected()).willReturn(true);
		given(this.connection.getZooKeeper()).willReturn(this.zooKeeper);
		given(this.zooKeeper.getState()).willReturn(ZooKeeper.States.CONNECTED);
		given(this.zooKeeper.getSessionId()).willReturn(7L);
		given(this.zooKeeper.getSessionTimeout()).willReturn(60_000);
		this.monitor.start(this.observer);
	}

	@Test
	void knowsTheSessionOfAConnectedClient() {
		assertThat(this.monitor.status().isConnected()).isTrue();
		SessionSnapshot snapshot = this.monitor.status().snapshot();
		assertThat(snapshot.state()).isEqualTo(State.CONNECTED);
		assertThat(snapshot.sessionId()).isEqualTo(7);
		assertThat(snapshot.negotiatedTimeout()).isEqualTo(Duration.ofSeconds(60));
		then(this.observer).should().connected();
	}

	@Test
	void interruptedConnectionKeepsTheLeaseAndIsNoGoodMeanwhile() {
		SessionLease lease = goodLease();
		long epoch = this.monitor.status().epoch();
		disconnect();
		assertThat(isGood(lease)).isFalse();
		assertThat(this.monitor.status().snapshot().state()).isEqualTo(State.SUSPENDED);
		assertThat(this.monitor.status().epoch()).isNotEqualTo(epoch);
		given(this.connection.isConnected()).willReturn(true);
		assertThat(this.monitor.refresh()).isTrue();
		assertThat(isGood(lease)).isTrue();
		then(this.observer).should(never()).sessionLost(lease);
		then(this.observer).should(times(2)).connected();
	}

	@Test
	void lostSessionIsNeverGoodAgainEvenIfItsIdComesBack() {
		SessionLease lease = goodLease();
		given(this.connection.isConnected()).willReturn(false);
		this.monitor.stateChanged(this.client, ConnectionState.LOST);
		then(this.observer).should().sessionLost(lease);
		given(this.connection.isConnected()).willReturn(true);
		assertThat(this.monitor.refresh()).isTrue();
		assertThat(this.monitor.status().lease()).isNotNull().isNotSameAs(lease);
		assertThat(isGood(lease)).isFalse();
	}

	@Test
	void sessionAfterALossCountsFromTheNewestAnswerOfTheLastOne() {
		SessionLease lost = goodLease();
		long answeredAt = System.nanoTime() + Duration.ofSeconds(30).toNanos();
		lost.confirmed(answeredAt, answeredAt);
		given(this.connection.isConnected()).willReturn(false);
		this.monitor.stateChanged(this.client, ConnectionState.LOST);
		given(this.connection.isConnected()).willReturn(true);
		assertThat(this.monitor.refresh()).isTrue();
		SessionLease next = this.monitor.status().lease();
		assertThat(next).isNotNull().isNotSameAs(lost);
		assertThat(next.isGood(answeredAt + Duration.ofSeconds(39).toNanos())).isTrue();
		assertThat(next.isGood(answeredAt + Duration.ofSeconds(41).toNanos())).isFalse();
	}

	@Test
	void sessionIsGoodFromTheBeginningOfItsConnectionIfThatIsKnown() throws Exception {
		SessionLease lost = goodLease();
		given(this.connection.isConnected()).willReturn(false);
		this.monitor.stateChanged(this.client, ConnectionState.LOST);
		long begunAt = System.nanoTime() + Duration.ofSeconds(30).toNanos();
		TimedZooKeeper next = mock(TimedZooKeeper.class);
		given(next.getState()).willReturn(ZooKeeper.States.CONNECTED);
		given(next.getSessionId()).willReturn(8L);
		given(next.getSessionTimeout()).willReturn(60_000);
		given(next.connectedAfter()).willReturn(begunAt);
		given(this.connection.getZooKeeper()).willReturn(next);
		given(this.connection.isConnected()).willReturn(true);
		assertThat(this.monitor.refresh()).isTrue();
		SessionLease lease = this.monitor.status().lease();
		assertThat(lease).isNotNull().isNotSameAs(lost);
		long quorumAt = begunAt + Duration.ofSeconds(1).toNanos();
		lease.confirmed(quorumAt, quorumAt);
		assertThat(lease.isGood(begunAt + Duration.ofSeconds(39).toNanos())).isTrue();
		assertThat(lease.isGood(begunAt + Duration.ofSeconds(41).toNanos())).isFalse();
	}

	@Test
	void expiredSessionIsLost() {
		SessionLease lease = goodLease();
		given(this.connection.isConnected()).willReturn(false);
		raw(KeeperState.Expired);
		then(this.observer).should().sessionLost(lease);
		assertThat(this.monitor.status().snapshot().state()).isEqualTo(State.LOST);
	}

	@Test
	void otherSessionReplacesTheLease() {
		SessionLease lease = goodLease();
		given(this.zooKeeper.getSessionId()).willReturn(8L);
		assertThat(this.monitor.refresh()).isTrue();
		then(this.observer).should().sessionLost(lease);
		assertThat(isGood(lease)).isFalse();
		assertThat(this.monitor.status().snapshot().sessionId()).isEqualTo(8);
	}

	@Test
	void stateThatArrivesLateIsHeldAgainstTheConnection() {
		SessionLease lease = goodLease();
		this.monitor.stateChanged(this.client, ConnectionState.SUSPENDED);
		this.monitor.stateChanged(this.client, ConnectionState.LOST);
		assertThat(isGood(lease)).isTrue();
		then(this.observer).should(never()).sessionLost(lease);
	}

	@Test
	void eventOfAnEarlierHandleThatArrivesLateIsHeldAgainstTheConnection() {
		SessionLease lease = goodLease();
		raw(KeeperState.Disconnected);
		assertThat(isGood(lease)).isTrue();
		raw(KeeperState.Expired);
		assertThat(isGood(lease)).isTrue();
		then(this.observer).should(never()).sessionLost(lease);
	}

	@Test
	void expiryThatArrivesAfterTheNextConnectionEndsTheEarlierSession() {
		SessionLease lease = goodLease();
		given(this.connection.getInstanceIndex()).willReturn(1L);
		given(this.zooKeeper.getSessionId()).willReturn(8L);
		raw(KeeperState.Expired);
		then(this.observer).should().sessionLost(lease);
		assertThat(isGood(lease)).isFalse();
		assertThat(this.monitor.status().snapshot().sessionId()).isEqualTo(8);
	}

	@Test
	void readOnlyServerIsNoConnection() {
		SessionLease lease = goodLease();
		given(this.zooKeeper.getState()).willReturn(ZooKeeper.States.CONNECTEDREADONLY);
		raw(KeeperState.ConnectedReadOnly);
		assertThat(isGood(lease)).isFalse();
		assertThat(this.monitor.status().isConnected()).isFalse();
	}

	@Test
	void sessionWhoseHandleIsGivenUpIsNoGoodAheadOfAnyEvent() {
		SessionLease lease = goodLease();
		given(this.connection.getInstanceIndex()).willReturn(1L);
		assertThat(isGood(lease)).isFalse();
		assertThat(this.monitor.status().isConnected()).isTrue();
	}

	@Test
	void sessionThatIsTakenUpWhileItsHandleIsGivenUpIsNoGood() {
		SessionLease lease = goodLease();
		disconnect();
		given(this.connection.isConnected()).willReturn(true);
		given(this.connection.getInstanceIndex()).willReturn(1L);
		assertThat(this.monitor.refresh()).isTrue();
		assertThat(isGood(lease)).isFalse();
	}

	@Test
	void closedClientEndsTheSessionForGood() {
		SessionLease lease = goodLease();
		CuratorEvent closing = mock(CuratorEvent.class);
		given(closing.getType()).willReturn(CuratorEventType.CLOSING);
		this.monitor.eventReceived(this.client, closing);
		then(this.observer).should().sessionLost(lease);
		assertThat(this.monitor.refresh()).isFalse();
		assertThat(this.monitor.status().isClosed()).isTrue();
		assertThatExceptionOfType(ClientClosedException.class)
			.isThrownBy(() -> this.monitor.awaitConnected(Long.MAX_VALUE));
	}

	@Test
	void failuresOfOtherThreadsDoNotConcernUs() throws Exception {
		given(this.connection.getZooKeeper()).willThrow(new IllegalStateException("of another thread"))
			.willReturn(this.zooKeeper);
		assertThat(this.monitor.handle().current()).isSameAs(this.zooKeeper);
	}

	private boolean isGood(SessionLease lease) {
		return this.monitor.isGood(lease);
	}

	private SessionLease goodLease() {
		SessionLease lease = this.monitor.status().lease();
		assertThat(lease).isNotNull();
		assertThat(isGood(lease)).isTrue();
		return lease;
	}

	private void disconnect() {
		given(this.connection.isConnected()).willReturn(false);
		raw(KeeperState.Disconnected);
	}

	private void raw(KeeperState state) {
		CuratorEvent event = mock(CuratorEvent.class);
		given(event.getType()).willReturn(CuratorEventType.WATCHED);
		given(event.getWatchedEvent()).willReturn(new WatchedEvent(EventType.None, state, null));
		this.monitor.eventReceived(this.client, event);
	}

}
