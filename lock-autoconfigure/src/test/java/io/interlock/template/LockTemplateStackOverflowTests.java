package io.interlock.template;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.IntConsumer;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for lock calls at every depth around the end of the stack: none of them may leave
 * a hold or a count behind.
 */
@Timeout(120)
class LockTemplateStackOverflowTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("orders");

	private static final List<LockRequest> SEVERAL = List.of(REQUEST, REQUEST.withKey("a"), REQUEST.withKey("b"));

	private static final long STACK_BYTES = 300 * 1024;

	/**
	 * So many calls are made, each with a little more stack than the one before: the
	 * first have none to begin with, the last have more than they need.
	 */
	private static final int DEPTHS = 1000;

	private static final int WARM_UP = 3;

	private final ScriptedLockProvider provider = new ScriptedLockProvider().forgetting();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(
			new QueueingLockProvider(this.provider,
					new QueueSettings(true, Map.of(), Duration.ofMillis(50), Integer.MAX_VALUE, Integer.MAX_VALUE)),
			LockSettings.defaults(), this.heldLocks, List.of());

	@Test
	void outermostBodyLeavesNothing() throws Exception {
		atEveryDepth((depth) -> this.template.executeWithoutResult(REQUEST, (lock) -> {
		}));
	}

	@Test
	void joinedBodyLeavesNothing() throws Exception {
		onSmallStack(() -> {
			LockHandle outer = this.template.acquire(REQUEST);
			int most = deepest();
			for (int depth = most; depth > most - DEPTHS; depth--) {
				attempt(depth, () -> this.template.executeWithoutResult(REQUEST, (lock) -> {
				}));
			}
			outer.close();
		});
		assertThat(this.provider.openGrants()).isZero();
	}

	@Test
	@Proves(value = Promise.NOTHING_IS_LEFT_BEHIND, under = Fault.THE_STACK_OVERFLOWS)
	void bodiesInsideEachOtherLeaveNothing() throws Exception {
		onSmallStack(() -> {
			for (int round = 0; round < 30; round++) {
				attempt(round, this::recurse);
				assertThat(this.provider.openGrants()).isZero();
			}
		});
	}

	private void recurse() {
		this.template.executeWithoutResult(REQUEST, (lock) -> recurse());
	}

	@Test
	void handleLeavesNothing() throws Exception {
		atEveryDepth((depth) -> this.template.acquire(REQUEST).close());
	}

	@Test
	void triedHandleLeavesNothing() throws Exception {
		atEveryDepth((depth) -> this.template.tryAcquire(REQUEST).orElseThrow().close());
	}

	@Test
	void handlesOfSeveralLocksLeaveNothing() throws Exception {
		atEveryDepth((depth) -> this.template.acquireAll(SEVERAL).close());
	}

	@Test
	void bodyUnderSeveralLocksLeavesNothing() throws Exception {
		atEveryDepth((depth) -> this.template.executeAll(SEVERAL, (locks) -> true));
	}

	@Test
	void lockLeavesNothing() throws Exception {
		Lock lock = this.template.asLock(REQUEST);
		atEveryDepth((depth) -> {
			lock.lock();
			lock.unlock();
		});
	}

	@Test
	void lockThatCannotBeUnlockedIsUnlockedLater() throws Exception {
		Lock lock = this.template.asLock(REQUEST);
		onSmallStack(() -> {
			int most = deepest();
			for (int depth = most; depth > most - DEPTHS; depth--) {
				lock.lock();
				attempt(depth, lock::unlock);
				if (!this.heldLocks.held().isEmpty()) {
					lock.unlock();
				}
				assertThat(this.provider.openGrants()).as("depth %d of %d", depth, most).isZero();
			}
		});
	}

	@Test
	void asynchronousHandleLeavesNothing() throws Exception {
		atEveryDepth((depth) -> this.template.acquireAsync(REQUEST).thenAccept(LockHandle::close),
				this::awaitNothingIsHeld);
	}

	@Test
	void asynchronousWorkLeavesNothing() throws Exception {
		atEveryDepth(
				(depth) -> this.template.executeAsync(REQUEST, (lock) -> CompletableFuture.completedFuture("done")),
				this::awaitNothingIsHeld);
	}

	/**
	 * Threads of the library begin and end asynchronous holds, after the call has
	 * returned.
	 */
	private void awaitNothingIsHeld() {
		Awaitility.await()
			.until(() -> this.provider.openGrants() == 0 && this.heldLocks.held().isEmpty()
					&& this.heldLocks.waiting().isEmpty());
	}

	@Test
	void lockThatIsKeptLeavesNothing() throws Exception {
		LockRequest kept = REQUEST.withMinHold(Duration.ofMinutes(10));
		atEveryDepth((depth) -> this.template.acquire(kept).close(), this.heldLocks::releaseKept);
		assertThat(LockTime.TIMER.getQueue())
			.noneMatch((task) -> task instanceof Delayed delayed && delayed.getDelay(TimeUnit.MINUTES) > 0);
	}

	private void atEveryDepth(IntConsumer call) throws Exception {
		atEveryDepth(call, () -> {
		});
	}

	private void atEveryDepth(IntConsumer call, Runnable after) throws Exception {
		onSmallStack(() -> {
			int most = deepest();
			for (int depth = most; depth > most - DEPTHS; depth--) {
				int current = depth;
				attempt(depth, () -> call.accept(current));
				after.run();
				assertThat(this.provider.openGrants()).as("depth %d of %d", depth, most).isZero();
				assertThat(this.heldLocks.held()).isEmpty();
				assertThat(this.heldLocks.waiting()).isEmpty();
				assertThat(LockContext.held()).isEmpty();
			}
		});
	}

	private void attempt(int depth, Runnable call) {
		try {
			dive(depth, call);
		}
		catch (VirtualMachineError | LinkageError | LockException ex) {
			// What is left behind is what counts.
		}
	}

	private static int deepest() {
		int depth = 0;
		try {
			while (true) {
				depth += 100;
				dive(depth, () -> {
				});
			}
		}
		catch (StackOverflowError ex) {
			return depth;
		}
	}

	private static int dive(int depth, Runnable call) {
		if (depth == 0) {
			call.run();
			return 0;
		}
		return dive(depth - 1, call) + 1;
	}

	private void onSmallStack(Runnable body) throws Exception {
		for (int round = 0; round < WARM_UP; round++) {
			this.template.executeWithoutResult(REQUEST,
					(lock) -> this.template.executeWithoutResult(REQUEST, (inner) -> {
					}));
			this.template.acquire(REQUEST).close();
			assertThat(this.provider.openGrants()).isZero();
			assertThat(this.heldLocks.held()).isEmpty();
		}
		Throwable[] failure = new Throwable[1];
		Thread thread = new Thread(null, () -> {
			try {
				body.run();
			}
			catch (Throwable ex) {
				failure[0] = ex;
			}
		}, "small-stack", STACK_BYTES);
		thread.start();
		thread.join();
		assertThat(failure[0]).isNull();
		assertThat(this.provider.openGrants()).isZero();
		assertThat(this.heldLocks.held()).isEmpty();
	}

}
