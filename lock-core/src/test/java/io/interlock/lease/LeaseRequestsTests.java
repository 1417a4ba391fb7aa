package io.interlock.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.RevocationRequest;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.time.MovedTime;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseRequests}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LeaseRequestsTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration LOOK = LEASE.dividedBy(3);

	private static final Instant AT = Instant.parse("2026-11-28T10:15:30.123Z");

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", LEASE, Duration.ofMillis(20), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	private final List<String> passedOn = new CopyOnWriteArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.end.countDown();
		this.store.failure = null;
		this.provider.close();
		this.time.close();
	}

	private void listen() {
		this.provider.passRequestsOn((holders, request) -> {
			this.passedOn.add(request.requestedBy());
			return 1;
		});
	}

	private LockGrant acquire(String name) throws Exception {
		return this.provider.attempt(LockRequest.exclusive(name), LockCaller.current())
			.outcome()
			.get(10, TimeUnit.SECONDS)
			.orElseThrow();
	}

	private void pass(Duration time) {
		this.time.advance(time, LEASE.dividedBy(100));
	}

	/** Ask the holder of a lock, as another instance does. */
	private void ask(String lock, String operator) {
		String holder = this.store.holders.get(new LockId(lock, null)).id();
		add(operator, new HolderRequest(holder, null, new RevocationRequest(operator, AT)).text());
	}

	private void add(String contender, String text) {
		this.store.readers.put(contender,
				new LeaseContender(contender, text, LeaseRequests.BOARD, LockMode.SHARED, 1, false));
	}

	private void awaitForever() {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void requestIsPassedOnOnceWithinAThirdOfALease() throws Exception {
		listen();
		LockGrant grant = acquire("stock");
		ask("stock", "alice");
		pass(LOOK);
		assertThat(this.passedOn).containsExactly("alice");
		assertThat(this.store.readers).isEmpty();
		pass(LEASE.multipliedBy(3));
		assertThat(this.passedOn).containsExactly("alice");
		assertThat(grant.state()).isEqualTo(LockState.VALID);
	}

	@Test
	void requestToAHolderOfAnotherInstanceStays() throws Exception {
		listen();
		acquire("stock");
		acquire("prices").release().get(10, TimeUnit.SECONDS);
		add("elsewhere", new HolderRequest("other-1", null, new RevocationRequest("alice", AT)).text());
		pass(LEASE);
		assertThat(this.passedOn).isEmpty();
		assertThat(this.store.readers).containsOnlyKeys("elsewhere");
	}

	@Test
	void instanceWithoutHoldsAsksNothing() throws Exception {
		listen();
		pass(LEASE.multipliedBy(3));
		assertThat(this.store.read).isEmpty();
		LockGrant grant = acquire("stock");
		pass(LEASE.multipliedBy(3));
		assertThat(this.store.read).hasSizeBetween(9, 12).containsOnly(LeaseRequests.BOARD);
		grant.release().get(10, TimeUnit.SECONDS);
		int looks = this.store.read.size();
		pass(LEASE.multipliedBy(3));
		assertThat(this.store.read).hasSize(looks);
	}

	@Test
	void instanceWithoutListenerAsksNothing() throws Exception {
		acquire("stock");
		ask("stock", "alice");
		pass(LEASE.multipliedBy(3));
		assertThat(this.store.read).isEmpty();
		assertThat(this.store.readers).containsOnlyKeys("alice");
	}

	@Test
	void silentLookDelaysNoReleaseAndNoRenewal() throws Exception {
		listen();
		LockGrant slow = acquire("slow");
		LockGrant stock = acquire("stock");
		LockGrant prices = acquire("prices");
		CountDownLatch looking = new CountDownLatch(1);
		this.store.beforeRead = () -> {
			looking.countDown();
			awaitForever();
		};
		this.time.jump(LEASE.dividedBy(3));
		assertThat(looking.await(10, TimeUnit.SECONDS)).isTrue();
		CountDownLatch releasing = new CountDownLatch(1);
		this.store.beforeReleased = () -> {
			this.store.beforeReleased = () -> {
			};
			releasing.countDown();
			awaitForever();
		};
		slow.release();
		assertThat(releasing.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(prices.release()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(LockState.RELEASED);
		int renewals = this.store.renewals.get();
		for (int i = 0; i < 20; i++) {
			this.time.jump(LEASE.dividedBy(10));
			Awaitility.await().until(() -> stock.state() == LockState.VALID);
		}
		assertThat(this.store.renewals).hasValueGreaterThan(renewals);
		assertThat(this.store.read).hasSize(1);
	}

	@Test
	void storeThatFailsCostsNoHoldAndTheNextLookReadsTheRequest(CapturedOutput output) throws Exception {
		listen();
		LockGrant grant = acquire("stock");
		ask("stock", "alice");
		this.store.beforeRead = () -> {
			throw LeaseStoreException.passing("the test reads nothing", null);
		};
		pass(LEASE);
		assertThat(grant.state()).isEqualTo(LockState.VALID);
		assertThat(this.passedOn).isEmpty();
		this.store.beforeRead = () -> {
		};
		pass(LOOK);
		assertThat(this.passedOn).containsExactly("alice");
		assertThat(grant.release().get(10, TimeUnit.SECONDS)).isEqualTo(LockState.RELEASED);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void storeThatDoesNotTellItsLocksIsNotWarnedOf(CapturedOutput output) throws Exception {
		listen();
		acquire("stock");
		this.store.beforeRead = () -> {
			throw new UnsupportedOperationException("the test tells nothing");
		};
		pass(LEASE);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void requestThatCannotBeRemovedIsPassedOnOnceAndDelaysNoOther() throws Exception {
		listen();
		acquire("stock");
		ask("stock", "alice");
		ask("stock", "bob");
		this.store.beforeReleased = () -> {
			throw LeaseStoreException.passing("the test loses the answer", null);
		};
		pass(LOOK);
		assertThat(this.passedOn).containsExactlyInAnyOrder("alice", "bob");
		ask("stock", "alice");
		pass(LEASE);
		this.store.beforeReleased = () -> {
		};
		pass(LEASE);
		assertThat(this.passedOn).containsExactlyInAnyOrder("alice", "bob");
		assertThat(this.store.readers).isEmpty();
	}

	@Test
	void requestsThatAreTooManyToReadForATimeArePassedOnOnce() throws Exception {
		listen();
		acquire("stock");
		ask("stock", "alice");
		this.store.beforeReleased = () -> ask("stock", "alice");
		pass(LEASE);
		this.store.readable = false;
		pass(LEASE);
		this.store.readable = true;
		pass(LEASE);
		assertThat(this.passedOn).containsExactly("alice");
	}

	@Test
	void listenerThatFailsOrBlocksDelaysNoOther() throws Exception {
		this.provider.passRequestsOn((holders, request) -> {
			this.passedOn.add(request.requestedBy());
			if (request.requestedBy().startsWith("fail")) {
				throw new IllegalStateException("the test fails");
			}
			awaitForever();
			return 1;
		});
		LockGrant grant = acquire("stock");
		ask("stock", "fail");
		this.store.beforeRead = () -> ask("stock", "block-" + this.store.read.size());
		this.time.jump(LOOK);
		Awaitility.await().until(() -> this.passedOn.size() == 2);
		this.time.jump(LOOK);
		Awaitility.await().until(() -> this.passedOn.size() == 3);
		assertThat(this.passedOn).containsExactlyInAnyOrder("fail", "block-1", "block-2");
		assertThat(grant.release()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(LockState.RELEASED);
	}

	@Test
	void requestThatIsAddedIsAReaderOfTheBoard() throws Exception {
		listen();
		acquire("stock");
		String holder = this.store.holders.get(new LockId("stock", null)).id();
		this.provider.operators().ask(new HolderRequest(holder, null, new RevocationRequest("alice", AT)));
		assertThat(this.store.readers.values()).singleElement()
			.satisfies((request) -> assertThat(request.lock()).isEqualTo(LeaseRequests.BOARD));
		pass(LOOK);
		assertThat(this.passedOn).containsExactly("alice");
	}

	@Test
	void hostileTextsAreNoRequestsAndHideNone(CapturedOutput output) throws Exception {
		listen();
		acquire("stock");
		String holder = this.store.holders.get(new LockId("stock", null)).id();
		add("a", "ask " + holder + " - 2026-11-28T10:15:30.123Z ");
		add("b", "ask " + holder + " 99999999999 2026-11-28T10:15:30.123Z bob");
		add("c", "ask " + holder + " - 2026-02-30T10:15:30.123Z bob");
		add("d\n\u001b[2J", "ask " + holder + " - 2026-11-28T10:15:30.123Z bob\n12:00:00 WARN forged");
		add("e", "ask \u202e" + "x".repeat(70) + " - 2026-11-28T10:15:30.123Z bob");
		ask("stock", "z");
		pass(LOOK);
		assertThat(this.passedOn).containsExactlyInAnyOrder("bob\\u000a12:00:00 WARN forged", "z");
		pass(LEASE);
		assertThat(this.passedOn).hasSize(2);
		assertThat(output.getAll().lines()).noneMatch((line) -> line.contains("WARN"));
	}

}
