package io.interlock.sample.show.fault;

import java.time.Duration;

import io.interlock.LockRequest;
import io.interlock.template.LockTemplate;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A caller with little patience, to see what it is told while ZooKeeper is stopped. It
 * takes JSON only, as the other controls do.
 */
@RestController
@RequestMapping(path = "/demo/calls", consumes = MediaType.APPLICATION_JSON_VALUE)
@ConditionalOnBooleanProperty("sample.controls")
class CallController {

	private static final LockRequest LOCK = LockRequest.exclusive("caller").withWaitTime(Duration.ofSeconds(1));

	private final LockTemplate locks;

	CallController(LockTemplate locks) {
		this.locks = locks;
	}

	/**
	 * Acquire a lock and release it.
	 * @param request empty: there is nothing to choose
	 * @return the token of the lock
	 */
	@PostMapping
	Answer call(@RequestBody Call request) {
		return this.locks.execute(LOCK, (lock) -> new Answer(lock.fencingToken()));
	}

	/**
	 * Asks for a lock.
	 */
	record Call() {

	}

	/**
	 * Tells that the caller had the lock.
	 *
	 * @param token fencing token of the lock
	 */
	record Answer(long token) {

	}

}
