package io.interlock.sample.show.live;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.interlock.LockMode;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.QueuedLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ClusterQueues}.
 */
class ClusterQueuesTests {

	private static final Fleet FLEET = new Fleet(Map.of("0xa", "localhost:8080"), Map.of(2L, "localhost:8081"),
			Map.of("box-office@c:3", "localhost:8082"));

	private final LockInspector inspector = mock(LockInspector.class);

	private final ClusterQueues queues = new ClusterQueues(
			new StaticListableBeanFactory(Map.of("inspector", this.inspector)).getBeanProvider(LockInspector.class));

	@Test
	void showsInstancesAndForeignClientsInOrder() {
		contenders(List.of(node("0xa", null)),
				List.of(node("0xb", ContenderOwner.foreign(ContenderOwner.Kind.ADDRESS, "10.0.0.3"))));
		assertThat(this.queues.read(FLEET)).singleElement()
			.satisfies((lock) -> assertThat(lock.contenders())
				.extracting(ClusterLock.Contender::instance, ClusterLock.Contender::client,
						ClusterLock.Contender::holds)
				.containsExactly(tuple("localhost:8080", "another client", true), tuple(null, "10.0.0.3", false)));
	}

	@Test
	void nodeOfAKeptLockIsOfTheInstanceThatKeepsIt() {
		contenders(List.of(new LockContender(0, "kept-0", LockContender.Kind.CURATOR_MUTEX, LockMode.EXCLUSIVE, 2L,
				null, Instant.now(), Duration.ZERO, null)), List.of());
		assertThat(this.queues.read(FLEET)).singleElement()
			.satisfies((lock) -> assertThat(lock.contenders()).extracting(ClusterLock.Contender::instance)
				.containsExactly("localhost:8081"));
	}

	@Test
	void waiterWithoutASessionIsOfTheInstanceThatItNames() {
		contenders(List.of(),
				List.of(new LockContender(0, "a1", LockContender.Kind.INTERLOCK_LEASE, LockMode.EXCLUSIVE, 9L, null,
						Instant.now(), Duration.ZERO, owner("box-office@c:3")),
						new LockContender(1, "b1", LockContender.Kind.INTERLOCK_LEASE, LockMode.EXCLUSIVE, 10L, null,
								Instant.now(), Duration.ZERO, owner("another@d:4"))));
		assertThat(this.queues.read(FLEET)).singleElement()
			.satisfies((lock) -> assertThat(lock.contenders())
				.extracting(ClusterLock.Contender::instance, ClusterLock.Contender::client)
				.containsExactly(tuple("localhost:8082", "box-office@c:3"), tuple(null, "another@d:4")));
	}

	@Test
	void cannotBeReadWithoutAnInspector() {
		assertThat(this.queues.canBeRead()).isTrue();
		assertThat(new ClusterQueues(new StaticListableBeanFactory().getBeanProvider(LockInspector.class)).canBeRead())
			.isFalse();
	}

	@Test
	void leavesOutLocksThatNobodyWants() {
		contenders(List.of(), List.of());
		assertThat(this.queues.read(FLEET)).isEmpty();
	}

	@Test
	void showsNothingWhileTheStoreDoesNotAnswer() {
		given(this.inspector.locks(any())).willThrow(new LockInspectionException("No answer", null));
		assertThat(this.queues.read(FLEET)).isEmpty();
	}

	private void contenders(List<LockContender> holders, List<LockContender> waiting) {
		QueuedLock queue = new QueuedLock("seats", "1", true, "/interlock/seats:1", true, LockMode.EXCLUSIVE,
				holders.size() + waiting.size(), holders, waiting, 0, List.of(), null);
		given(this.inspector.locks(any()))
			.willReturn(new LockInspector.Page("/interlock", Instant.now(), 1, 0, 50, 20, List.of(queue)));
	}

	private static ContenderOwner owner(String instance) {
		return new ContenderOwner(ContenderOwner.Kind.INTERLOCK, 1, "box-office", instance, null, null, null, null,
				null, null, null, null);
	}

	private static LockContender node(String session, @Nullable ContenderOwner owner) {
		return new LockContender(0, "lock-0", LockContender.Kind.CURATOR_MUTEX, LockMode.EXCLUSIVE, 1L, session,
				Instant.now(), Duration.ZERO, owner);
	}

}
