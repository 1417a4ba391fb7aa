package io.interlock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockKeyConverter}.
 */
class LockKeyConverterTests {

	private static final Date DATE = Date.from(Instant.parse("2026-11-22T08:00:00Z"));

	@ParameterizedTest
	@MethodSource
	void convertsWhatHasAStableText(Object key, String text) {
		assertThat(LockKeyConverter.BUILT_IN.convert(key)).isEqualTo(text);
		assertThat(LockRequest.exclusive("orders").withKey(key).id().key()).isEqualTo(text);
	}

	static Stream<Arguments> convertsWhatHasAStableText() {
		UUID uuid = UUID.randomUUID();
		Calendar calendar = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
		calendar.setTime(DATE);
		return Stream.of(arguments("A-1", "A-1"), arguments("a,b\\[c]", "a,b\\[c]"), arguments(" x ", " x "),
				arguments(new StringBuilder("A-1"), "A-1"), arguments('x', "x"), arguments(42, "42"),
				arguments(42L, "42"), arguments((short) 42, "42"), arguments("42", "42"),
				arguments(BigInteger.TEN, "10"), arguments(new AtomicLong(7), "7"), arguments(1.0, "1"),
				arguments(1.5f, "1.5"), arguments(-0.0, "0"), arguments(0.1, "0.1"),
				arguments(new BigDecimal("1.00"), "1"), arguments(new BigDecimal("100"), "100"),
				arguments(new BigDecimal("1E+2"), "100"), arguments(1e20, "100000000000000000000"),
				arguments(new BigDecimal("1E+1000000000"), "1E+1000000000"), arguments(true, "true"),
				arguments(LockMode.SHARED, "SHARED"), arguments(Talking.YES, "YES"),
				arguments(DayOfWeek.MONDAY, "MONDAY"), arguments(uuid, uuid.toString()),
				arguments(LocalDate.of(2026, 1, 2), "2026-01-02"), arguments(YearMonth.of(2026, 1), "2026-01"),
				arguments(Duration.ofSeconds(90), "PT1M30S"), arguments(DATE, "2026-11-22T08:00:00Z"),
				arguments(new java.sql.Timestamp(DATE.getTime()), "2026-11-22T08:00:00Z"),
				arguments(new java.sql.Date(DATE.getTime()), "2026-11-22T08:00:00Z"),
				arguments(calendar, "2026-11-22T08:00:00Z"), arguments(ZoneId.of("Europe/Berlin"), "Europe/Berlin"),
				arguments(Optional.of("x"), "x"), arguments(Optional.of(Optional.of(1)), "1"),
				arguments(new LockKeyValue("order-1"), "order-1"), arguments(URI.create("http://a/b"), "http://a/b"),
				arguments(Locale.GERMANY, "de_DE"), arguments(new Mail("john.doe@abba.de"), "john.doe@abba.de"));
	}

	@ParameterizedTest
	@MethodSource
	void convertsWhatHasSeveralParts(Object key, String text) {
		assertThat(LockKeyConverter.BUILT_IN.convert(key)).isEqualTo(text);
	}

	static Stream<Arguments> convertsWhatHasSeveralParts() {
		return Stream.of(arguments(List.of("acme", 42), "acme,42"), arguments(List.of("a", "b,c"), "a,b\\,c"),
				arguments(List.of("a,b", "c"), "a\\,b,c"), arguments(List.of("a\\", "b"), "a\\\\,b"),
				arguments(List.of("a"), "a"), arguments(List.of("a,b"), "a\\,b"), arguments(List.of("", "a"), ",a"),
				arguments(List.of(List.of("a", "b"), "c"), "[a,b],c"),
				arguments(List.of("[a", "b]", "c"), "\\[a,b\\],c"), arguments(List.of(List.of("a", "b")), "[a,b]"),
				arguments(List.of(Optional.of("x"), 1.50), "x,1.5"),
				arguments(new Money(new BigDecimal("1.50"), "EUR"), "1.5,EUR"), arguments(new OrderId(42), "42"),
				arguments(List.of("acme", new OrderId(42)), "acme,42"),
				arguments(new Line(new OrderId(1), List.of("a", "b")), "1,[a,b]"),
				arguments(List.of(new LockKeyValue("x,y"), "z"), "x\\,y,z"));
	}

	@ParameterizedTest
	@MethodSource
	void refusesWhatHasNone(Object key, String type) {
		assertThatIllegalArgumentException().isThrownBy(() -> LockKeyConverter.BUILT_IN.convert(key))
			.withMessageContaining("A value of type " + type)
			.withMessageContaining("may be different in every JVM")
			.withMessageContaining("'keys'")
			.withMessageContaining("LockKeyValue>");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.exclusive("orders").withKey(key))
			.withMessageStartingWith("The key of lock 'orders' cannot be used. A value of type " + type);
	}

	static Stream<Arguments> refusesWhatHasNone() {
		return Stream.of(arguments(Set.of("a", "b", "c"), "java.util.ImmutableCollections$SetN"),
				arguments(new HashSet<>(List.of("a")), "java.util.HashSet"),
				arguments(new ArrayDeque<>(List.of("a")), "java.util.ArrayDeque"),
				arguments(Map.of("a", 1), "java.util.ImmutableCollections$Map1"),
				arguments(new String[] { "a" }, "java.lang.String[]"), arguments(new int[] { 1 }, "int[]"),
				arguments(new Plain(), Plain.class.getName()),
				arguments(new Around(new Plain()), Around.class.getName()),
				arguments(new Around(new int[1]), Around.class.getName()),
				arguments(new Around(new Object()), Around.class.getName()),
				arguments(new Around(new Plain[1]), Around.class.getName()), arguments((Runnable) () -> {
				}, LockKeyConverterTests.class.getName()), arguments(List.of("a", new Plain()), Plain.class.getName()),
				arguments(List.of("a", Set.of("b")), "java.util.ImmutableCollections$Set12"),
				arguments(Optional.of(Set.of("b")), "java.util.ImmutableCollections$Set12"),
				arguments(new Line(new OrderId(1), new HashSet<>(Set.of("a"))), "java.util.HashSet"),
				arguments(new Textless(), Textless.class.getName()));
	}

	@Test
	void refusesNullInside() {
		for (Object key : List.of(Optional.empty(), Arrays.asList("a", null), new Money(null, "EUR"))) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockKeyConverter.BUILT_IN.convert(key))
				.withMessage("A lock key must neither be null nor contain null.");
		}
	}

	@Test
	void refusesWhatIsNoNumber() {
		for (Object key : List.of(Double.NaN, Float.POSITIVE_INFINITY)) {
			assertThatIllegalArgumentException().isThrownBy(() -> LockKeyConverter.BUILT_IN.convert(key))
				.withMessageContaining("cannot be a lock key");
		}
	}

	@Test
	void asksConversionsAboutObjectsAndWhatIsInside() {
		LockKeyConverter converter = new LockKeyConverter(
				(value) -> (value instanceof Plain || value instanceof Money) ? new LockKeyValue("known") : null);
		assertThat(converter.convert(new Plain())).isEqualTo("known");
		assertThat(converter.convert(new Money(BigDecimal.ONE, "EUR"))).isEqualTo("known");
		assertThat(converter.convert(List.of(new Plain(), 1))).isEqualTo("known,1");
		assertThat(converter.convert(Optional.of(new Plain()))).isEqualTo("known");
		assertThatIllegalArgumentException().isThrownBy(() -> converter.convert(Set.of("a")));
	}

	private record Money(@Nullable BigDecimal amount, String currency) {

	}

	private record OrderId(long id) {

	}

	private record Line(OrderId order, Collection<String> articles) {

	}

	private enum Talking {

		YES;

		@Override
		public String toString() {
			return "text for people";
		}

	}

	private static final class Plain {

	}

	private static final class Textless {

		@Override
		@SuppressWarnings("NullAway")
		public String toString() {
			return null;
		}

	}

	private static final class Mail {

		private final String address;

		Mail(String address) {
			this.address = address;
		}

		@Override
		public String toString() {
			return this.address;
		}

	}

	private static final class Around {

		private final Object inner;

		Around(Object inner) {
			this.inner = inner;
		}

		@Override
		public String toString() {
			return "Around(inner=" + this.inner + ", id=1)";
		}

	}

}
