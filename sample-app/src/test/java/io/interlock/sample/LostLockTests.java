package io.interlock.sample;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import io.interlock.LockHandle;
import io.interlock.sample.event.PaymentService;
import io.interlock.template.LockContext;
import org.apache.curator.CuratorZookeeperClient;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
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

	private RunningBoxOffice boxOffice;

	@BeforeEach
	void open() {
		this.boxOffice = RunningBoxOffice.first(List.of(), Checkout.class);
	}

	@AfterEach
	void close() {
		this.boxOffice.close();
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
		this.boxOffice.bean(Checkout.class).next.set(action);
	}

	private void loseTheLock() {
		LockHandle lock = LockContext.current();
		CuratorZookeeperClient client = this.boxOffice.bean(CuratorFramework.class).getZookeeperClient();
		try {
			ZooKeeper session = client.getZooKeeper();
			session.getTestable().injectSessionExpiration();
			await().until(() -> !lock.isValid());
			// The server does not know yet: end the session there as well.
			ZooKeeper second = new ZooKeeper(client.getCurrentConnectionString(), session.getSessionTimeout(),
					(event) -> {
					}, session.getSessionId(), session.getSessionPasswd());
			// Or told that the session has ended already, by the client itself.
			await().until(() -> second.getState().isConnected() || !second.getState().isAlive());
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
		this.boxOffice.client()
			.get()
			.uri("/events/2/report")
			.exchange()
			.expectBody()
			.jsonPath("$.sold")
			.isEqualTo(tickets)
			.jsonPath("$.consistent")
			.isEqualTo(true);
	}

	private RestTestClient.ResponseSpec sell(String buyer) {
		return this.boxOffice.client()
			.post()
			.uri("/events/2/sales")
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
