package io.interlock.sample;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockHandle;
import io.interlock.sample.event.BoxOffice;
import io.interlock.sample.event.PaymentService;
import io.interlock.template.LockContext;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Primary;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.awaitility.Awaitility.await;

/**
 * Tests for a sale that loses its lock while the buyer pays.
 */
class LostLockTests {

	private static final long EVENT = 2;

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static RunningBoxOffice boxOffice;

	@BeforeAll
	static void open() {
		boxOffice = RunningBoxOffice.first(List.of(), Checkout.class);
	}

	@AfterAll
	static void close() {
		boxOffice.close();
	}

	@BeforeEach
	void sellNothing() {
		boxOffice.bean(BoxOffice.class).reset(EVENT);
	}

	@Test
	void isRolledBackInsteadOfCommitted() {
		duringTheNextPayment(this::loseTheLock);
		refused("Ada", HttpStatus.INTERNAL_SERVER_ERROR,
				"The request ran, but was not alone for all the time. Look up what it did before you repeat it.");
		sold(0);
		sells("Grace", 1);
		sold(1);
	}

	@Test
	void writesNothingOverTheSaleOfTheNextHolder() {
		duringTheNextPayment(() -> {
			loseTheLock();
			sells("Grace", 1);
		});
		refused("Ada", HttpStatus.CONFLICT,
				"A later holder of the lock has been served in the meantime. Nothing was changed.");
		sold(1);
		sells("Ada", 2);
	}

	private void duringTheNextPayment(Runnable action) {
		boxOffice.bean(Checkout.class).next.set(action);
	}

	private void loseTheLock() {
		LockHandle lock = LockContext.current();
		CuratorZookeeperClient client = boxOffice.bean(CuratorFramework.class).getZookeeperClient();
		try {
			ZooKeeper session = client.getZooKeeper();
			session.getTestable().injectSessionExpiration();
			await().atMost(PATIENCE).until(() -> !lock.isValid());
			// The server does not know yet: end the session there as well.
			ZooKeeper second = new ZooKeeper(client.getCurrentConnectionString(), session.getSessionTimeout(),
					(event) -> {
					}, session.getSessionId(), session.getSessionPasswd());
			// Or told that the session has ended already, by the client itself.
			await().atMost(PATIENCE).until(() -> second.getState().isConnected() || !second.getState().isAlive());
			second.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void refused(String buyer, HttpStatus status, String detail) {
		sell(buyer).expectStatus()
			.isEqualTo(status)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.title")
			.isEqualTo("Lock lost")
			.jsonPath("$.detail")
			.isEqualTo(detail)
			.jsonPath("$.lock")
			.doesNotExist();
	}

	private void sells(String buyer, int seat) {
		sell(buyer).expectStatus()
			.isCreated()
			.expectBody()
			.jsonPath("$.buyer")
			.isEqualTo(buyer)
			.jsonPath("$.seat")
			.isEqualTo(seat);
	}

	private void sold(int tickets) {
		boxOffice.client()
			.get()
			.uri("/events/{id}/report", EVENT)
			.exchange()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(tickets)
			.jsonPath("$.consistent")
			.isEqualTo(true);
	}

	private RestTestClient.ResponseSpec sell(String buyer) {
		return boxOffice.client()
			.post()
			.uri("/events/{id}/sales", EVENT)
			.contentType(MediaType.APPLICATION_JSON)
			.body(Map.of("buyer", buyer))
			.exchange();
	}

	/**
	 * Takes the money at once, and lets something happen meanwhile.
	 */
	@Primary
	static class Checkout implements PaymentService {

		private static final Runnable NOTHING = () -> {
		};

		final AtomicReference<Runnable> next = new AtomicReference<>(NOTHING);

		@Override
		public void pay(String buyer, BigDecimal amount) {
			this.next.getAndSet(NOTHING).run();
		}

	}

}
