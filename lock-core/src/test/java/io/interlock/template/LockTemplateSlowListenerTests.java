package io.interlock.template;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for listeners that block: what they delay, and what goes on without them.
 */
@Timeout(30)
class LockTemplateSlowListenerTests {

	private static final LockRequest SLOW = LockRequest.exclusive("slow");

	private static final LockRequest OTHER = LockRequest.exclusive("other");

	private static final Duration SHORT = Duration.ofMillis(40);

	private static final Duration LONG = Duration.ofMinutes(10);

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final CountDownLatch goOn = new CountDownLatch(1);

	private volatile String blocking = "none";

	private final LockTemplate template = new LockTemplate(this.provider, LockSettings.defaults(), this.heldLocks,
			List.of(new LockListener() {

				@Override
				public void onKept(LockHandle handle, Duration held) {
					hear("kept " + handle.id());
				}

				@Override
				public void onReleased(LockHandle handle, Duration held) {
					hear("released " + handle.id());
				}

				@Override
				public void onUnconfirmed(LockHandle handle) {
					hear("unconfirmed " + handle.id());
				}

				@Override
				public void onLost(LockHandle handle) {
					hear("lost " + handle.id());
				}

				@Override
				public void onOverdue(LockHandle handle, Duration held) {
					hear("overdue " + handle.id());
				}

			}));

	@AfterEach
	void nothingIsLeftBehind() {
		this.goOn.countDown();
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
		assertThat(Leftovers.takeHandles()).isEmpty();
	}

	private void hear(String news) {
		this.told.add(news);
		if (news.startsWith(this.blocking)) {
			awaitGoOn();
		}
	}

	private void awaitGoOn() {
		try {
			this.goOn.await(20, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	@Proves(Promise.HOLDING_TOO_LONG)
	void limitsOfOtherHoldsGoOn() {
		this.blocking = "overdue slow";
		this.template.executeWithoutResult(SLOW.withMaxHold(SHORT), (slow) -> {
			await().untilAsserted(() -> assertThat(this.told).contains("overdue slow"));
			this.template.executeWithoutResult(OTHER.withMaxHold(SHORT),
					(other) -> await().untilAsserted(() -> assertThat(this.told).contains("overdue other")));
		});
	}

	@Test
	@Proves(Promise.HOLDING_AT_LEAST)
	void timerReleasesOtherKeptLocks() {
		this.blocking = "released slow";
		Background.start(() -> {
			keep(SLOW);
			return true;
		});
		await().untilAsserted(() -> assertThat(this.told).contains("released slow"));
		keep(OTHER);
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
		await().untilAsserted(() -> assertThat(this.told).contains("released other"));
		assertThat(this.heldLocks.held()).isEmpty();
	}

	/**
	 * Let the timer release a lock. A thread that stands still holds it for its minimum
	 * time itself.
	 */
	private void keep(LockRequest request) {
		for (int round = 0; round < 20 && !this.told.contains("kept " + request.id()); round++) {
			this.template.acquire(request.withMinHold(SHORT)).close();
		}
	}

	@Test
	void keptLockIsReleasedBeforeItsListenersAreTold() throws Exception {
		this.blocking = "kept slow";
		Background<Boolean> holder = Background.start(() -> {
			this.template.acquire(SLOW.withMinHold(LONG)).close();
			return true;
		});
		await().untilAsserted(() -> assertThat(this.told).containsExactly("kept slow"));
		this.heldLocks.releaseKept();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
		assertThat(this.told).as("in order").containsExactly("kept slow");
		this.goOn.countDown();
		holder.join();
		assertThat(this.told).containsExactly("kept slow", "released slow");
	}

	@Test
	void shutdownReleasesAllKeptLocksBeforeItTells() throws Exception {
		keepTwo();
		Background<Boolean> stopping = Background.start(() -> {
			this.heldLocks.releaseKept();
			return true;
		});
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
		this.goOn.countDown();
		stopping.join();
		assertThat(this.told).contains("released slow", "released other");
	}

	@Test
	void operatorGetsAllKeptLocksBeforeAnyListenerIsTold() throws Exception {
		keepTwo();
		RevocationRequest request = new RevocationRequest("operator", Instant.now());
		Background<Integer> operator = Background
			.start(() -> this.heldLocks.requestRevocation((handle) -> true, request));
		await().untilAsserted(() -> assertThat(this.provider.openGrants()).isZero());
		this.goOn.countDown();
		assertThat(operator.join()).isEqualTo(2);
		assertThat(this.told).contains("released slow", "released other");
	}

	private void keepTwo() {
		this.template.acquire(SLOW.withMinHold(LONG)).close();
		this.template.acquire(OTHER.withMinHold(LONG)).close();
		this.blocking = "released";
	}

	@Test
	void lossReleasesAKeptLockBeforeItsListenersAreTold() throws Exception {
		this.template.acquire(SLOW.withMinHold(LONG)).close();
		ScriptedGrant grant = this.provider.onlyGrant();
		this.blocking = "lost slow";
		Background<Boolean> loser = Background.start(() -> {
			grant.lose();
			return true;
		});
		await().untilAsserted(() -> assertThat(this.told).contains("lost slow"));
		assertThat(grant.isReleased()).isTrue();
		assertThat(this.heldLocks.held()).isEmpty();
		this.goOn.countDown();
		loser.join();
		assertThat(this.told).containsExactly("kept slow", "lost slow", "released slow");
	}

	@Test
	@Proves(Promise.NOTHING_IS_LEFT_BEHIND)
	void lockIsReleasedBeforeTheListenersOfItsEndAreTold() throws Exception {
		this.blocking = "unconfirmed slow";
		LockHandle handle = this.template.acquire(SLOW).detach();
		this.provider.onlyGrant().suspend();
		Background<Boolean> closer = Background.start(() -> {
			handle.close();
			return true;
		});
		await().untilAsserted(() -> assertThat(this.told).containsExactly("unconfirmed slow"));
		assertThat(this.provider.onlyGrant().isReleased()).isTrue();
		assertThat(this.heldLocks.held()).isEmpty();
		this.goOn.countDown();
		closer.join();
		assertThat(this.told).containsExactly("unconfirmed slow", "released slow");
	}

}
