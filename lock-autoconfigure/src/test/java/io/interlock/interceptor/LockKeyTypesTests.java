package io.interlock.interceptor;

import java.io.Serializable;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.interlock.LockKeyed;
import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link LockKeyTypes}: what the declaration of a method shows about its keys.
 */
class LockKeyTypesTests {

	private final LockKeyParser parser = new LockKeyParser(null);

	@ParameterizedTest
	@ValueSource(strings = { "text", "number", "wrapped", "letter", "amount", "flag", "constant", "uuid", "instant",
			"zone", "keyed", "optional", "list", "nested", "row", "tree", "anything", "anyNumber", "anyCollection",
			"anyInterface", "anySubclass", "anyElement", "raw", "unbound", "bound" })
	void aKeyMayBe(String method) {
		assertThatNoException().isThrownBy(() -> parse("#p0", method));
		assertThatNoException().isThrownBy(() -> parse("{'acme', #p0}", method));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "twofold | double", "wrappedTwofold | java.lang.Double", "single | float",
					"date | java.util.Date", "calendar | java.util.Calendar", "set | java.util.Set",
					"map | java.util.Map", "array | java.lang.String[]",
					"plain | io.interlock.interceptor.LockKeyTypesTests$Order", "uri | java.net.URI",
					"optionalTwofold | java.lang.Double", "listOfDates | java.util.Date", "listOfSets | java.util.Set",
					"rowOfPlain | io.interlock.interceptor.LockKeyTypesTests$Order", "genericRow | java.util.Date" })
	void aKeyCannotBe(String method, String type) {
		for (String key : List.of("#p0", "{'acme', #p0}", "{{#a0}, 1}")) {
			assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> parse(key, method))
				.withMessageContaining("LockKeyTypesTests$Declared." + method + "(")
				.withMessageContaining(
						"The key '%s' has a value of type %s, which cannot be a lock key".formatted(key, type))
				.withMessageContaining("may be different in every JVM")
				.withMessageContaining("'#order.id'")
				.withMessageContaining("'keys'")
				.withMessageContaining("LockKeyed");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "text", "keyed", "optional", "list", "set", "array", "anyCollection", "optionalSet",
			"anything", "raw", "setOfLists", "rows" })
	void keysMayBe(String method) {
		assertThatNoException().isThrownBy(() -> parseAll("#p0", method));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "twofold | double", "map | java.util.Map", "setOfDates | java.util.Date",
					"arrayOfTwofold | double", "listOfSets | java.util.Set", "setOfArrays | java.lang.String[]",
					"plains | io.interlock.interceptor.LockKeyTypesTests$Order" })
	void keysCannotBe(String method, String type) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> parseAll("#p0", method))
			.withMessageContaining("The key '#p0' has a value of type %s, which cannot be a lock key".formatted(type));
	}

	@ParameterizedTest
	@ValueSource(strings = { "set", "array" })
	void aCollectionInsideOfOneOfSeveralKeysCannotBe(String method) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> parseAll("{#p0, 'acme'}", method));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#p0.toString()", "#p0 + ''", "#p0 == null ? 1 : 2" })
	void aKeyThatIsMadeOfAParameterIsDecidedInTheCall(String key) {
		assertThatNoException().isThrownBy(() -> parse(key, "date"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#p0.id", "#p0.id()", "#p0.paid", "#p0.lines.![sku]", "#p0.lines.![sku()]",
			"#p0.price.toString()", "#p0.lines[0].discount", "#p0.content", "#p0.any.anything", "#p0.parent?.id",
			"{#p0.id, #p0.parent.parent.id}", "#p0.secret", "#p0.at(2)", "#p0.unknown" })
	void aKeyMayBeReachedFromAParameter(String key) {
		assertThatNoException().isThrownBy(() -> parse(key, "purchase"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "#p0.price | double", "#p0.getPrice() | double", "#p0.parent.price | double",
					"#p0.parent?.price | double", "#p0.tags | java.util.Set", "{#p0.id, #p0.price} | double",
					"#p0.lines.![discount] | java.lang.Float", "#p0.lines.![when] | java.util.Date",
					"#p0.due | java.util.Date", "#p0.due() | java.util.Date" })
	void aKeyCannotBeReachedFromAParameter(String key, String type) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> parse(key, "purchase"))
			.withMessageContaining(
					"The key '%s' has a value of type %s, which cannot be a lock key".formatted(key, type));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "#p0.lines.![discount] | java.lang.Float", "#p0.price | double", "#p0.days | java.util.Date" })
	void keysCannotBeReachedFromAParameter(String key, String type) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> parseAll(key, "purchase"))
			.withMessageContaining("of type %s, which cannot be a lock key", type);
	}

	@ParameterizedTest
	@ValueSource(strings = { "#p0.tags", "#p0.lines.![sku]", "#p0.id" })
	void keysMayBeReachedFromAParameter(String key) {
		assertThatNoException().isThrownBy(() -> parseAll(key, "purchase"));
	}

	private void parse(String key, String method) {
		this.parser.parse(key, site(method));
	}

	private void parseAll(String key, String method) {
		this.parser.parseAll(List.of(key), site(method));
	}

	private static LockKeyParser.Site site(String name) {
		Method method = Arrays.stream(Declared.class.getDeclaredMethods())
			.filter((candidate) -> candidate.getName().equals(name))
			.findFirst()
			.orElseThrow();
		return new LockKeyParser.Site("orders", method, method, Bound.class);
	}

	@SuppressWarnings({ "rawtypes", "unused" })
	private abstract static class Declared<T, D> {

		abstract void text(CharSequence value);

		abstract void number(long value);

		abstract void wrapped(Integer value);

		abstract void letter(char value);

		abstract void amount(BigDecimal value);

		abstract void flag(boolean value);

		abstract void constant(LockMode value);

		abstract void uuid(UUID value);

		abstract void instant(Instant value);

		abstract void zone(ZoneId value);

		abstract void keyed(Keyed value);

		abstract void optional(Optional<String> value);

		abstract void list(List<Long> value);

		abstract void nested(List<List<String>> value);

		abstract void row(Row value);

		abstract void rows(Set<Row> value);

		abstract void tree(Tree value);

		abstract void anything(Object value);

		abstract void anyNumber(Number value);

		abstract void anyCollection(Collection<String> value);

		abstract void anyInterface(Serializable value);

		abstract void anySubclass(Shape value);

		abstract void anyElement(List<?> value);

		abstract void raw(List value);

		abstract void unbound(T value);

		abstract void bound(List<T> value);

		abstract void twofold(double value);

		abstract void wrappedTwofold(Double value);

		abstract void single(float value);

		abstract void date(Date value);

		abstract void calendar(Calendar value);

		abstract void set(Set<String> value);

		abstract void setOfDates(Set<Date> value);

		abstract void setOfLists(Set<List<String>> value);

		abstract void setOfArrays(Set<String[]> value);

		abstract void optionalSet(Optional<Set<String>> value);

		abstract void map(Map<String, String> value);

		abstract void array(String[] value);

		abstract void arrayOfTwofold(double[] value);

		abstract void plain(Order value);

		abstract void purchase(Purchase<Date> value);

		abstract void plains(Collection<? extends Order> value);

		abstract void uri(URI value);

		abstract void optionalTwofold(Optional<Double> value);

		abstract void listOfDates(List<Date> value);

		abstract void listOfSets(List<Set<String>> value);

		abstract void rowOfPlain(RowOfPlain value);

		abstract void genericRow(D value);

	}

	private abstract static class Bound extends Declared<String, Date> {

	}

	private static class Order {

	}

	@SuppressWarnings("unused")
	private abstract static class Purchase<D> {

		String secret = "";

		public abstract long getId();

		public abstract long id();

		public abstract boolean isPaid();

		public abstract double getPrice();

		public abstract Set<String> getTags();

		public abstract List<Line<D>> getLines();

		public abstract Set<D> getDays();

		public abstract Purchase<D> getParent();

		public abstract D due();

		public abstract Object getAny();

		public abstract Serializable getContent();

		public abstract Date at(int index);

	}

	private record Line<D>(String sku, Float discount, D when) {

	}

	private abstract static class Shape {

	}

	private record Keyed(Set<String> parts) implements LockKeyed {

		@Override
		public Object lockKey() {
			return this.parts.size();
		}

	}

	private record Row(String tenant, long number) {

	}

	private record Tree(String name, Optional<Tree> parent) {

	}

	private record RowOfPlain(String tenant, @Nullable Order order) {

	}

}
