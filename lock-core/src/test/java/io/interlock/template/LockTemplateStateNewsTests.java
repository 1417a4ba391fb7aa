package io.interlock.template;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.testing.ScriptedGrant;
import io.interlock.testing.ScriptedLockProvider;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the order in which a holder hears of changes, whichever threads bring them.
 */
@Timeout(30)
class LockTemplateStateNewsTests {

	private final ScriptedLockProvider provider = new ScriptedLockProvider();

	private final LockTemplate template = new LockTemplate(this.provider);

	private final List<LockState> heard = new CopyOnWriteArrayList<>();

	private final LockHandle handle = this.template.acquire(LockRequest.exclusive("orders"));

	private final ScriptedGrant grant = this.provider.onlyGrant();

	@AfterEach
	void close() {
		this.handle.close();
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void newsThatComesLateIsNotBelieved() {
		this.handle.onStateChange(this.heard::add);
		this.grant.tellLate(LockState.UNCONFIRMED);
		assertThat(this.heard).isEmpty();
		this.grant.suspend();
		this.grant.tellLate(LockState.VALID);
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED);
		this.grant.resume();
		this.grant.tellLate(LockState.UNCONFIRMED);
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
	}

	@Test
	@Proves(value = Promise.VALIDITY, under = Fault.THE_CONNECTION_IS_SUSPENDED)
	void changesAreHeardInTheirOrderBehindASlowAction() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		this.handle.onStateChange((state) -> {
			this.heard.add(state);
			if (state == LockState.UNCONFIRMED) {
				awaitUninterruptibly(goOn);
			}
		});
		this.grant.suspend();
		Background<Boolean> slow = Background.start(() -> {
			this.grant.tellState();
			return true;
		});
		await().untilAsserted(() -> assertThat(this.heard).containsExactly(LockState.UNCONFIRMED));
		this.grant.resume();
		Background.run(this.grant::tellState);
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED);
		goOn.countDown();
		slow.join();
		assertThat(this.heard).containsExactly(LockState.UNCONFIRMED, LockState.VALID);
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
