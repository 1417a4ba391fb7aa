package io.interlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import io.interlock.annotation.DistributedLock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockKeyParser} and {@link LockKeyEvaluator}.
 */
class LockKeyEvaluatorTests {

	private static final Method METHOD = method(Orders.class, "ship");

	private final StaticListableBeanFactory beanFactory = new StaticListableBeanFactory();

	private final LockKeyParser parser = new LockKeyParser(this.beanFactory);

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "#sku|A-1", "#p0|A-1", "#a1|7", "#quantity + 1|8", "'all'|all", "#sku + ':' + #quantity|A-1:7",
					"#order.customer|smith", "#order['customer']|smith", "#order.customer.length() > 3 ? 'l' : 's'|l",
					"#root.methodName|ship", "#root.method.name|ship", "#root.args[0]|A-1", "#root.args.length|3",
					"#root.target.warehouse|north", "#root.targetClass.simpleName|Orders",
					"methodName + '-' + #sku|ship-A-1", "{#sku, #quantity}|[A-1, 7]", "{1, 2, 3}.?[#this > 1]|[2, 3]",
					"{'a', 'b'}.![#this + #root.methodName]|[aship, bship]", "#sku.split('-').length|2",
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
		LockKey key = this.parser.parse("#sku", "orders", method(RenamingOrders.class, "cancel"),
				method(OrdersInterface.class, "cancel"));
		assertThat(key.evaluate(invocation("A-1", "reason"))).isEqualTo("A-1");
	}

	@Test
	void unwrapsOptional() {
		assertThat(key("#p0", method(Orders.class, "find")).evaluate(invocation(Optional.of("A-1")))).isEqualTo("A-1");
	}

	@Test
	void evaluatesDifferentTypesInTurn() {
		LockKey key = key("#p0.toString()", method(Orders.class, "any"));
		assertThat(key.evaluate(invocation("a"))).isEqualTo("a");
		assertThat(key.evaluate(invocation(1L))).isEqualTo("1");
		assertThat(key.evaluate(invocation(List.of(1)))).isEqualTo("[1]");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#sku", "#order?.customer", "null", "#root.args[0]" })
	void refusesNull(String expression) {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate(expression, null, 7, null))
			.withMessage("Key '%s' of lock 'orders' on %s is null.", expression, MethodNames.describe(METHOD));
	}

	@Test
	void refusesEmptyOptional() {
		LockKey key = key("#p0", method(Orders.class, "find"));
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
	void refusesArray() {
		assertThatIllegalArgumentException().isThrownBy(() -> evaluate("#sku.split('-')", "A-1", 7, null))
			.withMessageContaining("is an object of type java.lang.String[], whose text is different in every JVM");
	}

	@Test
	void refusesObjectWithoutTextOfItsOwn() {
		LockKey key = key("#p0", method(Orders.class, "any"));
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(new Tenants())))
			.withMessageContaining("Tenants, whose text is different in every JVM");
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

	private LockKey key(String expression, Method method) {
		return this.parser.parse(expression, "orders", method, method);
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

	public record Order(String customer) {

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
