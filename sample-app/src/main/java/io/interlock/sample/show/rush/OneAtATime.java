package io.interlock.sample.show.rush;

import java.time.Duration;
import java.util.function.Supplier;

import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.template.LockTemplate;

import org.springframework.stereotype.Component;

/**
 * Lets one rush run at a time, wherever it was started. A further one is refused with a
 * {@link io.interlock.LockNotAcquiredException}.
 */
@Component
class OneAtATime {

	// A visitor that ends the session of this instance during a rush wants to see the
	// result all the more, so the loss of this lock is no failure.
	private static final LockRequest LOCK = LockRequest.exclusive("rush")
		.withWaitTime(Duration.ZERO)
		.withOnLoss(LossPolicy.SIGNAL);

	private final LockTemplate locks;

	OneAtATime(LockTemplate locks) {
		this.locks = locks;
	}

	<T> T run(Supplier<T> rush) {
		return this.locks.execute(LOCK, (lock) -> rush.get());
	}

}
