package io.interlock.sample.web;

import io.interlock.LockException;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.fencing.StaleLockException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Tells clients what a failed lock means for them. "Another buyer has it" and "it is not
 * known" are different answers.
 */
@RestControllerAdvice
class LockProblemAdvice {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
		return problem(HttpStatus.CONFLICT, "Busy", "Others are being served. Try again.", 1, ex);
	}

	@ExceptionHandler({ LockServiceUnavailableException.class, LockInterruptedException.class })
	ResponseEntity<ProblemDetail> unavailable(LockException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Locks are not available",
				"Nothing was changed. Try again later.", 5, ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> lost(LockLostException ex) {
		return problem(HttpStatus.INTERNAL_SERVER_ERROR, "Lock lost",
				"The request ran, but was not alone for all the time. Look up what it did before you repeat it.", 0,
				ex);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> stale(StaleLockException ex) {
		return problem(HttpStatus.INTERNAL_SERVER_ERROR, "Lock lost",
				"A later holder of the lock has been served in the meantime. Nothing was changed.", 0, ex);
	}

	private static ResponseEntity<ProblemDetail> problem(HttpStatus status, String title, String detail,
			int retryAfterSeconds, LockException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		problem.setProperty("lock", ex.lockId().toString());
		problem.setProperty("waitedMillis", ex.waited().toMillis());
		ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
		if (retryAfterSeconds > 0) {
			response.header(HttpHeaders.RETRY_AFTER, Integer.toString(retryAfterSeconds));
		}
		return response.body(problem);
	}

}
