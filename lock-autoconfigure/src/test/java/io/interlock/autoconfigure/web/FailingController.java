package io.interlock.autoconfigure.web;

import java.time.Duration;

import io.interlock.LockException;
import io.interlock.LockId;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.fencing.StaleLockException;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * A controller all of whose requests fail, with messages that no client should read.
 */
@RestController
class FailingController {

	private static final LockId ID = new LockId("seats", "secret-key");

	@GetMapping("/not-acquired")
	void notAcquired() {
		throw busy();
	}

	@GetMapping("/unavailable")
	void unavailable() {
		throw new LockServiceUnavailableException("no answer for /interlock/seats:secret-key", ID, Duration.ZERO, null);
	}

	@GetMapping("/lost")
	void lost() {
		throw new LockLostException("lost /interlock/seats:secret-key", ID, Duration.ZERO, null);
	}

	@GetMapping("/interrupted")
	void interrupted() {
		throw new LockInterruptedException("interrupted at /interlock/seats:secret-key", ID, Duration.ZERO,
				new InterruptedException());
	}

	@GetMapping("/stale")
	void stale() {
		throw new StaleLockException("token 4711 of /interlock/seats:secret-key is stale", ID, 4711);
	}

	@GetMapping("/other")
	void other() {
		throw new LockException("Not for clients", ID, Duration.ZERO, null);
	}

	@GetMapping("/wrapped")
	void wrapped() {
		throw new IllegalStateException("Not for clients", busy());
	}

	@GetMapping("/own-status")
	void ownStatus() {
		throw new SoldOutException();
	}

	@GetMapping("/own-type")
	void ownType() {
		throw new SeatTakenException();
	}

	@GetMapping("/status-around")
	void statusAround() {
		throw new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "Too many buyers", busy());
	}

	/**
	 * Fail as the request of a path does.
	 */
	void fail(String path) {
		switch (path) {
			case "not-acquired" -> notAcquired();
			case "unavailable" -> unavailable();
			case "lost" -> lost();
			case "interrupted" -> interrupted();
			case "stale" -> stale();
			case "wrapped" -> wrapped();
			case "own-status" -> ownStatus();
			case "status-around" -> statusAround();
			default -> other();
		}
	}

	static LockNotAcquiredException busy() {
		return new LockNotAcquiredException("held by /interlock/seats:secret-key", ID, Duration.ZERO, null);
	}

	@ResponseStatus(HttpStatus.GONE)
	private static final class SoldOutException extends LockNotAcquiredException {

		SoldOutException() {
			super("sold out", ID, Duration.ZERO, null);
		}

	}

	private static final class SeatTakenException extends LockNotAcquiredException {

		SeatTakenException() {
			super("taken", ID, Duration.ZERO, null);
		}

	}

}
