package io.interlock.sample.show.fault;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.sample.show.live.Story;
import io.interlock.sample.web.InvalidRequestException;
import io.interlock.template.LockTemplate;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.stereotype.Component;

/**
 * Holds a lock for a while and does nothing, as a request does that hangs. It lets go at
 * once when the lock is lost, or when an operator asks for it.
 */
@Component
@ConditionalOnFaultControls
class StalledHolds implements DisposableBean {

	private static final int MOST = 4;

	private final LockTemplate locks;

	private final Story story;

	private final ExecutorService threads = new ThreadPoolExecutor(0, MOST, 10, TimeUnit.SECONDS,
			new SynchronousQueue<>(), new CustomizableThreadFactory("stalled-"));

	StalledHolds(LockTemplate locks, Story story) {
		this.locks = locks;
		this.story = story;
	}

	void begin(HoldRequest hold) {
		LockRequest request = hold.lockRequest().withOnLoss(LossPolicy.SIGNAL);
		try {
			this.threads.execute(() -> run(request, Duration.ofSeconds(hold.seconds())));
		}
		catch (RejectedExecutionException ex) {
			throw new InvalidRequestException("%d threads of this instance stall already".formatted(MOST));
		}
	}

	private void run(LockRequest request, Duration time) {
		try {
			this.locks.execute(request, (lock) -> stall(lock, time));
		}
		catch (LockException ex) {
			this.story.tell(Story.Kind.DOUBT, "No sale stalls: " + ex.getMessage());
		}
	}

	private boolean stall(LockHandle lock, Duration time) {
		CountDownLatch done = new CountDownLatch(1);
		lock.onLoss(done::countDown);
		lock.onRevocationRequested((request) -> {
			this.story.tell(Story.Kind.RECOVERY,
					"The holder of %s gives it up, as %s asked".formatted(lock.id(), request.requestedBy()));
			done.countDown();
		});
		this.story.tell(Story.Kind.CONTROL,
				"A holder of %s stalls for up to %d s".formatted(lock.id(), time.toSeconds()));
		try {
			return done.await(time.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

}
