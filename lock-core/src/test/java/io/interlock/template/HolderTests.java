package io.interlock.template;

import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

import io.interlock.LockRequest;
import io.interlock.provider.LockCaller;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Holder}.
 */
class HolderTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("stock");

	private final HeldLocks heldLocks = new HeldLocks();

	private final HoldParts parts = this.heldLocks.parts(LockSettings.defaults(), new LockListeners(List.of()));

	/** The thread ends its body while another one describes the hold. */
	@Test
	void bodyThatEndsNowIsNoOpenTransaction() {
		Deque<HoldHandle> handles = new ConcurrentLinkedDeque<>() {

			@Override
			public Stream<HoldHandle> stream() {
				List<HoldHandle> before = List.copyOf(this);
				clear();
				return before.stream();
			}

		};
		Hold hold = hold(handles);
		hold.outermost().beginBody();
		assertThat(hold.heldBy()).isEqualTo("thread '%s' of this instance".formatted(Thread.currentThread().getName()));
		hold.outermost().close();
	}

	@Test
	void handleOfATransactionWithoutABodyIsAnOpenTransaction() {
		Hold hold = hold(new ConcurrentLinkedDeque<>());
		hold.outermost().beginBody();
		assertThat(hold.join()).isTrue();
		HoldHandle transaction = HoldHandle.forTransaction(hold, REQUEST);
		assertThat(hold.heldBy()).doesNotContain("transaction");
		hold.outermost().close();
		assertThat(hold.heldBy()).endsWith(", kept by its open transaction");
		transaction.close();
		assertThat(hold.heldBy()).doesNotContain("transaction");
	}

	private Hold hold(Deque<HoldHandle> handles) {
		ScriptedLockProvider provider = new ScriptedLockProvider();
		provider.attempt(REQUEST, LockCaller.current());
		return new Hold(REQUEST, provider.onlyGrant(), this.parts, new Holder(Thread.currentThread(), handles, null),
				(ended) -> {
				});
	}

}
