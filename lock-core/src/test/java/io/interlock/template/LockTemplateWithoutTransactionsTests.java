package io.interlock.template;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Callable;

import io.interlock.LockHandle;
import io.interlock.LockRequest;
import io.interlock.testing.ScriptedLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate} in an application without {@code spring-tx}.
 */
class LockTemplateWithoutTransactionsTests {

	@Test
	void locksWithoutSpringTransactions() throws Exception {
		try (WithoutTransactions classLoader = new WithoutTransactions()) {
			Callable<?> application = (Callable<?>) classLoader.loadClass(Application.class.getName())
				.getDeclaredConstructor()
				.newInstance();
			assertThat(application.call()).isEqualTo("valid: true, then released: 1");
		}
	}

	@Test
	void theClassLoaderOfThisTestHasNoSpringTransactions() throws Exception {
		try (WithoutTransactions classLoader = new WithoutTransactions()) {
			assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(
					() -> classLoader.loadClass("org.springframework.transaction.support.TransactionSynchronization"));
		}
	}

	/**
	 * Runs inside the class loader without transactions.
	 */
	public static class Application implements Callable<String> {

		@Override
		public String call() {
			ScriptedLockProvider provider = new ScriptedLockProvider();
			LockTemplate template = new LockTemplate(provider);
			boolean valid = template.execute(LockRequest.exclusive("orders"), LockHandle::isValid);
			return "valid: %s, then released: %d".formatted(valid, provider.onlyGrant().releases());
		}

	}

	/**
	 * Loads our classes itself, and knows no transactions.
	 */
	private static final class WithoutTransactions extends URLClassLoader {

		WithoutTransactions() {
			super(new URL[] { location(LockTemplate.class), location(ScriptedLockProvider.class) },
					LockTemplateWithoutTransactionsTests.class.getClassLoader());
		}

		private static URL location(Class<?> type) {
			return type.getProtectionDomain().getCodeSource().getLocation();
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("org.springframework.transaction.")) {
				throw new ClassNotFoundException(name);
			}
			if (!name.startsWith("io.interlock.")) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
		}

	}

}
