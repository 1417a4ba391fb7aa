package io.interlock.jdbc.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockId;
import io.interlock.LockMode;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseAnswer;
import io.interlock.lease.LeaseContender;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import io.interlock.testsupport.thread.Background;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DeferredStore}.
 */
class DeferredStoreTests {

	private static final Duration LEASE = Duration.ofSeconds(15);

	private static final LeaseStoreAddress CONFIGURED = new LeaseStoreAddress("H2", "memory", "tables", "this test");

	private final AtomicInteger creations = new AtomicInteger();

	private final CountDownLatch answer = new CountDownLatch(1);

	private final LeaseContender contender = new LeaseContender("one", "test", new LockId("stock", null),
			LockMode.EXCLUSIVE, 1, false);

	private JdbcLeaseStore create() {
		DriverManagerDataSource database = new DriverManagerDataSource(
				"jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "sa", "");
		DatabasePopulatorUtils
			.execute(new ResourceDatabasePopulator(new ClassPathResource("io/interlock/jdbc/schema-h2.sql")), database);
		return new JdbcLeaseStore(database, new JdbcLeaseStoreSettings(LockDatabase.H2.clock(), true, true, "",
				LEASE.dividedBy(3), Duration.ofDays(1)));
	}

	@Test
	void configurationTellsTheAddressUntilTheDatabaseAnswers() {
		DeferredStore store = new DeferredStore(CONFIGURED, this::create);
		assertThat(store.address()).isEqualTo(CONFIGURED);
		assertThat(store.capabilities()).isEqualTo(JdbcLeaseStore.CAPABILITIES);
		assertThat(store.isTelling()).isFalse();
		store.check();
		assertThat(store.address()).isNotEqualTo(CONFIGURED);
		store.close();
	}

	@Test
	void creationThatFailsIsTriedAgain() {
		DeferredStore store = new DeferredStore(CONFIGURED, () -> {
			if (this.creations.incrementAndGet() < 3) {
				throw LeaseStoreException.passing("the test is silent", null);
			}
			return create();
		});
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(store::check);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> store.renew(List.of(this.contender), LEASE));
		assertThat(store.acquire(this.contender, LEASE, false).granted()).isTrue();
		assertThat(store.isHeld(this.contender)).isTrue();
		assertThat(this.creations).hasValue(3);
	}

	@Test
	void creationThatIsSilentHoldsNoOtherThread() throws Exception {
		DeferredStore store = new DeferredStore(CONFIGURED, () -> {
			if (this.creations.incrementAndGet() == 1) {
				awaitAnswer();
			}
			return create();
		});
		Background<Boolean> silent = Background.start(() -> store.isHeld(this.contender));
		await().until(() -> this.creations.get() == 1);
		assertThat(store.acquire(this.contender, LEASE, false).granted()).isTrue();
		this.answer.countDown();
		assertThat(silent.join()).as("asks the store that the other thread has created").isTrue();
	}

	@Test
	void threadThatAsksWithoutBlockingDoesNotConnect() {
		List<Thread> creators = new ArrayList<>();
		DeferredStore store = new DeferredStore(CONFIGURED, () -> {
			creators.add(Thread.currentThread());
			awaitAnswer();
			return create();
		});
		ExecutorService threads = Executors.newSingleThreadExecutor();
		try {
			CompletionStage<LeaseAnswer> answers = store.acquire(this.contender, LEASE, false, threads);
			this.answer.countDown();
			assertThat(answers.toCompletableFuture().join().granted()).isTrue();
			assertThat(store.release(this.contender, threads).toCompletableFuture().join()).isTrue();
			assertThat(creators).hasSize(1).doesNotContain(Thread.currentThread());
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void whatTheStoreDoesInItsOwnWayReachesIt() {
		assertThat(Arrays.stream(LeaseStore.class.getMethods())
			.filter((method) -> isDeclaredBy(JdbcLeaseStore.class, method))
			.filter((method) -> !isDeclaredBy(DeferredStore.class, method))).isEmpty();
	}

	private static boolean isDeclaredBy(Class<?> type, Method method) {
		return Arrays.stream(type.getDeclaredMethods())
			.anyMatch((own) -> own.getName().equals(method.getName())
					&& Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
	}

	@Test
	void holdGoesOnWithoutItsHolder() {
		DeferredStore store = new DeferredStore(CONFIGURED, this::create);
		LeaseContender kept = new LeaseContender("kept-one", "test", this.contender.lock(), LockMode.EXCLUSIVE, 1,
				false);
		assertThat(store.acquire(this.contender, LEASE, false).granted()).isTrue();
		assertThat(store.renewAlone(this.contender, LEASE).renewed()).containsExactly(this.contender);
		assertThat(store.keep(this.contender, kept, LEASE)).isTrue();
		assertThat(store.isHeld(this.contender)).isFalse();
		assertThat(store.isHeld(kept)).isTrue();
	}

	private void awaitAnswer() {
		try {
			this.answer.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
