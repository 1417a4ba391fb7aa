package io.interlock.web;

import java.time.Duration;

import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.Assert;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers exceptions about locks that no handler of the application handles with a
 * {@link ProblemDetail}, on Web MVC and on WebFlux. The answer is the same for all locks:
 * names, keys and paths stay in the log. An exception that carries a status of its own
 * keeps it. Immutable and safe for use by many threads.
 *
 * @since 0.1.0
 */
@RestControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public class LockExceptionAdvice {

	private static final Log logger = LogFactory.getLog(LockExceptionAdvice.class);

	private final HttpStatusCode notAcquired;

	private final HttpStatusCode unavailable;

	private final HttpStatusCode lost;

	private final long retryAfterSeconds;

	/**
	 * Create an advice.
	 * @param notAcquired status where others hold the lock
	 * @param unavailable status where the lock service does not answer
	 * @param lost status where a lock was lost
	 * @param retryAfter when to try again, for the first two, rounded up to seconds; zero
	 * says nothing about it
	 */
	public LockExceptionAdvice(HttpStatusCode notAcquired, HttpStatusCode unavailable, HttpStatusCode lost,
			Duration retryAfter) {
		Assert.notNull(notAcquired, "'notAcquired' must not be null");
		Assert.notNull(unavailable, "'unavailable' must not be null");
		Assert.notNull(lost, "'lost' must not be null");
		Assert.isTrue(!retryAfter.isNegative(), () -> "'retryAfter' must not be negative: " + retryAfter);
		this.notAcquired = notAcquired;
		this.unavailable = unavailable;
		this.lost = lost;
		this.retryAfterSeconds = retryAfter.plusNanos(999_999_999).toSeconds();
	}

	@ExceptionHandler(LockNotAcquiredException.class)
	ResponseEntity<ProblemDetail> notAcquired(Throwable thrown) throws Throwable {
		return answer(thrown, this.notAcquired, "Lock not acquired",
				"What the request needs is in use. Try again later.", this.retryAfterSeconds);
	}

	@ExceptionHandler(LockServiceUnavailableException.class)
	ResponseEntity<ProblemDetail> unavailable(Throwable thrown) throws Throwable {
		return answer(thrown, this.unavailable, "Lock service unavailable",
				"The request needs a lock, and the lock service cannot be used. Try again later.",
				this.retryAfterSeconds);
	}

	@ExceptionHandler(LockLostException.class)
	ResponseEntity<ProblemDetail> lost(Throwable thrown) throws Throwable {
		return answer(thrown, this.lost, "Lock lost",
				"The request lost its lock while it ran. Check what it did before you send it again.", 0);
	}

	/**
	 * Answer, or throw the exception again, by which a handler leaves it to the resolvers
	 * behind it.
	 */
	private static ResponseEntity<ProblemDetail> answer(Throwable thrown, HttpStatusCode status, String title,
			String detail, long retryAfterSeconds) throws Throwable {
		if (hasStatus(thrown)) {
			throw thrown;
		}
		if (status.is5xxServerError()) {
			logger.error("A request is answered with status %s".formatted(status), thrown);
		}
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
		if (retryAfterSeconds > 0) {
			response.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfterSeconds));
		}
		return response.body(problem);
	}

	private static boolean hasStatus(Throwable thrown) {
		for (Throwable each = thrown; each != null; each = each.getCause()) {
			if (each instanceof ErrorResponse
					|| AnnotatedElementUtils.hasAnnotation(each.getClass(), ResponseStatus.class)) {
				return true;
			}
		}
		return false;
	}

}
