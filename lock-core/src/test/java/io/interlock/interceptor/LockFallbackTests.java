package io.interlock.interceptor;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;

import io.interlock.LockException;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.LockState;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.annotation.WriteLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.template.LockContext;
import io.interlock.template.LockTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the fallback of locked methods.
 */
class LockFallbackTests {

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final Stock target = new Stock(this.provider);

	private LockOverrides.Change override = LockOverrides.Change.NONE;

	@Test
	void isNotCalledWhenTheMethodRuns() {
		assertThat(proxy().reserve("A-1", 2)).isEqualTo("reserved");
	}

	@Test
	void answersContention() {
		contended(() -> assertThat(proxy().reserve("A-1", 2)).isEqualTo("busy: A-1 2"));
	}

	@Test
	void answersAnOutage() {
		this.provider.setAvailable(false);
		assertThat(proxy().reserve("A-1", 2)).isEqualTo("busy: A-1 2");
	}

	@Test
	void answersForSeveralLocks() {
		try (var other = new LockTemplate(this.provider).acquire(LockRequest.exclusive("stock").withKey("B-2"))) {
			other.detach();
			assertThat(proxy().exchange("A-1", "B-2")).isEqualTo("busy: A-1 B-2");
		}
		assertThat(proxy().exchange("A-1", "B-2")).isEqualTo("exchanged");
	}

	@Test
	void takesTheException() {
		contended(() -> assertThat(proxy().withException("A-1")).isEqualTo("A-1 LockNotAcquiredException"));
		this.provider.setAvailable(false);
		assertThat(proxy().withException("A-1")).isEqualTo("A-1 LockServiceUnavailableException");
	}

	@Test
	void ofANarrowerExceptionHandlesThatOnly() {
		contended(() -> assertThat(proxy().narrow("A-1")).isEqualTo("A-1"));
		this.provider.setAvailable(false);
		assertThatExceptionOfType(LockServiceUnavailableException.class).isThrownBy(() -> proxy().narrow("A-1"));
	}

	@Test
	void nearestToTheExceptionCounts() {
		contended(() -> assertThat(proxy().nearest()).isEqualTo("busy"));
		this.provider.setAvailable(false);
		assertThat(proxy().nearest()).isEqualTo("any");
	}

	@Test
	void isInheritedAndMayBeGeneric() {
		contended(() -> assertThat(proxy().generic("A-1")).isEqualTo("generic A-1"));
	}

	@Test
	void failuresOfTheBodyAreNotItsBusiness() {
		LockException failure = new LockNotAcquiredException("Inner", LockRequest.exclusive("inner").id(),
				Duration.ZERO, null);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> proxy().fail(failure))
			.isSameAs(failure);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> proxy().lose());
	}

	@Test
	void whatItThrowsReachesTheCaller() {
		contended(() -> assertThatExceptionOfType(IOException.class).isThrownBy(() -> proxy().throwing("A-1"))
			.withMessage("A-1"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					missing        | has no method 'String absent(String)'                          | Add that method to the class
					otherParameter | only String io.interlock.interceptor.LockFallbackTests$Wrong.one(int) | Add that method to the class
					otherReturn    | has no method 'String number(String)'                          | Add that method to the class
					otherException | has no method 'String lost(String)'                            | Add that method to the class
					itself         | has no method 'String itself(String)'                          | Add that method to the class
					skipping       | 'onContention' is SKIP, so the fallback 'busy'                 | Remove one of the two
					""")
	void whatCannotWorkIsToldOnStartUp(String name, String problem, String remedy) {
		Method method = Arrays.stream(Wrong.class.getDeclaredMethods())
			.filter((each) -> each.getName().equals(name))
			.findFirst()
			.orElseThrow();
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> source().getLockDefinition(method, Wrong.class))
			.withMessageContaining("Wrong." + name + "(String)")
			.withMessageContaining(problem)
			.withMessageContaining(remedy);
	}

	@Test
	void skipByPropertyWinsOverTheFallback() {
		this.override = new LockOverrides.Change(ContentionPolicy.SKIP, null, true);
		contended(() -> assertThat(proxy().reserve("A-1", 2)).isNull());
	}

	@Test
	void skipByPropertyLeavesOutagesToTheFallback() {
		this.override = new LockOverrides.Change(ContentionPolicy.SKIP, null, true);
		this.provider.setAvailable(false);
		assertThat(proxy().reserve("A-1", 2)).isEqualTo("busy: A-1 2");
	}

	@Test
	void failByPropertyDoesNotMendAnAnnotationThatSkips() throws Exception {
		this.override = new LockOverrides.Change(ContentionPolicy.FAIL, null, true);
		Method method = Wrong.class.getMethod("skipping", String.class);
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> source().getLockDefinition(method, Wrong.class))
			.withMessageContaining("'onContention' is SKIP, so the fallback 'busy'");
	}

	private void contended(Runnable action) {
		try (var other = new LockTemplate(this.provider).acquire(LockRequest.exclusive("stock"))) {
			other.detach();
			action.run();
		}
	}

	private Stock proxy() {
		AnnotationLockDefinitionSource source = source();
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.addAdvisor(new LockAdvisor(source, () -> new LockTemplate(this.provider)));
		return (Stock) factory.getProxy();
	}

	private AnnotationLockDefinitionSource source() {
		return new AnnotationLockDefinitionSource(new MockEnvironment(), (name) -> this.override, null);
	}

	static class Base<T> {

		String inherited(T argument) {
			return "generic " + argument;
		}

	}

	static class Stock extends Base<String> {

		private final InMemoryLockProvider provider;

		Stock(InMemoryLockProvider provider) {
			this.provider = provider;
		}

		@DistributedLock(name = "stock", keys = { "#from", "#to" }, waitTime = "0", fallback = "busyBoth")
		public String exchange(String from, String to) {
			return "exchanged";
		}

		private String busyBoth(String from, String to) {
			return "busy: " + from + " " + to;
		}

		@DistributedLock(name = "stock", waitTime = "0", fallback = "busy")
		public String reserve(String sku, int amount) {
			return "reserved";
		}

		private String busy(String sku, int amount) {
			assertThat(this.provider).isNotNull();
			return "busy: " + sku + " " + amount;
		}

		@WriteLock(name = "stock", waitTime = "0", fallback = "explain")
		public Object withException(String sku) {
			return "reserved";
		}

		String explain(String sku, RuntimeException failure) {
			return sku + " " + failure.getClass().getSimpleName();
		}

		@DistributedLock(name = "stock", waitTime = "0", fallback = "onContention")
		public String narrow(String sku) {
			return "reserved";
		}

		private static String onContention(String sku, LockNotAcquiredException failure) {
			return sku;
		}

		@DistributedLock(name = "stock", waitTime = "0", fallback = "near")
		public String nearest() {
			return "reserved";
		}

		String near() {
			return "any";
		}

		String near(LockNotAcquiredException failure) {
			return "busy";
		}

		@DistributedLock(name = "stock", waitTime = "0", fallback = "inherited")
		public String generic(String argument) {
			return argument;
		}

		@DistributedLock(name = "stock", fallback = "swallow")
		public void fail(LockException failure) {
			throw failure;
		}

		void swallow(LockException failure) {
		}

		@DistributedLock(name = "stock", fallback = "swallow")
		public void lose() {
			this.provider.changeState(LockContext.current().id(), LockState.LOST);
		}

		void swallow() {
		}

		@DistributedLock(name = "stock", waitTime = "0", fallback = "failing")
		public void throwing(String sku) throws IOException {
		}

		private void failing(String sku) throws IOException {
			throw new IOException(sku);
		}

	}

	static class Wrong {

		@DistributedLock(name = "stock", fallback = "absent")
		public String missing(String sku) {
			return sku;
		}

		@DistributedLock(name = "stock", fallback = "one")
		public String otherParameter(String sku) {
			return sku;
		}

		String one(int amount) {
			return "";
		}

		@DistributedLock(name = "stock", fallback = "number")
		public String otherReturn(String sku) {
			return sku;
		}

		int number(String sku) {
			return 0;
		}

		@DistributedLock(name = "stock", fallback = "lost")
		public String otherException(String sku) {
			return sku;
		}

		String lost(String sku, LockLostException failure) {
			return sku;
		}

		@DistributedLock(name = "stock", fallback = "itself")
		public String itself(String sku) {
			return sku;
		}

		@DistributedLock(name = "stock", onContention = ContentionPolicy.SKIP, fallback = "busy")
		public String skipping(String sku) {
			return sku;
		}

		String busy(String sku) {
			return sku;
		}

	}

}
