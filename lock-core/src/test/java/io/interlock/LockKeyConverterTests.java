package io.interlock;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.chrono.JapaneseDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
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
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link LockKeyConverter}, by the requests that it makes keys for.
 */
class LockKeyConverterTests {

	@ParameterizedTest
	@MethodSource
	void convertsWhatHasAStableText(Object key, String text) {
		assertThat(convert(key)).isEqualTo(text);
	}

	static Stream<Arguments> convertsWhatHasAStableText() {
		UUID uuid = UUID.randomUUID();
		return Stream.of(arguments("A-1", "A-1"), arguments("a,b\\[c]", "a,b\\[c]"), arguments(" x ", " x "),
				arguments(new StringBuilder("A-1"), "A-1"), arguments('x', "x"), arguments(true, "true"),
				arguments(42, "42"), arguments(42L, "42"), arguments((short) 42, "42"), arguments((byte) 42, "42"),
				arguments("42", "42"), arguments(BigInteger.TEN, "10"), arguments(new BigDecimal("1.00"), "1"),
				arguments(new BigDecimal("1.50"), "1.5"), arguments(new BigDecimal("0.00"), "0"),
				arguments(new BigDecimal("100"), "100"), arguments(new BigDecimal("1E+2"), "100"),
				arguments(new BigDecimal("1E-8"), "0.00000001"),
				arguments(new BigDecimal("1E+1000000000"), "1E+1000000000"), arguments(LockMode.SHARED, "SHARED"),
				arguments(Talking.YES, "YES"), arguments(DayOfWeek.MONDAY, "MONDAY"), arguments(uuid, uuid.toString()),
				arguments(LocalDate.of(2026, 1, 2), "2026-01-02"), arguments(LocalTime.of(10, 30), "10:30"),
				arguments(Instant.parse("2026-11-22T08:00:00Z"), "2026-11-22T08:00:00Z"),
				arguments(OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(1)),
						"2026-01-02T03:04:05+01:00"),
				arguments(Year.of(2026), "2026"), arguments(YearMonth.of(2026, 1), "2026-01"),
				arguments(Duration.ofSeconds(90), "PT1M30S"), arguments(Period.ofDays(7), "P7D"),
				arguments(ZoneId.of("Europe/Berlin"), "Europe/Berlin"), arguments(ZoneOffset.ofHours(1), "+01:00"),
				arguments(Optional.of("x"), "x"), arguments(Optional.of(Optional.of(1)), "1"));
	}

	@ParameterizedTest
	@MethodSource
	void convertsWhatHasSeveralParts(Object key, String text) {
		assertThat(convert(key)).isEqualTo(text);
	}

	static Stream<Arguments> convertsWhatHasSeveralParts() {
		return Stream.of(arguments(List.of("acme", 42), "acme,42"), arguments(List.of("a", "b,c"), "a,b\\,c"),
				arguments(List.of("a,b", "c"), "a\\,b,c"), arguments(List.of("a\\", "b"), "a\\\\,b"),
				arguments(List.of("a"), "a"), arguments(List.of("a,b"), "a\\,b"), arguments(List.of("", "a"), ",a"),
				arguments(List.of(List.of("a", "b"), "c"), "[a,b],c"),
				arguments(List.of("[a", "b]", "c"), "\\[a,b\\],c"), arguments(List.of(List.of("a", "b")), "[a,b]"),
				arguments(List.of(Optional.of("x"), new BigDecimal("1.50")), "x,1.5"),
				arguments(new Money(new BigDecimal("1.50"), "EUR"), "1.5,EUR"), arguments(new OrderId(42), "42"),
				arguments(List.of("acme", new OrderId(42)), "acme,42"),
				arguments(new Line(new OrderId(1), List.of("a", "b")), "1,[a,b]"));
	}

	@ParameterizedTest
	@MethodSource
	void asksWhatSaysItsKey(Object key, String text) {
		assertThat(convert(key)).isEqualTo(text);
	}

	static Stream<Arguments> asksWhatSaysItsKey() {
		return Stream.of(arguments(new Order(42L), "42"), arguments(new Order("a,b"), "a,b"),
				arguments(new Order(List.of("acme", 42)), "acme,42"), arguments(new Order(new OrderId(42)), "42"),
				arguments(new Order(Optional.of("x")), "x"), arguments(new Order(new Order("inner")), "inner"),
				arguments(Optional.of(new Order(1)), "1"), arguments(List.of("acme", new Order("x,y")), "acme,x\\,y"),
				arguments(List.of("a", new Order(List.of(1, 2))), "a,[1,2]"),
				arguments(new Account("A-1", Instant.EPOCH), "A-1"), arguments(Size.LARGE, "40"),
				arguments(new Names(List.of("a", "b")), "2"));
	}

	@ParameterizedTest
	@MethodSource
	void refusesEverythingElse(Object key, String type) {
		assertThatIllegalArgumentException().isThrownBy(() -> convert(key))
			.withMessageStartingWith("The key of lock 'orders' cannot be used. A value of type " + type)
			.withMessageContaining("may be different in every JVM")
			.withMessageContaining("'#order.id'")
			.withMessageContaining("'keys'")
			.withMessageContaining("LockKeyed");
	}

	static Stream<Arguments> refusesEverythingElse() {
		Calendar calendar = Calendar.getInstance();
		return Stream.of(arguments(1.0, "java.lang.Double"), arguments(2e23, "java.lang.Double"),
				arguments(Double.NaN, "java.lang.Double"), arguments(1.5f, "java.lang.Float"),
				arguments(new AtomicLong(7), "java.util.concurrent.atomic.AtomicLong"),
				arguments(new Date(0), "java.util.Date"), arguments(new java.sql.Timestamp(0), "java.sql.Timestamp"),
				arguments(new java.sql.Date(0), "java.sql.Date"), arguments(calendar, calendar.getClass().getName()),
				arguments(OptionalInt.of(1), "java.util.OptionalInt"), arguments(URI.create("a"), "java.net.URI"),
				arguments(Locale.GERMANY, "java.util.Locale"), arguments(String.class, "java.lang.Class"),
				arguments(JapaneseDate.of(2026, 1, 2), "java.time.chrono.JapaneseDate"),
				arguments(Clock.systemUTC(), Clock.systemUTC().getClass().getTypeName()),
				arguments(Set.of("a", "b", "c"), "java.util.ImmutableCollections$SetN"),
				arguments(new HashSet<>(List.of("a")), "java.util.HashSet"),
				arguments(new ArrayDeque<>(List.of("a")), "java.util.ArrayDeque"),
				arguments(Map.of("a", 1), "java.util.ImmutableCollections$Map1"),
				arguments(new String[] { "a" }, "java.lang.String[]"), arguments(new int[] { 1 }, "int[]"),
				arguments(new Plain(), Plain.class.getName()), arguments(new Mail("a@b.c"), Mail.class.getName()),
				arguments((Runnable) () -> {
				}, LockKeyConverterTests.class.getName()), arguments(List.of("a", new Plain()), Plain.class.getName()),
				arguments(List.of("a", Set.of("b")), "java.util.ImmutableCollections$Set12"),
				arguments(List.of("a", 1.5), "java.lang.Double"),
				arguments(Optional.of(Set.of("b")), "java.util.ImmutableCollections$Set12"),
				arguments(new Line(new OrderId(1), new HashSet<>(Set.of("a"))), "java.util.HashSet"),
				arguments(new Order(1.5), "java.lang.Double"),
				arguments(new Order(new Plain()), Plain.class.getName()));
	}

	@Test
	void refusesNullInside() {
		for (Object key : List.of(Optional.empty(), Arrays.asList("a", null), new Money(null, "EUR"))) {
			assertThatIllegalArgumentException().isThrownBy(() -> convert(key))
				.withMessage(
						"The key of lock 'orders' cannot be used. A lock key must neither be null nor contain null.");
		}
	}

	@Test
	void refusesWhatDoesNotSayItsKey() {
		for (Object key : List.of(new Order(null), List.of("a", new Order(null)))) {
			assertThatIllegalArgumentException().isThrownBy(() -> convert(key))
				.withMessageContaining(Order.class.getName() + ".lockKey() returned null");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> convert(new Order(" ")))
			.withMessageContaining("must not be blank");
	}

	@Test
	void refusesWhatContainsItself() {
		Order itself = new Order(null);
		itself.key = itself;
		Order inAList = new Order(null);
		inAList.key = List.of("acme", Optional.of(inAList));
		Order first = new Order(null);
		Order second = new Order(first);
		first.key = second;
		List<Object> list = new ArrayList<>();
		list.add(list);
		LockKeyed endless = new Endless();
		for (Object key : List.of(itself, inAList, first, second, List.of(list, list), endless)) {
			assertThatIllegalArgumentException().isThrownBy(() -> convert(key))
				.withMessageContaining("contains itself, or is nested more than 32 levels deep")
				.withMessageContaining("lockKey()");
		}
	}

	@Test
	void passesOnWhatAKeyThrows() {
		LockKeyed failing = () -> {
			throw new IllegalStateException("no number yet");
		};
		assertThatIllegalStateException().isThrownBy(() -> convert(failing)).withMessage("no number yet");
	}

	@Test
	void convertsWhatIsNestedDeeply() {
		Object key = "x";
		for (int i = 0; i < 32; i++) {
			key = new Order(key);
		}
		assertThat(convert(key)).isEqualTo("x");
	}

	private static @Nullable String convert(Object key) {
		return LockRequest.exclusive("orders").withKey(key).id().key();
	}

	private record Money(@Nullable BigDecimal amount, String currency) {

	}

	private record OrderId(long id) {

	}

	private record Line(OrderId order, Collection<String> articles) {

	}

	private record Account(String number, Instant opened) implements LockKeyed {

		@Override
		public Object lockKey() {
			return this.number;
		}

	}

	private enum Talking {

		YES;

		@Override
		public String toString() {
			return "text for people";
		}

	}

	private enum Size implements LockKeyed {

		LARGE;

		@Override
		public Object lockKey() {
			return 40;
		}

	}

	private static final class Names extends ArrayList<String> implements LockKeyed {

		Names(List<String> names) {
			super(names);
		}

		@Override
		public Object lockKey() {
			return size();
		}

	}

	private static final class Plain {

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

	private static final class Order implements LockKeyed {

		private @Nullable Object key;

		Order(@Nullable Object key) {
			this.key = key;
		}

		@Override
		@SuppressWarnings("NullAway") // what a careless implementation does
		public Object lockKey() {
			return this.key;
		}

	}

	private static final class Endless implements LockKeyed {

		@Override
		public Object lockKey() {
			return new Endless();
		}

	}

}
