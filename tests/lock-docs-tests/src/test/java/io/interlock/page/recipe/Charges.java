package io.interlock.page.recipe;

import java.util.Optional;

import io.interlock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Charges once for each key of a client, however often the client sends it.
 */
@Service
class Charges {

	private final Receipts receipts;

	private final Gateway gateway;

	Charges(Receipts receipts, Gateway gateway) {
		this.receipts = receipts;
		this.gateway = gateway;
	}

	@DistributedLock(name = "charges", key = "#idempotencyKey", waitTime = "5s")
	public String charge(String idempotencyKey, long cents) {
		return this.receipts.find(idempotencyKey)
			.orElseGet(() -> this.receipts.add(idempotencyKey, this.gateway.charge(idempotencyKey, cents)));
	}

	/**
	 * Answers that were given, by the keys of the clients, which are unique.
	 */
	interface Receipts {

		Optional<String> find(String idempotencyKey);

		String add(String idempotencyKey, String receipt);

	}

	/**
	 * A remote system.
	 */
	interface Gateway {

		String charge(String idempotencyKey, long cents);

	}

}
