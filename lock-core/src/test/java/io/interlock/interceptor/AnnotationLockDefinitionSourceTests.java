package io.interlock.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.LossPolicy;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.DistributedSemaphore;
import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.annotation.AliasFor;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link AnnotationLockDefinitionSource}.
 */
class AnnotationLockDefinitionSourceTests {

	private final MockEnvironment environment = new MockEnvironment();

	private LockOverrides overrides = (name) -> LockOverrides.Change.NONE;

	@Test
	void readsEveryAttribute() {
		LockDefinition definition = definition(Attributes.class, "everything");
		assertThat(definition.request()).isEqualTo(
				LockRequest.shared("orders").withWaitTime(Duration.ofSeconds(5)).withOnLoss(LossPolicy.INTERRUPT));
		assertThat(definition.key()).isNotNull();
		assertThat(definition.onContention()).isEqualTo(ContentionPolicy.SKIP);
		assertThat(definition.enabled()).isTrue();
	}

	@Test
	void leavesDefaultsToTheTemplate() {
		LockDefinition definition = definition(Attributes.class, "nothing");
		assertThat(definition.request()).isEqualTo(LockRequest.exclusive("orders"));
		assertThat(definition.request().waitTime()).isNull();
		assertThat(definition.key()).isNull();
		assertThat(definition.onContention()).isEqualTo(ContentionPolicy.FAIL);
	}

	@Test
	void readsReadLockAsShared() {
		assertThat(definition(Attributes.class, "read").request()).isEqualTo(LockRequest.shared("orders"));
	}

	@Test
	void readsWriteLockAsExclusive() {
		assertThat(definition(Attributes.class, "write").request()).isEqualTo(LockRequest.exclusive("orders"));
	}

	@Test
	void readsSemaphore() {
		this.environment.withProperty("app.permits", "7");
		assertThat(definition(Semaphores.class, "three").request())
			.isEqualTo(LockRequest.semaphore("office", 3).withWaitTime(Duration.ofSeconds(5)));
		assertThat(definition(Semaphores.class, "configured").request()).isEqualTo(LockRequest.semaphore("office", 7));
		assertThat(definition(Semaphores.class, "composed").request()).isEqualTo(LockRequest.semaphore("office", 2));
	}

	@ParameterizedTest
	@ValueSource(strings = { "zero", "text" })
	void numberOfPermitsMustBeANumberAboveZero(String method) {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Semaphores.class, method))
			.withMessageContaining("Semaphores.%s()".formatted(method))
			.withMessageContaining("is not a number above zero");
	}

	@Test
	void modeOfPermitsNeedsTheirNumber() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Semaphores.class, "unnumbered"))
			.withMessageContaining("Semaphores.unnumbered()")
			.withMessageContaining("The number of permits is missing")
			.withMessageContaining("@DistributedSemaphore");
	}

	@Test
	void readsComposedAnnotationOverReadLock() {
		LockDefinition definition = definition(Attributes.class, "composed");
		assertThat(definition.request()).isEqualTo(LockRequest.shared("reports").withWaitTime(Duration.ofMillis(250)));
	}

	@Test
	void methodWithoutAnnotationHasNoLock() {
		assertThat(find(Attributes.class, "unlocked")).isNull();
	}

	@Test
	void remembersDefinition() {
		AnnotationLockDefinitionSource source = source();
		Method method = method(Attributes.class, "nothing");
		assertThat(source.getLockDefinition(method, Attributes.class))
			.isSameAs(source.getLockDefinition(method, Attributes.class));
	}

	@Test
	void refusesLongName() {
		this.environment.withProperty("app.lock", "l".repeat(1000)).withProperty("app.wait", "3s");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Placeholders.class, "resolved"))
			.withMessageContaining("Placeholders.resolved()")
			.withMessageContaining("The name of the lock has 1005 characters, more than 1000.");
	}

	@Test
	void resolvesPlaceholders() {
		this.environment.withProperty("app.lock", "billing").withProperty("app.wait", "3s");
		assertThat(definition(Placeholders.class, "resolved").request())
			.isEqualTo(LockRequest.exclusive("billing-lock").withWaitTime(Duration.ofSeconds(3)));
	}

	@Test
	void usesDefaultOfPlaceholder() {
		assertThat(definition(Placeholders.class, "defaulted").request())
			.isEqualTo(LockRequest.exclusive("orders").withWaitTime(Duration.ofSeconds(7)));
	}

	@Test
	void emptyWaitTimeFromPlaceholderIsTheConfiguredDefault() {
		assertThat(definition(Placeholders.class, "empty").request().waitTime()).isNull();
	}

	@Test
	void buildOfAnImageDoesNotNeedTheProperties() {
		System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
		try {
			assertThat(find(Placeholders.class, "resolved")).isNotNull();
		}
		finally {
			System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
		}
	}

	@Test
	void annotationOfClassAppliesToItsMethods() {
		assertThat(definition(LockedClass.class, "open").request().id().name()).isEqualTo("class");
		assertThat(definition(LockedClass.class, "packagePrivate").request().id().name()).isEqualTo("class");
	}

	@Test
	void annotationOfMethodReplacesThatOfClass() {
		assertThat(definition(LockedClass.class, "own").request()).isEqualTo(LockRequest.shared("method"));
	}

	@Test
	void annotationOfClassLeavesOutWhatNoProxySees() {
		assertThat(find(LockedClass.class, "hidden")).isNull();
		assertThat(find(LockedClass.class, "utility")).isNull();
		assertThat(find(LockedClass.class, "helper")).isNull();
	}

	@Test
	void annotationOfClassLeavesOutMethodsOfObject() {
		assertThat(find(LockedClass.class, "toString")).isNull();
		assertThat(find(LockedClass.class, "hashCode")).isNull();
		assertThat(find(LockedClass.class, "equals")).isNull();
	}

	@Test
	void annotationOfClassStaysWithOverriddenMethods() {
		assertThat(definition(LockedSubclass.class, "open").request().id().name()).isEqualTo("class");
	}

	@Test
	void annotationOfClassDoesNotSpreadToMethodsOfSubclasses() {
		assertThat(find(LockedSubclass.class, "added")).isNull();
	}

	@Test
	void annotationOfClassDoesNotSpreadToInheritedMethods() throws Exception {
		Method inherited = Attributes.class.getDeclaredMethod("unlocked");
		assertThat(source().getLockDefinition(inherited, LockedSubclassOfAttributes.class)).isNull();
	}

	@Test
	void annotationOfOverriddenMethodApplies() {
		assertThat(definition(OverridingClass.class, "nothing").request().id().name()).isEqualTo("orders");
	}

	@Test
	void annotationOfInterfaceMethodApplies() {
		assertThat(definition(Service.class, ServiceImpl.class, "annotated").request().id().name())
			.isEqualTo("interface-method");
		assertThat(definition(ServiceImpl.class, ServiceImpl.class, "annotated").request().id().name())
			.isEqualTo("interface-method");
	}

	@Test
	void annotationOfInterfaceAppliesToItsMethodsOnly() {
		assertThat(definition(ServiceImpl.class, "plain").request().id().name()).isEqualTo("interface");
		assertThat(find(ServiceImpl.class, "other")).isNull();
	}

	@Test
	void annotationOfClassComesBeforeThatOfInterfaceMethod() {
		assertThat(definition(Service.class, LockedServiceImpl.class, "annotated").request().id().name())
			.isEqualTo("class");
	}

	@Test
	void annotationOfMethodComesFirst() {
		assertThat(definition(Service.class, LockedServiceImpl.class, "plain").request().id().name())
			.isEqualTo("method");
	}

	@Test
	void annotationOfDefaultMethodApplies() {
		assertThat(definition(Service.class, ServiceImpl.class, "defaulted").request().id().name())
			.isEqualTo("default-method");
	}

	@Test
	void annotationOfExtendingInterfaceComesBeforeThatOfExtended() {
		assertThat(definition(Service.class, ExtendedServiceImpl.class, "annotated").request().id().name())
			.isEqualTo("extended");
	}

	@Test
	void jdkProxyHasTheLocksOfItsInterfaces() {
		Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Service.class },
				(self, method, args) -> null);
		AnnotationLockDefinitionSource source = source();
		LockDefinition definition = source.getLockDefinition(method(Service.class, "annotated"), proxy.getClass());
		assertThat(definition).isNotNull();
		assertThat(definition.request().id().name()).isEqualTo("interface-method");
		assertThat(source.isCandidateClass(proxy.getClass())).isTrue();
	}

	@Test
	void bridgeMethodHasTheLockOfItsMethod() {
		for (Method method : GenericImpl.class.getDeclaredMethods()) {
			LockDefinition definition = source().getLockDefinition(method, GenericImpl.class);
			assertThat(definition).isNotNull();
			assertThat(definition.method().getParameterTypes()).containsExactly(String.class);
		}
		assertThat(GenericImpl.class.getDeclaredMethods()).hasSize(2);
	}

	@Test
	void genericInterfaceMethodPassesItsLockOn() {
		assertThat(definition(GenericInterface.class, GenericInterfaceImpl.class, "handle").request().id().name())
			.isEqualTo("generic");
	}

	@Test
	void visibilityBridgeHasTheLockOfItsMethod() throws Exception {
		Method bridge = VisibleChild.class.getMethod("run");
		LockDefinition definition = source().getLockDefinition(bridge, VisibleChild.class);
		assertThat(definition).isNotNull();
		assertThat(definition.request().id().name()).isEqualTo("hidden-parent");
	}

	@Test
	void candidatesAreClassesWithAnAnnotationSomewhere() {
		AnnotationLockDefinitionSource source = source();
		assertThat(source.isCandidateClass(Attributes.class)).isTrue();
		assertThat(source.isCandidateClass(OverridingClass.class)).isTrue();
		assertThat(source.isCandidateClass(ServiceImpl.class)).isTrue();
		assertThat(source.isCandidateClass(Plain.class)).isFalse();
		assertThat(source.isCandidateClass(String.class)).isFalse();
	}

	@Test
	void refusesTwoAnnotationsOnOneMethod() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Twice.class, "method"))
			.withMessageContaining("Twice.method()")
			.withMessageContaining("2 lock annotations: @DistributedLock, @ReadLock. Keep one of them.");
	}

	@Test
	void refusesTwoAnnotationsOnOneClass() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(TwiceOnClass.class, "method"))
			.withMessageContaining("TwiceOnClass")
			.withMessageContaining("2 lock annotations: @ReadLock, @WriteLock.");
	}

	@Test
	void namesAnnotationOfTheApplicationThatIsTwo() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(TwiceInOne.class, "method"))
			.withMessageContaining("TwiceInOne.method()")
			.withMessageContaining("2 lock annotations: @ReadAndWrite.");
	}

	@Test
	void namesAnnotationOfTheApplicationBesideAnother() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(TwiceComposed.class, "method"))
			.withMessageContaining("TwiceComposed.method()")
			.withMessageContaining("3 lock annotations: @WriteLock, @OfOrders, @ReadLock.");
	}

	@Test
	void readsSeveralKeys() {
		LockDefinition definition = definition(Keys.class, "two");
		assertThat(definition.keys()).isNotEmpty();
		assertThat(definition.key()).isNull();
		assertThat(definition(Keys.class, "read").keys()).isNotEmpty();
		assertThat(definition(Attributes.class, "nothing").keys()).isEmpty();
	}

	@Test
	void refusesKeyBesideKeys() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Keys.class, "both"))
			.withMessageContaining("It has both 'key' and 'keys'.")
			.withMessageContaining("'{#tenant, #sku}'");
	}

	@Test
	void refusesAnEmptyOneOfSeveralKeys() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Keys.class, "empty"))
			.withMessageContaining("One of its 'keys' is empty");
	}

	@Test
	void refusesAnUnknownParameterInOneOfSeveralKeys() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Keys.class, "unknown"))
			.withMessageContaining("The key '#too' names '#too', which is not a parameter");
	}

	@ParameterizedTest
	@ValueSource(strings = { "variable", "template", "placeholder" })
	void refusesANameThatLooksLikeAnExpression(String method) {
		this.environment.setProperty("app.lock", "#from");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Names.class, method))
			.withMessageContaining("looks like an expression, but a name is a literal")
			.withMessageContaining("into 'key'");
	}

	@ParameterizedTest
	@CsvSource({ "hash, queue #1", "channel, queue#eu", "longer, queue#eu2" })
	void takesANameWithAHash(String method, String name) {
		assertThat(definition(Names.class, method).request().id().name()).isEqualTo(name);
	}

	@Test
	void aCallWhoseParameterCannotBeAKeyIsRefused() {
		LockKeyExpression key = definition(Keys.class, "price").key();
		assertThat(key).isNotNull();
		assertThatIllegalArgumentException().isThrownBy(() -> key.evaluate(invocation(1.5)))
			.withMessageContaining("Key '#value' of lock 'accounts' on ")
			.withMessageContaining("Keys.price(double)")
			.withMessageContaining("A value of type java.lang.Double cannot be a lock key");
		List<LockKeyExpression> keys = definition(Keys.class, "prices").keys();
		assertThat(keys).isNotEmpty();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LockKeyExpression.evaluateAll(keys, invocation(List.of(1.5))))
			.withMessageContaining("Keys.prices(List)");
	}

	@Test
	void aTypeVariableIsJudgedByItsValue() throws Exception {
		Method method = Repository.class.getDeclaredMethod("save", Object.class);
		LockDefinition texts = source().getLockDefinition(method, Names.Texts.class);
		assertThat(texts).isNotNull();
		assertThat(texts.key()).isNotNull();
		assertThat(texts.key().evaluate(invocation("A-1"))).isEqualTo("A-1");
		LockDefinition dates = source().getLockDefinition(method, Names.Dates.class);
		assertThat(dates).isNotNull();
		assertThat(dates.key()).isNotNull();
		assertThatIllegalArgumentException().isThrownBy(() -> dates.key().evaluate(invocation(new Date())))
			.withMessageContaining("java.util.Date");
	}

	@Test
	void refusesTwoNames() {
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(TwoNames.class, "method"))
			.withMessageContaining("TwoNames.method()")
			.withMessageContaining("Its attributes contradict each other");
	}

	@Test
	void overrideOfContentionPolicyWins() {
		this.overrides = (name) -> name.equals("orders") ? new LockOverrides.Change(ContentionPolicy.SKIP, null, true)
				: LockOverrides.Change.NONE;
		assertThat(definition(Attributes.class, "nothing").onContention()).isEqualTo(ContentionPolicy.SKIP);
	}

	@Test
	void overrideToSkipIsRefusedForPrimitive() {
		this.overrides = (name) -> new LockOverrides.Change(ContentionPolicy.SKIP, null, true);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> find(Attributes.class, "primitive"))
			.withMessageContaining("Attributes.primitive()")
			.withMessageContaining("'interlock.locks.orders.on-contention' is SKIP")
			.withMessageContaining("returns int");
	}

	@Test
	void overrideToFailAllowsSkipOnPrimitive() {
		this.overrides = (name) -> new LockOverrides.Change(ContentionPolicy.FAIL, null, true);
		assertThat(definition(Attributes.class, "skippedPrimitive").onContention()).isEqualTo(ContentionPolicy.FAIL);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void disabledLockWarnsOncePerName(CapturedOutput output) {
		this.overrides = (name) -> new LockOverrides.Change(null, null, false);
		AnnotationLockDefinitionSource source = source();
		for (String name : new String[] { "nothing", "read", "write", "composed" }) {
			LockDefinition definition = source.getLockDefinition(method(Attributes.class, name), Attributes.class);
			assertThat(definition).isNotNull();
			assertThat(definition.enabled()).isFalse();
		}
		assertThat(output.getOut()).containsOnlyOnce("Lock 'orders' is disabled")
			.containsOnlyOnce("Lock 'reports' is disabled");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void waitTimeOfAnOperatorForASkippedMethodIsWarnedOfOnce(CapturedOutput output) {
		this.overrides = (name) -> new LockOverrides.Change(ContentionPolicy.SKIP, Duration.ofSeconds(30), true);
		AnnotationLockDefinitionSource source = source();
		source.getLockDefinition(method(Attributes.class, "nothing"), Attributes.class);
		source.getLockDefinition(method(Attributes.class, "read"), Attributes.class);
		assertThat(output.getOut()).containsOnlyOnce("The property 'interlock.locks.orders.wait-time' makes "
				+ Attributes.class.getName() + ".nothing() wait for other holders, although its "
				+ "policy is SKIP: a job then runs on every instance, one after the other");
	}

	@ParameterizedTest
	@MethodSource
	@ExtendWith(OutputCaptureExtension.class)
	void otherWaitTimesOfAnOperatorAreNotWarnedOf(LockOverrides.Change override, CapturedOutput output) {
		this.overrides = (name) -> override;
		definition(Attributes.class, "nothing");
		assertThat(output.getOut()).doesNotContain("wait for other holders");
	}

	static Stream<LockOverrides.Change> otherWaitTimesOfAnOperatorAreNotWarnedOf() {
		return Stream.of(new LockOverrides.Change(ContentionPolicy.SKIP, null, true),
				new LockOverrides.Change(ContentionPolicy.SKIP, Duration.ZERO, true),
				new LockOverrides.Change(ContentionPolicy.SKIP, Duration.ofSeconds(30), false),
				new LockOverrides.Change(null, Duration.ofSeconds(30), true));
	}

	private AnnotationLockDefinitionSource source() {
		return new AnnotationLockDefinitionSource(this.environment, (name) -> this.overrides.forName(name), null);
	}

	private LockDefinition definition(Class<?> type, String method) {
		return definition(type, type, method);
	}

	private LockDefinition definition(Class<?> declaring, Class<?> target, String method) {
		LockDefinition definition = source().getLockDefinition(method(declaring, method), target);
		assertThat(definition).isNotNull();
		return definition;
	}

	private static MethodInvocation invocation(Object... arguments) {
		MethodInvocation invocation = mock(MethodInvocation.class);
		given(invocation.getArguments()).willReturn(arguments);
		return invocation;
	}

	private @Nullable LockDefinition find(Class<?> type, String method) {
		return source().getLockDefinition(method(type, method), type);
	}

	private static Method method(Class<?> type, String name) {
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@ReadLock(name = "reports")
	@interface Reports {

		@AliasFor(annotation = ReadLock.class, attribute = "waitTime")
		String patience() default "";

	}

	static class Attributes {

		@DistributedLock(name = "orders", key = "#id", mode = LockMode.SHARED, waitTime = "5s",
				onContention = ContentionPolicy.SKIP, onLoss = LossPolicy.INTERRUPT)
		void everything(String id) {
		}

		@DistributedLock("orders")
		void nothing() {
		}

		@ReadLock("orders")
		void read() {
		}

		@WriteLock("orders")
		void write() {
		}

		@Reports(patience = "250ms")
		void composed() {
		}

		@DistributedLock("orders")
		int primitive() {
			return 1;
		}

		@DistributedLock(name = "orders", onContention = ContentionPolicy.SKIP)
		int skippedPrimitive() {
			return 1;
		}

		void unlocked() {
		}

	}

	static class Semaphores {

		@DistributedSemaphore(name = "office", key = "#p0", permits = "3", waitTime = "5s")
		void three(String key) {
		}

		@DistributedSemaphore(name = "office", permits = "${app.permits}")
		void configured() {
		}

		@AtTheOffice
		void composed() {
		}

		@DistributedSemaphore(name = "office", permits = "0")
		void zero() {
		}

		@DistributedSemaphore(name = "office", permits = "some")
		void text() {
		}

		@DistributedLock(name = "office", mode = LockMode.PERMIT)
		void unnumbered() {
		}

	}

	static class Keys {

		@DistributedLock(name = "accounts", keys = { "#from", "#to" })
		void two(String from, String to) {
		}

		@ReadLock(name = "accounts", keys = "#all")
		void read(List<String> all) {
		}

		@DistributedLock(name = "accounts", key = "#from", keys = "#to")
		void both(String from, String to) {
		}

		@DistributedLock(name = "accounts", key = "#value")
		void price(double value) {
		}

		@DistributedLock(name = "accounts", keys = { "'all'", "#values" })
		void prices(List<Double> values) {
		}

		@DistributedLock(name = "accounts", keys = { "#from", " " })
		void empty(String from) {
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#too" })
		void unknown(String from, String to) {
		}

	}

	static class Names {

		@DistributedLock("stock-#sku")
		void variable(String sku) {
		}

		@DistributedLock("stock-#{sku}")
		void template(String sku) {
		}

		@DistributedLock("stock-${app.lock}")
		void placeholder(String from) {
		}

		@DistributedLock("queue #1")
		void hash() {
		}

		@DistributedLock("queue#eu")
		void channel(String queue) {
		}

		@DistributedLock("queue#eu2")
		void longer(String eu) {
		}

		static class Texts extends Repository<String> {

		}

		static class Dates extends Repository<Date> {

		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedSemaphore(name = "office", permits = "2")
	@interface AtTheOffice {

	}

	static class OverridingClass extends Attributes {

		@Override
		void nothing() {
		}

	}

	static class Placeholders {

		@DistributedLock(name = "${app.lock}-lock", waitTime = "${app.wait}")
		void resolved() {
		}

		@DistributedLock(name = "${app.lock:orders}", waitTime = "${app.wait:7s}")
		void defaulted() {
		}

		@DistributedLock(name = "orders", waitTime = "${app.wait:}")
		void empty() {
		}

	}

	@DistributedLock("class")
	static class LockedClass {

		public void open() {
		}

		void packagePrivate() {
		}

		@ReadLock("method")
		public void own() {
		}

		private void hidden() {
		}

		public static void utility() {
		}

		protected final void helper() {
			hidden();
		}

		@Override
		public String toString() {
			return "locked";
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other == this;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class LockedSubclass extends LockedClass {

		@Override
		public void open() {
		}

		public void added() {
		}

	}

	@DistributedLock("class")
	static class LockedSubclassOfAttributes extends Attributes {

	}

	@DistributedLock("interface")
	interface Service {

		@DistributedLock("interface-method")
		void annotated();

		void plain();

		@DistributedLock("default-method")
		default void defaulted() {
		}

	}

	static class ServiceImpl implements Service {

		@Override
		public void annotated() {
		}

		@Override
		public void plain() {
		}

		public void other() {
		}

	}

	@DistributedLock("class")
	static class LockedServiceImpl implements Service {

		@Override
		public void annotated() {
		}

		@Override
		@DistributedLock("method")
		public void plain() {
		}

	}

	interface ExtendedService extends Service {

		@Override
		@DistributedLock("extended")
		void annotated();

	}

	static class ExtendedServiceImpl extends ServiceImpl implements Service, ExtendedService {

		@Override
		public void annotated() {
		}

	}

	abstract static class Generic<T> {

		abstract void handle(T value);

	}

	static class GenericImpl extends Generic<String> {

		@Override
		@DistributedLock("generic")
		void handle(String value) {
		}

	}

	abstract static class Repository<T> {

		@DistributedLock(name = "generic", key = "#value")
		void save(T value) {
		}

	}

	interface GenericInterface<T> {

		@DistributedLock(name = "generic", key = "#value")
		void handle(T value);

	}

	static class GenericInterfaceImpl implements GenericInterface<String> {

		@Override
		public void handle(String renamed) {
		}

	}

	abstract static class HiddenParent {

		@DistributedLock("hidden-parent")
		public void run() {
		}

	}

	public static class VisibleChild extends HiddenParent {

	}

	static class Twice {

		@ReadLock("a")
		@DistributedLock("b")
		void method() {
		}

	}

	static class TwiceComposed {

		@WriteLock("a")
		@OfOrders
		@ReadLock("b")
		void method() {
		}

	}

	static class TwiceInOne {

		@ReadAndWrite
		void method() {
		}

	}

	@ReadLock("a")
	@WriteLock("b")
	@Retention(RetentionPolicy.RUNTIME)
	@interface ReadAndWrite {

	}

	@DistributedLock("orders")
	@Retention(RetentionPolicy.RUNTIME)
	@interface OfOrders {

	}

	@ReadLock("a")
	@WriteLock("b")
	static class TwiceOnClass {

		void method() {
		}

	}

	static class TwoNames {

		@DistributedLock(value = "a", name = "b")
		void method() {
		}

	}

	static class Plain {

		void method() {
		}

	}

}
