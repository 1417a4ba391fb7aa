package io.interlock.sample.show.rush;

import java.time.Duration;

import io.interlock.LockId;
import io.interlock.sample.BoxOfficeProperties;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentTime;
import io.interlock.sample.instance.ThisInstance;
import io.interlock.sample.show.live.LockActivity;
import io.interlock.sample.show.live.Recorder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * The buyers of this instance, a limited number of them at a time.
 */
@Component
class Crowd implements DisposableBean {

	private final BoxOffice boxOffice;

	private final PaymentTime paymentTime;

	private final ThisInstance instance;

	private final Recorder recorder;

	private final boolean locking;

	private final Counters counters;

	Crowd(BoxOffice boxOffice, PaymentTime paymentTime, ThisInstance instance, Recorder recorder,
			BoxOfficeProperties properties) {
		this.boxOffice = boxOffice;
		this.paymentTime = paymentTime;
		this.instance = instance;
		this.recorder = recorder;
		this.locking = properties.locking();
		this.counters = new Counters(properties.rush().threads(), "counter-");
	}

	/**
	 * Serve buyers.
	 * @param eventId the event
	 * @param buyers how many buyers
	 * @param payment how long a payment takes, or {@code null} for as long as usual
	 * @return what they got
	 */
	Share buy(long eventId, int buyers, @Nullable Duration payment) {
		if (payment != null) {
			this.paymentTime.change(payment);
		}
		try {
			return buy(eventId, buyers);
		}
		finally {
			this.paymentTime.reset();
		}
	}

	private Share buy(long eventId, int buyers) {
		LockId lock = new LockId("seats", Long.toString(eventId));
		LockActivity before = this.recorder.activity(lock);
		Counters.Outcomes outcomes = this.counters.serve(buyers, (buyer) -> this.boxOffice.sell(eventId, buyer));
		LockActivity after = this.recorder.activity(lock);
		return Share.of(this.instance.name(), this.locking, buyers, outcomes)
			.withLocks(after.grants() - before.grants(), after.handoffs() - before.handoffs());
	}

	@Override
	public void destroy() {
		this.counters.close();
	}

}
