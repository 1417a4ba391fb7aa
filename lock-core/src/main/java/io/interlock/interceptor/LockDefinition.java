package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;
import org.springframework.util.StringValueResolver;

/**
 * The lock of a method. Immutable.
 *
 * @param key of each call, or {@code null} for one lock for all calls
 * @param keys of each call in place of {@code key}; empty for one lock
 * @param minHold for a call that begins now, or {@code null} for the request's own
 * @param runs last runs of jobs, or {@code null} for a method that is never skipped
 * @param scheduled whether a schedule calls the method
 */
record LockDefinition(Method method, LockRequest request, @Nullable LockKeyExpression key, List<LockKeyExpression> keys,
		ContentionPolicy onContention, boolean enabled, @Nullable FallbackMethods fallback,
		@Nullable Supplier<Duration> minHold, @Nullable JobRuns runs, boolean scheduled) {

	/** Begin to run the method, and return what to tell of its end. */
	Consumer<@Nullable Throwable> begin(@Nullable String key) {
		return (this.runs != null) ? this.runs.begin(this.request.id(), key) : (failure) -> {
		};
	}

	/** A call that may be skipped does not wait. */
	LockRequest requestNow() {
		LockRequest asked = (this.minHold != null) ? this.request.withMinHold(this.minHold.get()) : this.request;
		return (this.onContention == ContentionPolicy.SKIP && asked.waitTime() == null)
				? asked.withWaitTime(Duration.ZERO) : asked;
	}

	/**
	 * A lock that is switched off has a name and a mode, and neither limits nor waits.
	 */
	LockRequest requestSwitchedOff() {
		String name = this.request.id().name();
		LockRequest granted = switch (this.request.mode()) {
			case EXCLUSIVE -> LockRequest.exclusive(name);
			case SHARED -> LockRequest.shared(name);
			case PERMIT -> LockRequest.semaphore(name, this.request.permits());
		};
		return granted.withRelease(this.request.release()).withWaitTime(Duration.ZERO);
	}

	/** Texts of {@link Scheduled}, resolved in each call: they may need beans. */
	static final class Schedule {

		/** Value of 'minHold' for the period of the schedule. */
		static final String PERIOD = "period";

		/** How early a firing may be by a clock that was set back. */
		private static final Duration EARLY = Duration.ofSeconds(1);

		private final Collection<Scheduled> annotations;

		private final StringValueResolver resolver;

		private final Clock clock;

		Schedule(Method method, StringValueResolver resolver, Clock clock) {
			this.annotations = AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class,
					Schedules.class);
			this.resolver = resolver;
			this.clock = clock;
		}

		boolean isPresent() {
			return !this.annotations.isEmpty();
		}

		boolean hasPeriod() {
			return this.annotations.stream()
				.anyMatch((each) -> each.fixedRate() >= 0 || each.fixedDelay() >= 0
						|| StringUtils.hasLength(each.cron() + each.fixedRateString() + each.fixedDelayString()));
		}

		/**
		 * Return the time until the next firing less a tenth, or the longest one that a
		 * lock can be kept for; zero if there is none.
		 */
		Duration minHold() {
			Duration period = this.annotations.stream()
				.map(this::period)
				.filter(Objects::nonNull)
				.min(Comparator.naturalOrder())
				.orElse(Duration.ZERO);
			Duration minHold = period.minus(period.dividedBy(10));
			return (minHold.compareTo(LockRequest.MAX_MIN_HOLD) < 0) ? minHold : LockRequest.MAX_MIN_HOLD;
		}

		private @Nullable Duration period(Scheduled annotation) {
			String cron = resolve(annotation.cron());
			if (!cron.isEmpty()) {
				return cron.equals(Scheduled.CRON_DISABLED) ? null : untilNext(cron, resolve(annotation.zone()));
			}
			long number = Math.max(annotation.fixedRate(), annotation.fixedDelay());
			String text = resolve(annotation.fixedRateString() + annotation.fixedDelayString());
			Duration period = text.isEmpty() ? Duration.of(number, annotation.timeUnit().toChronoUnit())
					: DurationFormatterUtils.detectAndParse(text,
							DurationFormat.Unit.fromChronoUnit(annotation.timeUnit().toChronoUnit()));
			return period.isNegative() ? null : period;
		}

		/** Return the time until the next firing but the one that is due now. */
		private @Nullable Duration untilNext(String cron, String zone) {
			CronExpression expression = CronExpression.parse(cron);
			ZoneId zoneId = (zone.isEmpty() ? TimeZone.getDefault() : StringUtils.parseTimeZoneString(zone)).toZoneId();
			ZonedDateTime now = ZonedDateTime.now(this.clock.withZone(zoneId));
			ZonedDateTime next = expression.next(now);
			ZonedDateTime second = (next != null) ? expression.next(next) : null;
			if (next == null || second == null) {
				return (next != null) ? Duration.between(now, next) : null;
			}
			Duration tenth = Duration.between(next, second).dividedBy(10);
			Duration early = (tenth.compareTo(EARLY) < 0) ? tenth : EARLY;
			return Duration.between(now, next.isAfter(now.plus(early)) ? next : second);
		}

		private String resolve(String text) {
			return Objects.requireNonNullElse(this.resolver.resolveStringValue(text), "").trim();
		}

	}

}
