package io.interlock.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.RevocationRequest;
import io.interlock.admin.LockInspector.Page;
import io.interlock.admin.LockInspector.Query;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.queue.QueueSettings;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockTemplate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What operators see and do at one instance about the locks of another one, on each
 * store.
 */
@ExtendWith(OutputCaptureExtension.class)
public abstract class OperatorsContract {

	private static final Duration LONG = Duration.ofMinutes(10);

	private static final String QUEUED = "queued";

	/** Only threads that ask for one lock queue among themselves. */
	public static final QueueSettings QUEUES = new QueueSettings(false, Map.of(QUEUED, true), Duration.ZERO, 0,
			Integer.MAX_VALUE);

	private final String name = "shop-" + UUID.randomUUID();

	private final List<Node> nodes = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	/** Of the thread of the test, which later tests have, too. */
	private final List<LockHandle> handles = new ArrayList<>();

	private final CountDownLatch end = new CountDownLatch(1);

	/** Whether the store knows when a holder got its lock. */
	protected boolean tellsGrants() {
		return true;
	}

	/** Start an instance whose threads queue as {@link #QUEUES} says. */
	protected abstract Node start() throws Exception;

	private Node node() {
		try {
			Node node = start();
			this.nodes.add(node);
			return node;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@AfterEach
	void stop() throws Exception {
		this.handles.forEach(LockHandle::close);
		this.end.countDown();
		for (Thread thread : this.threads) {
			thread.interrupt();
			thread.join();
		}
		this.nodes.forEach((node) -> node.heldLocks().releaseKept());
		for (Node node : this.nodes) {
			node.close().run();
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
	}

	private LockRequest exclusive(String key) {
		return LockRequest.exclusive(this.name).withKey(key).withWaitTime(LONG);
	}

	private LockHandle acquire(Node node, LockRequest request) {
		LockHandle handle = node.template().acquire(request);
		this.handles.add(handle);
		return handle;
	}

	/** Wait for a lock and hold it until the test ends. */
	private void enter(Node node, LockRequest request, String thread) {
		Thread waiter = new Thread(() -> {
			try {
				node.template().executeWithoutResult(request, (held) -> this.end.await());
			}
			catch (Exception ex) {
				// The test has ended.
			}
		}, thread);
		this.threads.add(waiter);
		waiter.start();
		await().until(() -> view(node, request).stream()
			.anyMatch((contender) -> contender.owner() != null && thread.equals(contender.owner().thread())));
	}

	private static Page read(Node node, LockId id) {
		return node.inspector().locks(new Query(id.name(), id.key(), 0, 10, 100));
	}

	private static List<LockContender> view(Node node, LockRequest request) {
		return read(node, request.id()).locks()
			.stream()
			.flatMap((lock) -> Stream.concat(lock.holders().stream(), lock.queue().stream()))
			.toList();
	}

	private static QueuedLock line(Node node, LockRequest request) {
		Page page = read(node, request.id());
		assertThat(page.total()).isOne();
		return page.locks().get(0);
	}

	private static LockContender holder(Node node, LockRequest request) {
		List<LockContender> holders = line(node, request).holders();
		assertThat(holders).hasSize(1);
		return holders.get(0);
	}

	@Test
	void anyInstanceShowsWhoHoldsALockAndWhoWaitsInWhichOrder() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("1");
		Instant before = Instant.now();
		LockHandle held = acquire(a, request);
		enter(b, request, "first of b");
		enter(a, request, "second of a");
		QueuedLock line = line(b, request);
		assertThat(line.name()).isEqualTo(this.name);
		assertThat(line.key()).isEqualTo("1");
		assertThat(line.exact()).isTrue();
		assertThat(line.readable()).isTrue();
		assertThat(line.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(line.contenders()).isEqualTo(3);
		assertThat(line.holders()).singleElement().satisfies((holder) -> {
			assertThat(holder.position()).isZero();
			assertThat(holder.token()).isEqualTo(held.fencingToken());
			assertThat(holder.since()).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
			assertThat(holder.keptUntil()).isNull();
			ContenderOwner owner = holder.owner();
			assertThat(owner).isNotNull();
			assertThat(owner.application()).isEqualTo("shop");
			assertThat(owner.instance()).isEqualTo(a.instance());
			assertThat(owner.host()).isEqualTo("localhost");
			assertThat(owner.pid()).isPositive();
			assertThat(owner.thread()).isEqualTo(Thread.currentThread().getName());
			assertThat(owner.since()).isBetween(before.minusSeconds(1), Instant.now());
		});
		assertThat(line.queue()).extracting((waiter) -> waiter.owner().thread())
			.containsExactly("first of b", "second of a");
		assertThat(line.queue()).extracting(LockContender::position).containsExactly(1, 2);
		assertThat(line.queue()).extracting(LockContender::token).doesNotContainNull().doesNotHaveDuplicates();
		held.close();
	}

	@Test
	void holderHoldsSinceItsGrantAndNotSinceItBeganToWait() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("patient");
		LockHandle held = acquire(a, request);
		enter(b, request, "patient");
		Instant began = Instant.now();
		await().until(() -> Instant.now().isAfter(began.plusSeconds(2)));
		held.close();
		await().until(() -> line(a, request).holders()
			.stream()
			.anyMatch((holder) -> holder.owner() != null && "patient".equals(holder.owner().thread())));
		Instant since = holder(a, request).since();
		assertThat(since).isNotNull();
		assertThat(since.isAfter(began.plusSeconds(1))).as("since %s, waits since %s", since, began)
			.isEqualTo(tellsGrants());
	}

	@Test
	void readersHoldTogetherAndPermitsCount() {
		Node a = node();
		Node b = node();
		LockRequest shared = LockRequest.shared(this.name).withKey("r");
		LockHandle one = acquire(a, shared);
		LockHandle other = acquire(b, shared);
		enter(b, exclusive("r"), "writer");
		assertThat(line(a, shared).mode()).isEqualTo(LockMode.SHARED);
		assertThat(line(a, shared).holders()).extracting(LockContender::token)
			.containsExactlyInAnyOrder(one.fencingToken(), other.fencingToken());
		assertThat(line(a, shared).queue()).extracting(LockContender::mode).containsExactly(LockMode.EXCLUSIVE);
		LockRequest permit = LockRequest.semaphore(this.name, 2).withKey("p");
		LockHandle first = acquire(a, permit);
		LockHandle second = acquire(b, permit);
		assertThat(line(b, permit).holders()).extracting(LockContender::kind)
			.containsExactly(LockContender.Kind.INTERLOCK_PERMIT, LockContender.Kind.INTERLOCK_PERMIT);
		List.of(one, other, first, second).forEach(LockHandle::close);
	}

	@Test
	void holderIsFreedByItsTokenAtAnotherInstance() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("2");
		LockHandle held = acquire(a, request);
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> b.revoker().release(request.id(), held.fencingToken() - 1))
			.withMessage(
					"No holder or waiter of lock %s has token %d any more: nothing was done. Look at the lock again",
					request.id(), held.fencingToken() - 1);
		assertThat(held.isValid()).isTrue();
		LockRevoker.Target released = b.revoker().release(request.id(), held.fencingToken());
		assertThat(released.token()).isEqualTo(held.fencingToken());
		assertThat(released.owner().instance()).isEqualTo(a.instance());
		try (LockHandle next = acquire(b, request)) {
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
			await().until(held::isLost);
			assertThat(next.isValid()).isTrue();
		}
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> b.revoker().release(request.id(), held.fencingToken()));
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> b.revoker().release(new LockId("never-used", null), 1));
	}

	@Test
	void oneOfSeveralReadersIsFreedAndTheOthersStay() {
		Node a = node();
		Node b = node();
		LockRequest shared = LockRequest.shared(this.name).withKey("s");
		LockHandle one = acquire(a, shared);
		LockHandle other = acquire(b, shared);
		b.revoker().release(shared.id(), one.fencingToken());
		await().until(one::isLost);
		assertThat(other.isValid()).isTrue();
		assertThat(line(b, shared).holders()).extracting(LockContender::token).containsExactly(other.fencingToken());
		other.close();
	}

	@Test
	void holderIsAskedAtAnotherInstanceAndDecides() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("8");
		LockHandle held = acquire(a, request);
		LockHandle other = acquire(a, exclusive("9"));
		List<String> asked = new CopyOnWriteArrayList<>();
		held.onRevocationRequested((news) -> asked.add(news.requestedBy()));
		other.onRevocationRequested((news) -> asked.add("of another lock"));
		RevocationRequest alice = new RevocationRequest("'alice' | '\u00e4'", Instant.now());
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> b.revoker().requestRevocation(request.id(), held.fencingToken() - 1, null, alice));
		b.revoker()
			.requestRevocation(request.id(), held.fencingToken(), held.handoff() + 1,
					new RevocationRequest("for a later holder", Instant.now()));
		LockRevoker.Target target = b.revoker().requestRevocation(request.id(), held.fencingToken(), null, alice);
		assertThat(target.owner().instance()).isEqualTo(a.instance());
		await().until(() -> !asked.isEmpty());
		assertThat(asked).containsExactly(alice.requestedBy());
		assertThat(held.isValid()).isTrue();
		held.close();
		other.close();
	}

	@Test
	void waiterIsNoHolderAndIsNotAsked(CapturedOutput output) {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("10");
		LockHandle held = acquire(a, request);
		List<String> asked = new CopyOnWriteArrayList<>();
		held.onRevocationRequested((news) -> asked.add(news.requestedBy()));
		enter(b, request, "waits");
		LockContender waiter = line(a, request).queue().get(0);
		LockAdministrator administrator = new LockAdministrator(a.revoker(), List.of());
		assertThatExceptionOfType(StaleTokenException.class)
			.isThrownBy(() -> administrator.requestRevocation(request.id(), waiter.token(), null, "'alice'"))
			.withMessage("Token %d belongs to a waiter of lock %s, which has nothing to give up: nothing was done. Ask "
					+ "the holder, or free the waiter's place with DELETE", waiter.token(), request.id());
		assertThat(output).contains("action=request outcome=stale")
			.doesNotContain("The holder of lock %s was asked".formatted(request.id()));
		administrator.requestRevocation(request.id(), held.fencingToken(), null, "'bob'");
		await().until(() -> !asked.isEmpty());
		assertThat(asked).containsExactly("'bob'");
		assertThat(line(b, request).queue()).hasSize(1);
		held.close();
	}

	@Test
	void waiterThatIsFreedLosesItsPlace() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("3");
		LockHandle held = acquire(a, request);
		enter(b, request, "first");
		enter(b, request, "second");
		LockContender first = line(a, request).queue().get(0);
		a.revoker().release(request.id(), first.token());
		await().untilAsserted(() -> assertThat(line(a, request).queue()).first()
			.extracting((waiter) -> waiter.owner().thread())
			.isEqualTo("second"));
		assertThat(held.isValid()).isTrue();
		held.close();
	}

	@Test
	void keptLockIsShownAndFreedAtAnotherInstance() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("4").withMinHold(LONG);
		LockHandle handle = acquire(a, request);
		Instant before = Instant.now();
		handle.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		LockContender kept = holder(b, request);
		assertThat(kept.kind()).isEqualTo(LockContender.Kind.INTERLOCK_KEPT);
		assertThat(kept.keptUntil()).isBetween(before.plus(LONG).minusSeconds(30), Instant.now().plus(LONG));
		assertThat(kept.token()).isEqualTo(handle.fencingToken());
		assertThat(kept.owner().instance()).isEqualTo(a.instance());
		assertThat(kept.heldByOperator()).isNull();
		assertThat(b.inspector().holders(request.id())).startsWith(a.instance())
			.endsWith("until %s, for its minimum hold time".formatted(kept.keptUntil()));
		enter(a, exclusive("4"), "waits for the kept lock");
		assertThat(line(b, request).blockedBy()).isEqualTo(kept.node());
		b.revoker().release(request.id(), handle.fencingToken());
		// Between the two holders there is none.
		await()
			.untilAsserted(() -> assertThat(holder(b, request).owner().thread()).isEqualTo("waits for the kept lock"));
		await().untilAsserted(() -> assertThat(a.heldLocks().held()).as("holds of the instance that kept it")
			.allSatisfy((hold) -> assertThat(hold.keptUntil()).isNull()));
	}

	/** The contender of its queue learns of it, as one of each other instance does. */
	@Test
	void waitThatQueuesAtTheKeepingInstanceLearnsThatTheLockIsFreed() {
		Node a = node();
		Node b = node();
		LockRequest request = LockRequest.exclusive(QUEUED).withKey(this.name).withWaitTime(LONG);
		LockHandle handle = acquire(a, request.withMinHold(LONG));
		handle.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		enter(a, request, "waits in the queue");
		b.revoker().release(request.id(), handle.fencingToken());
		await().untilAsserted(() -> assertThat(holder(b, request).owner().thread()).isEqualTo("waits in the queue"));
	}

	/** The instance that kept the first one looks for it now and then only. */
	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true", "false, false" })
	void refusalTellsNoEndOfAKeptHoldThatIsFreed(boolean queued, boolean keptAgain) {
		Node a = node();
		Node b = node();
		LockRequest request = (queued ? LockRequest.exclusive(QUEUED).withKey(this.name + keptAgain)
				: exclusive("14" + keptAgain));
		LockHandle first = acquire(a, request.withMinHold(LONG));
		first.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		b.revoker().release(request.id(), first.fencingToken());
		Node next = keptAgain ? a : b;
		LockHandle second = acquire(next, request.withWaitTime(LONG).withMinHold(LONG.multipliedBy(3)));
		second.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> a.template().acquire(request.withWaitTime(wait)))
				.satisfies((refusal) -> assertThat(refusal.getMessage()).satisfies((message) -> {
					if (keptAgain) {
						assertThat(message).contains("held by this instance until ");
						assertThat(Instant.parse(message.replaceAll("(?s).* until ([0-9TZ:.-]+),.*", "$1")))
							.isAfter(Instant.now().plus(LONG).plus(LONG));
					}
					else {
						assertThat(message).contains("held by another instance");
					}
				}));
		}
		b.revoker().release(request.id(), second.fencingToken());
	}

	@Test
	void keptLockIsFreedWhenItIsAskedForAndTheAnswerSaysSo(CapturedOutput output) {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("11").withMinHold(LONG);
		LockHandle handle = acquire(a, request);
		CountDownLatch asked = new CountDownLatch(1);
		handle.onRevocationRequested((news) -> asked.countDown());
		LockAdministrator administrator = new LockAdministrator(b.revoker(), List.of());
		assertThat(administrator.requestRevocation(request.id(), handle.fencingToken(), null, "'alice'").freed())
			.isFalse();
		await().until(() -> asked.getCount() == 0);
		handle.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		assertThat(administrator.requestRevocation(request.id(), handle.fencingToken(), null, "'bob'").freed())
			.isTrue();
		acquire(b, exclusive("11")).close();
		assertThat(output).contains("action=request outcome=done", "action=request outcome=freed");
	}

	/** Its hold gives the lock up at once, so the store knows no owner any more. */
	@Test
	void keptLockThatIsFreedByARequestAtItsOwnInstanceHasItsOwner(CapturedOutput output) {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("15").withMinHold(LONG);
		LockHandle handle = acquire(a, request);
		handle.close();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		LockRevoker.Target target = new LockAdministrator(a.revoker(), List.of()).requestRevocation(request.id(),
				handle.fencingToken(), null, "'alice'");
		assertThat(target.freed()).isTrue();
		assertThat(target.path()).isNotEqualTo(request.id().toString());
		assertThat(target.owner()).isNotNull().extracting(ContenderOwner::instance).isEqualTo(a.instance());
		assertThat(output).doesNotContain("an instance that is no longer known");
		acquire(b, exclusive("15")).close();
	}

	@Test
	void holdOfAnOperatorHasItsNameAndIsFreedAtAnotherInstance() {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("5");
		LockAdministrator administrator = new LockAdministrator(b.revoker(), List.of());
		LockHandle held = administrator.hold(request.id(), LONG, "'alice'", a.template()::acquire, a.inspector());
		assertThat(holder(b, request).keptUntil()).as("what the store has kept when the operator is told").isNotNull();
		assertThat(holder(b, request).heldByOperator()).isEqualTo("'alice'");
		assertThat(holder(b, request).token()).isEqualTo(held.fencingToken());
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> administrator.hold(request.id(), LONG, "'bob'", b.template()::acquire, b.inspector()))
			.withMessageContaining("operator 'alice'")
			.withMessageContaining(a.instance())
			.withMessageContaining("until " + holder(b, request).keptUntil())
			.satisfies((refusal) -> assertThat(refusal.getMessage()).doesNotContain("minimum hold time"));
		administrator.release(request.id(), held.fencingToken(), "'bob'");
		acquire(b, request).close();
	}

	@Test
	void threadNamedLikeAnOperatorIsNone() throws Exception {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("13").withMinHold(LONG);
		Thread thread = new Thread(() -> a.template().acquire(request).close(), "operator 'bob' (reason: none)");
		thread.start();
		thread.join();
		await().untilAsserted(() -> assertThat(holder(b, request).keptUntil()).isNotNull());
		LockContender kept = holder(b, request);
		assertThat(kept.heldByOperator()).isNull();
		assertThat(kept.reason()).isNull();
		assertThat(kept.owner().thread()).contains("operator 'bob' (reason: none)");
		assertThat(b.inspector().holders(request.id())).contains(a.instance(), "for its minimum hold time");
	}

	@Test
	void holdOfAnOperatorHasItsWholeReason() {
		assertThat(keptReason("Dr\u00fccker ".repeat(20).substring(0, 119) + ")"))
			.isEqualTo("Dr\u00fccker ".repeat(20).substring(0, 119) + ")");
		String reason = "\u041f\u0440\u0438\u043d\u0442\u0435\u0440 ".repeat(20).substring(0, 119) + ")";
		String kept = keptReason(reason);
		if (keepsLettersAsTheyAre()) {
			assertThat(kept).isEqualTo(reason);
		}
		else {
			assertThat(kept).endsWith("...");
			assertThat(reason).startsWith(kept.substring(0, kept.length() - 3));
			assertThat(kept).hasSizeGreaterThan(20);
		}
	}

	/** Return whether letters beyond Latin take no more room than others. */
	protected boolean keepsLettersAsTheyAre() {
		return true;
	}

	private String keptReason(String reason) {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("12");
		LockAdministrator administrator = new LockAdministrator(b.revoker(), List.of());
		LockHandle held = administrator.hold(request.id(), LONG, "'alice'", reason, a.template()::acquire,
				a.inspector());
		assertThat(holder(b, request).heldByOperator()).isEqualTo("'alice'");
		String kept = String.valueOf(holder(b, request).reason());
		assertThat(holder(b, request).owner().instance()).isEqualTo(a.instance());
		assertThat(b.inspector().holders(request.id())).contains("operator 'alice' (reason: " + kept);
		administrator.release(request.id(), held.fencingToken(), "'bob'");
		return kept;
	}

	@Test
	void locksAreReadInPagesBusyOnesFirst() {
		Node a = node();
		Node b = node();
		List<LockHandle> held = new ArrayList<>();
		for (String key : List.of("c", "a", "d", "b", "e")) {
			held.add(acquire(a, exclusive(key)));
		}
		held.remove(0).close();
		Page busy = b.inspector().locks(new Query(this.name, null, true, 0, 3, 10));
		assertThat(busy.total()).isEqualTo(4);
		assertThat(busy.locks()).extracting(QueuedLock::key).containsExactly("a", "b", "d");
		assertThat(b.inspector().locks(new Query(this.name, null, true, 3, 3, 10)).locks()).extracting(QueuedLock::key)
			.containsExactly("e");
		assertThat(b.inspector().locks(new Query(this.name, null, true, 9, 3, 10)).locks()).isEmpty();
		Page all = b.inspector().locks(new Query(null, null, false, 0, 1000, 10));
		assertThat(all.total()).isGreaterThanOrEqualTo(4);
		assertThat(all.locks()).filteredOn((lock) -> lock.name().equals(this.name))
			.extracting(QueuedLock::key)
			.startsWith("a", "b", "d", "e");
		assertThat(b.inspector().locks(new Query("never-used", null, 0, 10, 10)).locks()).isEmpty();
		assertThat(b.inspector().locks(new Query("never-used", "1", 0, 10, 10)).total()).isZero();
		held.forEach(LockHandle::close);
	}

	@Test
	void moreContendersThanAskedForAreCounted() {
		Node a = node();
		LockRequest request = exclusive("6");
		LockHandle held = acquire(a, request);
		enter(a, request, "one");
		enter(a, request, "two");
		QueuedLock line = a.inspector().locks(new Query(this.name, "6", 0, 10, 2)).locks().get(0);
		assertThat(line.contenders()).isEqualTo(3);
		assertThat(line.queue()).hasSize(1);
		assertThat(line.omitted()).isOne();
		held.close();
	}

	@Test
	void hostileAndLongTextsAreExactInNamesAndPrintableInOwners() {
		Node a = node();
		Node b = node();
		String key = "4 | {2}:%25\\u0041 \u00e4\u20ac\ud83d\ude00 'x' \u202e\n" + "k".repeat(400);
		LockRequest request = exclusive(key);
		enter(a, LockRequest.exclusive(this.name), "no key");
		Thread.currentThread().setName("evil\u001b[2J\nthread | 'x' \u202e " + "t".repeat(400));
		LockHandle held;
		try {
			held = acquire(a, request);
		}
		finally {
			Thread.currentThread().setName("main");
		}
		QueuedLock line = line(b, request);
		assertThat(line.exact()).isTrue();
		assertThat(line.key()).isEqualTo(key);
		ContenderOwner owner = line.holders().get(0).owner();
		assertThat(owner.instance()).isEqualTo(a.instance());
		assertThat(owner.thread()).startsWith("evil\\u001b[2J\\u000athread | 'x' ")
			.doesNotContain("\n", "\u001b", "\u202e");
		assertThat(b.inspector().holders(request.id())).startsWith(a.instance()).doesNotContain("\n", "\u001b");
		assertThat(b.inspector().locks(new Query(this.name, null, true, 0, 10, 10)).total()).isEqualTo(2);
		b.revoker().release(request.id(), held.fencingToken());
		await().until(held::isLost);
	}

	@Test
	void anotherApplicationOnTheSameNameIsWarnedOfOnce(CapturedOutput output) {
		Node a = node();
		Node b = node();
		LockRequest request = exclusive("7").withWaitTime(Duration.ZERO);
		LockHandle held = acquire(a, request);
		SharedNames same = new SharedNames((provider) -> b.inspector(), "shop", Runnable::run);
		SharedNames other = new SharedNames((provider) -> b.inspector(), "billing", Runnable::run);
		same.onNotAcquired(request, Duration.ZERO);
		other.onNotAcquired(request, Duration.ZERO);
		assertThat(output).containsOnlyOnce("The application 'shop' takes the lock '%s' too".formatted(this.name));
		held.close();
	}

	/**
	 * An instance.
	 *
	 * @param instance its identifier, of application {@code shop} on {@code localhost}
	 * @param template its locks
	 * @param heldLocks what it holds
	 * @param inspector what its operators see
	 * @param revoker what its operators do
	 * @param close stops it
	 */
	public record Node(String instance, LockTemplate template, HeldLocks heldLocks, LockInspector inspector,
			LockRevoker revoker, Runnable close) {

	}

}
