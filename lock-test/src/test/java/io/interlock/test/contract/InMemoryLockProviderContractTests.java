package io.interlock.test.contract;

import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockState;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockProvider;

/**
 * The contract for locks in memory, whose instances are the callers of one provider.
 */
class InMemoryLockProviderContractTests extends LockProviderOutageContract {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	@Override
	protected LockProvider startInstance() {
		return this.provider;
	}

	@Override
	protected Duration lease() {
		return Duration.ofMillis(100);
	}

	@Override
	protected int contenders(String name) {
		return (int) this.provider.grants()
			.stream()
			.filter((grant) -> grant.request().id().name().equals(name))
			.count();
	}

	@Override
	protected boolean cutOff(LockProvider instance) {
		this.provider.changeState(new LockId(lockName(), null), LockState.LOST);
		return true;
	}

	@Override
	protected void stopStore() {
		this.provider.setAvailable(false);
	}

	@Override
	protected void startStore() {
		this.provider.setAvailable(true);
	}

}
