package io.interlock.zookeeper.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.interlock.LockOwner;
import io.interlock.LockRequest;
import io.interlock.zookeeper.internal.node.LockPaths;
import org.junit.jupiter.api.Test;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link StockAttempt}.
 */
class StockAttemptTests {

	private static final LockRequest REQUEST = LockRequest.exclusive("stock");

	private final ZooKeeperEngine engine = mock(ZooKeeperEngine.class);

	private final LockPaths paths = new LockPaths(Instance.ROOT);

	private final List<Runnable> notBegun = new ArrayList<>();

	@Test
	void attemptThatIsAbandonedBeforeItsThreadBeginsNoLongerUsesItsParent() {
		given(this.engine.paths()).willReturn(this.paths);
		willAnswer((call) -> this.notBegun.add(call.getArgument(0))).given(this.engine).execute(any());
		StockAttempt attempt = new StockAttempt(REQUEST, LockOwner.current(), this.engine);
		attempt.start();
		then(this.engine).should(never()).endUse(any());
		attempt.abandon();
		then(this.engine).should().endUse(this.paths.pathOf(REQUEST.id()));
		this.notBegun.forEach(Runnable::run);
		then(this.engine).should(times(1)).endUse(any());
	}

}
