package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import io.interlock.LockKeyed;
import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockKeyExpression}.
 */
class LockKeyExpressionTests {

	private static final Method METHOD = method(Orders.class, "ship");

	private final StaticListableBeanFactory beanFactory = new StaticListableBeanFactory();

	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	LockKeyExpressionTests() {
		this.delegates.setBeanResolver(new BeanFactoryResolver(this.beanFactory));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "#sku|A-1", "#p0|A-1", "#a1|7", "#quantity + 1|8", "'all'|all", "#sku + ':' + #quantity|A-1:7",
					"#order.customer|smith", "#order['customer']|smith", "#order.customer.length() > 3 ? 'l' : 's'|l",
					"#root.methodName|ship", "#root.method.name|ship", "#root.args[0]|A-1", "#root.args.length|3",
					"#root.target.warehouse|north", "#root.targetClass.simpleName|Orders",
					"methodName + '-' + #sku|ship-A-1", "{#sku, #quantity}|A-1,7", "{1, 2, 3}.?[#this > 1]|2,3",
					"{'a', 'b'}.![#this + #root.methodName]|aship,bship", "#sku.split('-').length|2",
					"T(java.lang.Integer).toString(#quantity)|7" })
	void evaluates(String expression, String expected) {
		assertThat(evaluate(expression, "A-1", 7, new Order("smith"))).isEqualTo(expected);
	}

	@Test
	void seesBeans() {
		this.beanFactory.addBean("tenants", new Tenants());
		assertThat(evaluate("@tenants.current + '/' + #sku", "A-1", 7, null)).isEqualTo("north/A-1");
	}

	@Test
	void prefersNamesOfTheMethodThatIsAnnotated() throws Exception {
		LockKeyExpression key = new LockKeyExpression("#sku", new LockKeyExpression.Site("orders",
				method(RenamingOrders.class, "cancel"), method(OrdersInterface.class, "cancel")), this.delegates);
		assertThat(key.evaluate(invocation("A-1", "reason"))).isEqualTo("A-1");
	}

	@Test
	void unwrapsOptional() {
		assertThat(key("#p0", method(Orders.class, "find")).evaluate(invocation(Optional.of("A-1")))).isEqualTo("A-1");
	}

	@Test
	void evaluatesDifferentTypesInTurn() {
		LockKeyExpression key = key("#p0.toString()", method(Orders.class, "any"));
		assertThat(key.evaluate(invocation("a"))).isEqualTo("a");
		assertThat(key.evaluate(invocation(1L))).isEqualTo("1");
		assertThat(key.evaluate(invocation(List.of(1)))).isEqualTo("[1]");
	}

	@ParameterizedTest
	@MethodSource
	void givesTheKeyOfARequest(Object value) {
		String key = LockRequest.exclusive("orders").withKey(value).id().key();
		assertThat(key("#p0", method(Orders.class, "any")).evaluate(invocation(value))).isEqualTo(key);
		assertThat(evaluateAll(keys("{#p0}"), value)).containsExactly(key);
	}

	static List<Object> givesTheKeyOfARequest() {
		return List.of("A-1", new StringBuilder("A-1"), 42, 42L, new BigDecimal("4.20"), true, LockMode.SHARED,
				UUID.randomUUID(), Instant.now(), ZoneId.of("Europe/Berlin"), 'x', (byte) 1, Optional.of("x"),
				List.of("a,b", 1), List.of(List.of("a"), "b"), new Order("smith"), new Row("acme", 7),
				new Cart(List.of("a", new Cart("b"))));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "#sku|A-1", "{#sku, #quantity}|A-1;7", "{{#sku, #quantity}}|A-1,7", "{#sku, #sku}|A-1",
					"#sku.split('-')|A;1", "{3, 2, 1}.![#this * 2]|6;4;2", "{'a', 'b'}.![{#sku, #this}]|A-1,a;A-1,b" })
	void evaluatesSeveralKeys(String expression, String expected) {
		assertThat(evaluateEach(List.of(expression), "A-1", 7, new Order("smith")))
			.containsExactly(expected.split(";"));
	}

	@Test
	void evaluatesSeveralExpressions() {
		assertThat(evaluateEach(List.of("#quantity", "{#sku, '7'}", "{'x', #order.customer}"), "A-1", 7,
				new Order("smith")))
			.containsExactly("7", "A-1", "x", "smith");
	}

	@Test
	void evaluatesSetsAndOptionalsOfKeys() {
		List<LockKeyExpression> keys = keys("#p0");
		assertThat(evaluateAll(keys, Set.of(1, 2))).containsExactlyInAnyOrder("1", "2");
		assertThat(evaluateAll(keys, Optional.of(List.of(1, 2)))).containsExactly("1", "2");
		assertThat(evaluateAll(keys, new int[] { 1, 2 })).containsExactly("1", "2");
		assertThatIllegalArgumentException().isThrownBy(() -> evaluateAll(keys, List.of()))
			.withMessageContaining("The keys [#p0] of lock 'orders' on ")
			.withMessageContaining("Orders.any(Object) are empty");
		assertThatIllegalArgumentException().isThrownBy(() -> evaluateAll(keys, Arrays.asList(1, null)))
			.withMessageContaining("is null");
		assertThatIllegalArgumentException().isThrownBy(() -> evaluateAll(keys, List.of(1, "")))
			.withMessageContaining("is blank");
		assertThatIllegalArgumentException().isThrownBy(() -> evaluateAll(keys, List.of(new Tenants())))
			.withMessageContaining("Tenants cannot be a lock key");
	}

	@Test
	void asksWhatSaysItsKey() {
		LockKeyExpression key = key("#p0", method(Orders.class, "any"));
		assertThat(key.evaluate(invocation(new Cart("A-1")))).isEqualTo("A-1");
		assertThat(key.evaluate(invocation(List.of(new Cart("a"), 1)))).isEqualTo("a,1");
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(new Cart(Set.of(1)))))
			.withMessageContaining("Key '#p0' of lock 'orders' on ")
			.withMessageContaining("A value of type java.util.ImmutableCollections$Set12 cannot be a lock key");
	}

	@Test
	void asksEachElementOfACollectionForItsKey() {
		List<LockKeyExpression> keys = keys("#p0");
		assertThat(evaluateAll(keys, List.of(new Cart("b"), new Cart("a"), new Cart("b")))).containsExactly("b", "a");
		assertThat(evaluateAll(keys, new Cart(List.of(1, 2)))).containsExactly("1,2");
		assertThat(evaluateAll(keys, new NamedList())).containsExactly("named");
	}

	@Test
	void refusesASetInsideOfSeveralKeys() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> evaluateEach(List.of("{{1, 2}, T(java.util.Set).of(3)}"), "A-1", 7, null))
			.withMessageContaining("java.util.ImmutableCollections$Set12 cannot be a lock key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#sku", "#order?.customer", "null", "#root.args[0]" })
	void refusesNull(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate(expression, null, 7, null))
			.withMessage("Key '%s' of lock 'orders' on %s is null. Pass a value, or give a default, as in \"#sku ?: "
					+ "'none'\".", expression, LockDefinitionException.describe(METHOD));
	}

	@Test
	void refusesEmptyOptional() {
		LockKeyExpression key = key("#p0", method(Orders.class, "find"));
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(Optional.empty())))
			.withMessageContaining("is null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "\t\n" })
	void refusesBlank(String sku) {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate("#sku", sku, 7, null))
			.withMessageContaining("Key '#sku' of lock 'orders'")
			.withMessageContaining("is blank");
	}

	@Test
	void refusesLongKeyAndNamesTheMethod() {
		assertThat(evaluate("#sku", "s".repeat(1000), 7, null)).hasSize(1000);
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate("#sku", "s".repeat(1001), 7, null))
			.withMessage(
					"Key '#sku' of lock 'orders' on %s has 1001 characters, more than 1000. Use an identifier, such "
							+ "as its number, or hash it in the expression.",
					LockDefinitionException.describe(METHOD));
	}

	@Test
	void refusesArray() {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate("#sku.split('-')", "A-1", 7, null))
			.withMessageContaining(
					"Key '#sku.split('-')' of lock 'orders' on " + LockDefinitionException.describe(METHOD))
			.withMessageContaining("A value of type java.lang.String[] cannot be a lock key");
	}

	@ParameterizedTest
	@MethodSource("notKeys")
	void aKeyCannotBe(Object value, String type) {
		for (String expression : List.of("#p0", "{'acme', #p0}", "{{#a0}, 1}")) {
			LockKeyExpression key = key(expression, method(Orders.class, "any"));
			assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(value)))
				.withMessageContaining("Key '%s' of lock 'orders' on ", expression)
				.withMessageContaining("Orders.any(Object)")
				.withMessageContaining("A value of type %s cannot be a lock key", type)
				.withMessageContaining("may be different in every JVM")
				.withMessageContaining("'#order.id'")
				.withMessageContaining("'keys'")
				.withMessageContaining("LockKeyed");
		}
	}

	static List<Arguments> notKeys() {
		return List.of(arguments(1.5, "java.lang.Double"), arguments(1.5F, "java.lang.Float"),
				arguments(new Date(), "java.util.Date"),
				arguments(new GregorianCalendar(), "java.util.GregorianCalendar"),
				arguments(new HashSet<>(), "java.util.HashSet"), arguments(new HashMap<>(), "java.util.HashMap"),
				arguments(new String[0], "java.lang.String[]"),
				arguments(new Tenants(), "io.interlock.interceptor.LockKeyExpressionTests$Tenants"),
				arguments(URI.create("a:b"), "java.net.URI"), arguments(Optional.of(1.5), "java.lang.Double"),
				arguments(List.of(new Date()), "java.util.Date"),
				arguments(List.of(new HashSet<>()), "java.util.HashSet"),
				arguments(new Row("acme", new Date()), "java.util.Date"));
	}

	@ParameterizedTest
	@MethodSource("notSeveralKeys")
	void keysCannotBe(Object value, String type) {
		List<LockKeyExpression> keys = keys("#p0");
		assertThatIllegalArgumentException().isThrownBy(() -> evaluateAll(keys, value))
			.withMessageContaining("Key '#p0' of lock 'orders' on ")
			.withMessageContaining("A value of type %s cannot be a lock key", type);
	}

	static List<Arguments> notSeveralKeys() {
		return List.of(arguments(1.5, "java.lang.Double"), arguments(new HashMap<>(), "java.util.HashMap"),
				arguments(Set.of(new Date()), "java.util.Date"), arguments(new double[] { 1.5 }, "java.lang.Double"),
				arguments(List.of(new HashSet<>()), "java.util.HashSet"),
				arguments(Set.of((Object) new String[0]), "java.lang.String[]"),
				arguments(List.of(new Tenants()), "io.interlock.interceptor.LockKeyExpressionTests$Tenants"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#p0.parent?.id", "{#p0.id, #p0.parent?.id ?: 0}", "#p0.lines.![sku]" })
	void aKeyMayBeReachedFromAParameter(String expression) {
		Purchase parent = new Purchase(1, 1.5, Set.of("a"), List.of(new Line("x", 1.5F)), null);
		Purchase purchase = new Purchase(2, 1.5, Set.of("a"), List.of(new Line("x", 1.5F)), parent);
		assertThat(key(expression, method(Orders.class, "any")).evaluate(invocation(purchase))).isNotBlank();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "#p0.price | java.lang.Double", "#p0.price() | java.lang.Double",
					"#p0.parent.price | java.lang.Double", "#p0.parent?.price | java.lang.Double",
					"{#p0.id, #p0.price} | java.lang.Double", "#p0.lines.![discount] | java.lang.Float" })
	void aKeyCannotBeReachedFromAParameter(String expression, String type) {
		Purchase parent = new Purchase(1, 1.5, Set.of("a"), List.of(), null);
		Purchase purchase = new Purchase(2, 1.5, Set.of("a"), List.of(new Line("x", 1.5F)), parent);
		LockKeyExpression key = key(expression, method(Orders.class, "any"));
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(purchase)))
			.withMessageContaining("Key '%s' of lock 'orders' on ", expression)
			.withMessageContaining("A value of type %s cannot be a lock key", type);
	}

	@Test
	void refusesObjectWithoutTextOfItsOwn() {
		LockKeyExpression key = key("#p0", method(Orders.class, "any"));
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(new Tenants())))
			.withMessageContaining("Tenants cannot be a lock key");
	}

	@Test
	void namesExpressionThatFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate("#order.customer", "A-1", 7, null))
			.withMessageContaining("Key '#order.customer' of lock 'orders'")
			.withMessageContaining("Orders.ship(String, int, Order) cannot be evaluated: EL1007E");
	}

	@Test
	void refusesUnparsableExpression() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key("#sku +", METHOD))
			.withMessageContaining("Orders.ship(String, int, Order)")
			.withMessageContaining("The key '#sku +' is not a SpEL expression");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#skuu", "#p3", "#a9", "'x' + #skuu", "#order.of(#skuu)", "{#skuu}", "#sku[#skuu]" })
	void refusesUnknownParameter(String expression) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key(expression, METHOD))
			.withMessageContaining("The key '%s' names '#", expression)
			.withMessageContaining("which is not a parameter")
			.withMessageContaining("Use one of #sku, #quantity, #order, #p0, #a0");
	}

	@Test
	void refusesParameterOfMethodWithoutParameters() {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> key("#sku", method(Orders.class, "close")))
			.withMessageContaining("The method has no parameters");
	}

	@Test
	void refusesFunction() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key("#hash(#sku)", METHOD))
			.withMessageContaining("there are no functions");
	}

	@ParameterizedTest
	@ValueSource(strings = { "sku", "'a' + sku", "sku.length()" })
	void refusesParameterWithoutHash(String expression) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key(expression, METHOD))
			.withMessageContaining("reads 'sku', which is neither a parameter nor a text")
			.withMessageContaining("Write a parameter as '#sku', or a text as \"'sku'\"");
	}

	@Test
	void tellsAboutParameterNamesThatTheCompilerDropped() {
		// The classes of the JDK are compiled without the names of their parameters.
		Method nameless = method(java.util.Comparator.class, "compare");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> key("#left", nameless))
			.withMessageContaining("compile with -parameters, or use '#p0'");
	}

	private @Nullable String evaluate(String expression, @Nullable Object... arguments) {
		return key(expression, METHOD).evaluate(invocation(arguments));
	}

	private List<String> evaluateEach(List<String> expressions, @Nullable Object... arguments) {
		return evaluateAll(expressions.stream().map((each) -> key(each, METHOD)).toList(), arguments);
	}

	private List<LockKeyExpression> keys(String expression) {
		return List.of(key(expression, method(Orders.class, "any")));
	}

	private List<String> evaluateAll(List<LockKeyExpression> keys, @Nullable Object... arguments) {
		return LockKeyExpression.evaluateAll(keys, invocation(arguments));
	}

	private LockKeyExpression key(String expression, Method method) {
		return new LockKeyExpression(expression, new LockKeyExpression.Site("orders", method, method), this.delegates);
	}

	private MethodInvocation invocation(@Nullable Object... arguments) {
		MethodInvocation invocation = mock(MethodInvocation.class);
		given(invocation.getArguments()).willReturn(arguments);
		given(invocation.getThis()).willReturn(new Orders());
		return invocation;
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	static class NamedList extends ArrayList<String> implements LockKeyed {

		@Override
		public Object lockKey() {
			return "named";
		}

	}

	record Cart(Object lockKey) implements LockKeyed {

	}

	public record Order(String customer) {

	}

	record Row(String tenant, Object number) {

	}

	public record Purchase(long id, double price, Set<String> tags, List<Line> lines, @Nullable Purchase parent) {

	}

	public record Line(String sku, Float discount) {

	}

	public static class Tenants {

		public String getCurrent() {
			return "north";
		}

	}

	public static class Orders {

		public String getWarehouse() {
			return "north";
		}

		public void ship(String sku, int quantity, Order order) {
		}

		public void find(Optional<String> sku) {
		}

		public void any(Object value) {
		}

		public void close() {
		}

	}

	interface OrdersInterface {

		@DistributedLock(name = "orders", key = "#sku")
		void cancel(String sku, String reason);

	}

	static class RenamingOrders implements OrdersInterface {

		@Override
		public void cancel(String which, String sku) {
		}

	}

}
