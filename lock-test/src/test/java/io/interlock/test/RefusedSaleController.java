package io.interlock.test;

import java.time.Duration;

import io.interlock.LockId;
import io.interlock.LockNotAcquiredException;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Answers as an application does whose lock is busy.
 */
@RestController
class RefusedSaleController {

	@GetMapping("/sale")
	String sale() {
		throw new LockNotAcquiredException("Busy", new LockId("seats", "42"), Duration.ZERO, null);
	}

}
