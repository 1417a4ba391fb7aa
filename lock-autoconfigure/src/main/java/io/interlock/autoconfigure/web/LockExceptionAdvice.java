package io.interlock.autoconfigure.web;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.interlock.LockException;
import io.interlock.LockInterruptedException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockServiceUnavailableException;
import io.interlock.fencing.StaleLockException;
import io.interlock.internal.LogPace;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.MessageSource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers exceptions about locks that no handler of the application handles with a
 * problem detail, on Web MVC and on WebFlux. The answer is the same for all locks: names,
 * keys and paths stay in the log. Its texts are those of the {@link MessageSource}, under
 * Spring's codes for problem details. An exception with a status of its own keeps it.
 * Safe for use by many threads.
 */
@RestControllerAdvice
class LockExceptionAdvice implements Ordered {

	static final List<Class<? extends LockException>> ANSWERED = List.of(LockNotAcquiredException.class,
			LockServiceUnavailableException.class, LockInterruptedException.class, LockLostException.class,
			StaleLockException.class);

	private static final Log logger = LogFactory.getLog(LockExceptionAdvice.class);

	private final LockWebAutoConfiguration.WebProperties properties;

	private final MessageSource messages;

	private final LogPace<Class<? extends LockException>> pace;

	LockExceptionAdvice(LockWebAutoConfiguration.WebProperties properties, MessageSource messages,
			LongSupplier nanoTime) {
		this.properties = properties;
		this.messages = messages;
		this.pace = new LogPace<>(Duration.ofMinutes(1), nanoTime);
	}

	@Override
	public int getOrder() {
		return this.properties.order();
	}

	@ExceptionHandler(LockNotAcquiredException.class)
	ErrorResponse notAcquired(Throwable thrown, Locale locale) throws Throwable {
		return answer(thrown, locale, LockNotAcquiredException.class, HttpStatus.CONFLICT, "Lock not acquired",
				"The resource is in use. Try again later.");
	}

	@ExceptionHandler(LockServiceUnavailableException.class)
	ErrorResponse unavailable(Throwable thrown, Locale locale) throws Throwable {
		return answer(thrown, locale, LockServiceUnavailableException.class, HttpStatus.SERVICE_UNAVAILABLE,
				"Lock service unavailable",
				"The request needs a lock, but the lock service is not available. Try again later.");
	}

	@ExceptionHandler(LockInterruptedException.class)
	ErrorResponse interrupted(Throwable thrown, Locale locale) throws Throwable {
		return answer(thrown, locale, LockInterruptedException.class, HttpStatus.SERVICE_UNAVAILABLE,
				"Request interrupted", "The request was interrupted while it waited for a lock. Try again later.");
	}

	@ExceptionHandler(LockLostException.class)
	ErrorResponse lost(Throwable thrown, Locale locale) throws Throwable {
		return answer(thrown, locale, LockLostException.class, HttpStatus.INTERNAL_SERVER_ERROR, "Lock lost",
				"The request lost its lock while it ran. Check what it did before you send it again.");
	}

	@ExceptionHandler(StaleLockException.class)
	ErrorResponse stale(Throwable thrown, Locale locale) throws Throwable {
		return answer(thrown, locale, StaleLockException.class, HttpStatus.CONFLICT, "Write refused",
				"A later request has written in the meantime, and this one wrote nothing. Try again later.");
	}

	/** Answer, or rethrow to leave the exception to the resolvers behind this handler. */
	private ErrorResponse answer(Throwable thrown, Locale locale, Class<? extends LockException> type,
			HttpStatus status, String title, String detail) throws Throwable {
		if (hasStatus(thrown)) {
			throw thrown;
		}
		if (status.is5xxServerError()) {
			log(thrown, type, status);
		}
		ErrorResponse.Builder answer = ErrorResponse.builder(thrown, status, detail)
			.title(title)
			.typeMessageCode(ErrorResponse.getDefaultTypeMessageCode(type))
			.titleMessageCode(ErrorResponse.getDefaultTitleMessageCode(type))
			.detailMessageCode(ErrorResponse.getDefaultDetailMessageCode(type, null));
		long retryAfter = (type != LockLostException.class) ? this.properties.retryAfterSeconds() : 0;
		if (retryAfter > 0) {
			answer.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter));
		}
		return answer.build(this.messages, locale);
	}

	/** Log a loss with its stack, and an outage, which fails all calls, once a minute. */
	private void log(Throwable thrown, Class<? extends LockException> type, HttpStatus status) {
		if (type == LockLostException.class) {
			logger.error("Answered a request with status %s".formatted(status), thrown);
			return;
		}
		logger.debug("The exception behind status %s".formatted(status), thrown);
		OptionalLong others = this.pace.next(type);
		if (others.isPresent()) {
			Throwable failure = causes(thrown).filter(type::isInstance).findFirst().orElse(thrown);
			long count = others.getAsLong();
			logger.warn("Answered a request with status %s: %s: %s%s".formatted(status, type.getSimpleName(),
					failure.getMessage(),
					(count > 0) ? " (%d more since the last such message)".formatted(count) : ""));
		}
	}

	static boolean isAboutLock(Throwable thrown) {
		return causes(thrown).anyMatch(LockException.class::isInstance);
	}

	private static boolean hasStatus(Throwable thrown) {
		return causes(thrown).anyMatch((each) -> each instanceof ErrorResponse
				|| AnnotatedElementUtils.hasAnnotation(each.getClass(), ResponseStatus.class));
	}

	@SuppressWarnings("NullAway") // ends where there is no cause
	private static Stream<Throwable> causes(Throwable thrown) {
		return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause);
	}

}
