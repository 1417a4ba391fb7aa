package io.interlock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.interlock.LockHandle;
import io.interlock.LockKeyed;
import io.interlock.LockListener;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for annotated methods that take several locks, in an application.
 */
class SeveralLocksTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class,
				LockAnnotationsAutoConfiguration.class, AopAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("interlock.provider=memory");

	@Test
	void takeAllAndReleaseAll() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Accounts.class).transfer("b", "a")).containsExactly("b", "a");
			assertThat(context.getBean(HeldLocks.class).held()).isEmpty();
		});
	}

	@Test
	void takeOneForEachElementOfACollectionAsItSaysItself() {
		this.runner
			.run((context) -> assertThat(context.getBean(Accounts.class).close(Set.of(new Account(7), new Account(3))))
				.containsExactly("account 7", "account 3"));
	}

	@Test
	void failOrSkipWhenOneIsHeld() {
		this.runner.run((context) -> {
			LockGrant other = context.getBean(InMemoryLockProvider.class)
				.attempt(LockRequest.exclusive("accounts").withKey("b").withWaitTime(Duration.ZERO),
						LockCaller.current())
				.outcome()
				.join()
				.orElseThrow();
			Accounts accounts = context.getBean(Accounts.class);
			assertThat(accounts.transferOrSkip("a", "b")).isNull();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> accounts.transferOrFail("a", "b"))
				.withMessageContaining("accounts[b]");
			other.release();
			assertThat(accounts.transferOrSkip("a", "b")).isEqualTo("moved");
		});
	}

	@Test
	void areTheLocksOfOneKeyEach() {
		this.runner.run((context) -> {
			LockGrant other = context.getBean(InMemoryLockProvider.class)
				.attempt(LockRequest.exclusive("accounts").withKey(new Account(7)).withWaitTime(Duration.ZERO),
						LockCaller.current())
				.outcome()
				.join()
				.orElseThrow();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.getBean(Accounts.class).freeze(new Account(7)))
				.withMessageContaining("accounts[account 7]");
			other.release();
		});
	}

	@Test
	void areRefusedBeforeAnyIsAskedFor() {
		this.runner.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			for (Object key : List.of(1.5, new Date(), List.of("a", Set.of("b")))) {
				assertThatIllegalArgumentException().isThrownBy(() -> accounts.any(List.of("a", key)))
					.withMessageContaining("Key '#keys' of lock 'accounts' on ")
					.withMessageContaining("LockKeyed");
			}
			assertThatIllegalArgumentException().isThrownBy(() -> accounts.any(Arrays.asList("a", null)))
				.withMessageContaining("is null");
			assertThatIllegalArgumentException().isThrownBy(() -> accounts.any(null)).withMessageContaining("is null");
			assertThat(context.getBean(Waits.class).requests).isEmpty();
		});
	}

	@Test
	void areNotDetachedByTheirMethod() {
		this.runner.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatIllegalStateException().isThrownBy(() -> accounts.passOn("a", "b"))
				.withMessageContaining("Lock accounts[b] cannot be detached here");
			assertThatIllegalStateException().isThrownBy(() -> accounts.passOne("a"))
				.withMessageContaining("Lock accounts[a] cannot be detached here");
			assertThat(context.getBean(HeldLocks.class).held()).isEmpty();
		});
	}

	@Test
	void areBounded() {
		List<Account> many = IntStream.range(0, 4).mapToObj(Account::new).toList();
		this.runner.withPropertyValues("interlock.max-keys=3").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			assertThat(accounts.close(many.subList(0, 3))).hasSize(3);
			assertThatIllegalArgumentException().isThrownBy(() -> accounts.close(many))
				.withMessageContaining("4 locks")
				.withMessageContaining("at most 3")
				.withMessageContaining("interlock.max-keys");
		});
	}

	@Test
	void areRefusedWithoutElements() {
		this.runner.run((context) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> context.getBean(Accounts.class).close(List.of()))
			.withMessageContaining("The keys [#accounts] of lock 'accounts' on")
			.withMessageContaining("are empty"));
	}

	@Test
	void noneIsAllowedAtAll() {
		this.runner.withPropertyValues("interlock.max-keys=0")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("interlock.max-keys"));
	}

	record Account(int number) implements LockKeyed {

		@Override
		public Object lockKey() {
			return "account " + this.number;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Accounts accounts() {
			return new Accounts();
		}

		@Bean
		Waits waits() {
			return new Waits();
		}

	}

	static class Waits implements LockListener {

		private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

		@Override
		public void onWaiting(LockRequest request) {
			this.requests.add(request);
		}

	}

	static class Accounts {

		@DistributedLock(name = "accounts", keys = { "#from", "#to" })
		public List<String> transfer(String from, String to) {
			return held();
		}

		@DistributedLock(name = "accounts", key = "#account", waitTime = "20ms")
		public void freeze(Account account) {
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#to" })
		public LockHandle passOn(String from, String to) {
			return LockContext.current().detach();
		}

		@DistributedLock(name = "accounts", key = "#id")
		public LockHandle passOne(String id) {
			return LockContext.current().detach();
		}

		@DistributedLock(name = "accounts", keys = "#keys")
		public void any(@Nullable Object keys) {
		}

		@DistributedLock(name = "accounts", keys = "#accounts")
		public List<String> close(Collection<Account> accounts) {
			return held();
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#to" }, onContention = ContentionPolicy.SKIP)
		public String transferOrSkip(String from, String to) {
			return "moved";
		}

		@DistributedLock(name = "accounts", keys = { "#from", "#to" }, waitTime = "20ms")
		public void transferOrFail(String from, String to) {
		}

		private static List<String> held() {
			return LockContext.held().stream().map(LockHandle::id).map((id) -> String.valueOf(id.key())).toList();
		}

	}

}
