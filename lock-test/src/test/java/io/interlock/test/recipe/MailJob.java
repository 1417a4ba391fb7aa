package io.interlock.test.recipe;

import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * A frequent job.
 */
class MailJob {

	private final Outbox outbox;

	MailJob(Outbox outbox) {
		this.outbox = outbox;
	}

	@Scheduled(fixedRate = 60_000)
	@DistributedLock(name = "mail", minHold = "period", onContention = ContentionPolicy.SKIP)
	public void sendMail() {
		this.outbox.send();
	}

	/**
	 * Messages to be sent.
	 */
	interface Outbox {

		void send();

	}

}
