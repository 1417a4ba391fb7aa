package io.interlock.provider;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.testsupport.thread.Background;
import io.interlock.testsupport.thread.Spin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AbstractLockGrant}.
 */
@Timeout(30)
class AbstractLockGrantTests {

	private static final int ROUNDS = 1_000;

	private final NoticedGrant grant = new NoticedGrant();

	private final List<LockState> heard = this.grant.heard;

	@Test
	void changesAreToldOnceInTheirOrder() {
		this.grant.onStateChange(this.heard::add);
		this.grant.tell(LockState.VALID);
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.tell(LockState.VALID);
		this.grant.tell(LockState.LOST);
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED, LockState.VALID, LockState.LOST);
	}

	@Test
	void nothingIsToldAfterALoss() {
		this.grant.onStateChange(this.heard::add);
		this.grant.tell(LockState.LOST);
		this.grant.tell(LockState.VALID);
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.tell(LockState.LOST);
		assertThat(this.heard).containsExactly(LockState.LOST);
	}

	@Test
	void releaseIsNoNews() {
		this.grant.onStateChange(this.heard::add);
		this.grant.tell(LockState.RELEASED);
		assertThat(this.heard).isEmpty();
		assertThat(this.grant.isNews(LockState.RELEASED)).isFalse();
	}

	@Test
	void newsIsWhatDiffersFromTheNewestState() {
		assertThat(this.grant.isNews(LockState.VALID)).isFalse();
		assertThat(this.grant.isNews(LockState.UNCONFIRMED)).isTrue();
		this.grant.tell(LockState.UNCONFIRMED);
		assertThat(this.grant.isNews(LockState.UNCONFIRMED)).isFalse();
		assertThat(this.grant.isNews(LockState.VALID)).isTrue();
		this.grant.tell(LockState.LOST);
		assertThat(this.grant.isNews(LockState.VALID)).isFalse();
	}

	@Test
	void lateListenerHearsOfTheNewestStateOnItsThread() {
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.tell(LockState.LOST);
		List<Thread> threads = new ArrayList<>();
		this.grant.onStateChange((state) -> {
			this.heard.add(state);
			threads.add(Thread.currentThread());
		});
		assertThat(this.heard).containsExactly(LockState.LOST);
		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void lateListenerHearsNothingOfWhatIsOver() {
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.tell(LockState.VALID);
		this.grant.onStateChange(this.heard::add);
		assertThat(this.heard).isEmpty();
	}

	@Test
	void listenerThatComesAfterTheReleaseHearsNothing() {
		this.grant.tell(LockState.UNCONFIRMED);
		this.grant.release();
		this.grant.onStateChange(this.heard::add);
		assertThat(this.heard).isEmpty();
	}

	@Test
	void lossIsToldOnceByTwoThreads() throws Exception {
		race((grant) -> grant.onStateChange(grant.heard::add), (grant) -> grant.tell(LockState.LOST),
				(grant) -> grant.tell(LockState.LOST),
				(grant) -> assertThat(grant.heard).containsExactly(LockState.LOST));
	}

	@Test
	void lossIsToldOnceToAListenerThatIsRegisteredMeanwhile() throws Exception {
		race((grant) -> {
		}, (grant) -> grant.tell(LockState.LOST), (grant) -> grant.onStateChange(grant.heard::add),
				(grant) -> assertThat(grant.heard).containsExactly(LockState.LOST));
	}

	@Test
	void lossIsFinalWhateverElseIsToldMeanwhile() throws Exception {
		race((grant) -> grant.onStateChange(grant.heard::add), (grant) -> grant.tell(LockState.LOST),
				(grant) -> grant.tell(LockState.UNCONFIRMED), (grant) -> {
					assertThat(grant.heard).containsOnlyOnce(LockState.LOST);
					assertThat(grant.isNews(LockState.VALID)).isFalse();
				});
	}

	@Test
	void listenerThatBlocksDoesNotDelayALoss() throws Exception {
		this.grant.onStateChange((state) -> {
			this.heard.add(state);
			if (state == LockState.UNCONFIRMED) {
				runOnAnotherThread(() -> this.grant.tell(LockState.LOST));
			}
		});
		Background.run(() -> this.grant.tell(LockState.UNCONFIRMED));
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED, LockState.LOST);
	}

	private static void runOnAnotherThread(Runnable task) {
		try {
			Background.run(task);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Begin two tasks at the same instant, on two threads that spin until both are there,
	 * for one grant after the other.
	 */
	private static void race(Consumer<NoticedGrant> before, Consumer<NoticedGrant> one, Consumer<NoticedGrant> other,
			Consumer<NoticedGrant> after) throws Exception {
		List<NoticedGrant> grants = Stream.generate(NoticedGrant::new).limit(ROUNDS).toList();
		grants.forEach(before);
		AtomicInteger arrived = new AtomicInteger();
		Background<Boolean> background = Background.start(() -> run(one, grants, arrived));
		run(other, grants, arrived);
		background.join();
		assertThat(grants).allSatisfy(after::accept);
	}

	private static boolean run(Consumer<NoticedGrant> task, List<NoticedGrant> grants, AtomicInteger arrived) {
		int both = 0;
		for (NoticedGrant grant : grants) {
			both += 2;
			int due = both;
			arrived.incrementAndGet();
			Spin.until(() -> arrived.get() >= due);
			task.accept(grant);
		}
		return true;
	}

	/**
	 * A grant that notices what the test tells it.
	 */
	private static final class NoticedGrant extends AbstractLockGrant {

		private final List<LockState> heard = new CopyOnWriteArrayList<>();

		private volatile boolean released;

		@Override
		public LockRequest request() {
			return LockRequest.exclusive("orders");
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public LockState state() {
			return this.released ? LockState.RELEASED : LockState.VALID;
		}

		@Override
		public void verify() {
		}

		@Override
		public CompletableFuture<LockState> release() {
			this.released = true;
			return CompletableFuture.completedFuture(LockState.RELEASED);
		}

	}

}
