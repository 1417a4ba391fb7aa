package io.interlock.lease;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.interlock.LockRequest;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockAttempt.Phase;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.time.MovedTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for waits that end before their first question is answered, because a fast store
 * is busy with the questions of others.
 */
class BusyThreadsTests {

	/** Longer than any answers take that are waited for. */
	private static final Duration WAIT = Duration.ofMinutes(1);

	private static final Duration SILENCE = Duration.ofMillis(1200);

	private static final LockRequest STOCK = LockRequest.exclusive("stock").withWaitTime(WAIT);

	private static final LockRequest OTHER = LockRequest.exclusive("prices").withWaitTime(WAIT);

	private static final LockRequest PERMIT = LockRequest.semaphore("stock", 2).withWaitTime(WAIT);

	private static final LockRequest READER = LockRequest.shared("stock").withWaitTime(WAIT);

	private final MovedTime time = new MovedTime();

	private final MapLeaseStore store = new MapLeaseStore();

	private final LeaseLockProvider provider = new LeaseLockProvider(this.store,
			new LeaseSettings("test", Duration.ofMinutes(1), Duration.ofMillis(50), Duration.ofSeconds(10), 2, false),
			new MovedLeaseTime(this.time));

	private final Queue<Runnable> sent = new ConcurrentLinkedQueue<>();

	BusyThreadsTests() {
		this.store.sharing = true;
		this.store.ordered = true;
		// Those that wait ask again after a second.
		this.store.telling = true;
		this.store.sent = this.sent;
	}

	@AfterEach
	void close() {
		this.store.sent = null;
		this.sent.forEach(Runnable::run);
		this.provider.close();
		this.time.close();
	}

	private LockAttempt begin(LockRequest request) {
		return this.provider.attempt(request, LockCaller.current());
	}

	private void holdElsewhere() {
		this.store.holders.put(STOCK.id(), new LeaseContender("other", "other", STOCK.id(), STOCK.mode(), 1, false));
	}

	/** Answer the question of another caller at once, and return one that is not. */
	private LockAttempt unanswered(LockRequest answered, LockRequest request) {
		LockAttempt attempt = begin(request);
		Runnable question = this.sent.remove();
		this.time.jump(WAIT);
		begin(answered);
		this.sent.remove().run();
		this.sent.add(question);
		return attempt;
	}

	@Test
	void waitIsQueuedBehindWhatTheStoreHasReportedToAnotherCallerMeanwhile() {
		holdElsewhere();
		assertThat(unanswered(STOCK, STOCK).phase()).isEqualTo(Phase.QUEUED);
	}

	@Test
	void waitIsQueuedThoughTheLockWasFreeSinceItWasReported() {
		holdElsewhere();
		LockAttempt waiting = unanswered(PERMIT, PERMIT);
		this.store.holders.clear();
		Runnable question = this.sent.remove();
		begin(PERMIT);
		this.sent.remove().run();
		this.sent.add(question);
		assertThat(waiting.outcome()).isNotDone();
		assertThat(waiting.phase()).isEqualTo(Phase.QUEUED);
	}

	@Test
	void waitIsQueuedBehindAHoldThatTheStoreHasGivenToAnotherCallerMeanwhile() {
		LockAttempt waiting = begin(STOCK);
		Runnable question = this.sent.remove();
		this.time.jump(WAIT);
		LockAttempt faster = begin(STOCK);
		this.sent.remove().run();
		LockGrant grant = faster.outcome().join().orElseThrow();
		grant.release();
		this.sent.remove().run();
		this.sent.add(question);
		assertThat(waiting.phase()).isEqualTo(Phase.QUEUED);
	}

	@Test
	void exclusiveWaitIsQueuedBehindWhatExcludesAnother() {
		holdElsewhere();
		assertThat(unanswered(PERMIT, STOCK).phase()).isEqualTo(Phase.QUEUED);
	}

	@Test
	void waitThatHasMetALockedRowIsQueuedBehindWhatTheStoreHasReportedMeanwhile() {
		holdElsewhere();
		LockAttempt waiting = begin(STOCK);
		this.time.jump(WAIT);
		this.store.failure = LeaseStoreException.undone("another transaction has locked the row", null);
		this.sent.remove().run();
		assertThat(waiting.phase()).isEqualTo(Phase.CONNECTING);
		this.store.failure = null;
		begin(STOCK);
		this.sent.forEach(Runnable::run);
		assertThat(waiting.phase()).isEqualTo(Phase.QUEUED);
	}

	/** Readers may be in the way of the one, and not of the other. */
	@Test
	void readerIsNotQueuedBehindWhatKeepsAnExclusiveCaller() {
		holdElsewhere();
		assertThat(unanswered(STOCK, READER).phase()).isEqualTo(Phase.CREATING);
	}

	@Test
	void waitIsNotQueuedBehindAHoldThatDoesNotExcludeIt() {
		assertThat(unanswered(READER, READER).phase()).isEqualTo(Phase.CREATING);
	}

	@Test
	void waitIsNotQueuedBehindAnotherLock() {
		holdElsewhere();
		assertThat(unanswered(STOCK, OTHER).phase()).isEqualTo(Phase.CREATING);
	}

	@Test
	void waitIsNotQueuedBehindWhatWasReportedBeforeIt() {
		holdElsewhere();
		begin(STOCK).abandon();
		this.sent.remove().run();
		this.sent.clear();
		assertThat(unanswered(OTHER, STOCK).phase()).isEqualTo(Phase.CREATING);
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT)
	void waitIsNotQueuedOnceTheStoreIsSilent() {
		holdElsewhere();
		LockAttempt waiting = unanswered(STOCK, STOCK);
		this.time.jump(SILENCE);
		assertThat(waiting.phase()).isEqualTo(Phase.CREATING);
	}

	@Test
	@Proves(value = Promise.THE_DEADLINE, under = Fault.THE_SERVERS_ARE_SILENT)
	void waitIsNotQueuedBehindAHoldOfTheInstanceOnceTheStoreIsSilent() {
		LockAttempt waiting = unanswered(STOCK, STOCK);
		assertThat(waiting.phase()).isEqualTo(Phase.QUEUED);
		this.time.jump(SILENCE);
		assertThat(waiting.phase()).isEqualTo(Phase.CREATING);
	}

}
