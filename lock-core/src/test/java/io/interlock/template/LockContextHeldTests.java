package io.interlock.template;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockContext#held()}, and for what lies beneath a handle.
 */
class LockContextHeldTests {

	private final LockTemplate template = new LockTemplate(new ScriptedLockProvider());

	@Test
	void holdsNothingAtFirst() {
		assertThat(LockContext.held()).isEmpty();
	}

	@Test
	void listsTheInnermostFirst() {
		try (LockHandle outer = this.template.acquire(LockRequest.exclusive("outer"));
				LockHandle inner = this.template.acquire(LockRequest.shared("inner"))) {
			assertThat(LockContext.held()).containsExactly(inner, outer);
		}
		assertThat(LockContext.held()).isEmpty();
	}

	@Test
	void listsOnceWhatWasAcquiredAgain() {
		try (LockHandle first = this.template.acquire(LockRequest.exclusive("seat"));
				LockHandle again = this.template.acquire(LockRequest.exclusive("seat"))) {
			assertThat(LockContext.held()).containsExactly(again).doesNotContain(first);
		}
	}

	@Test
	void findsTheRequestThatMatches() {
		LockRequest request = LockRequest.exclusive("seat");
		try (LockHandle first = this.template.acquire(request);
				LockHandle again = this.template.acquire(request.withOnLoss(LossPolicy.SIGNAL))) {
			assertThat(LockContext.held((each) -> each.onLoss() == LossPolicy.FAIL)).containsExactly(first);
			assertThat(LockContext.held((each) -> each.onLoss() == LossPolicy.SIGNAL)).containsExactly(again);
			assertThat(LockContext.held((each) -> each.onLoss() == LossPolicy.INTERRUPT)).isEmpty();
		}
	}

	@Test
	void doesNotShowWhatAnotherThreadHolds() {
		try (LockHandle mine = this.template.acquire(LockRequest.exclusive("seat"))) {
			List<LockHandle> theirs = CompletableFuture.supplyAsync(LockContext::held).join();
			assertThat(theirs).isEmpty();
			assertThat(LockContext.held()).containsExactly(mine);
		}
	}

	@Test
	void doesNotChangeAfterwards() {
		List<LockHandle> held;
		try (LockHandle lock = this.template.acquire(LockRequest.exclusive("seat"))) {
			held = LockContext.held();
			assertThat(held).containsExactly(lock);
		}
		assertThat(held).hasSize(1);
	}

	@Test
	void reachesTheHandleOfTheProvider() {
		try (LockHandle lock = this.template.acquire(LockRequest.exclusive("seat"))) {
			assertThat(lock.unwrap(ScriptedGrant.class)).isPresent();
			assertThat(lock.unwrap(String.class)).isEmpty();
		}
	}

}
