package io.interlock.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockId;
import io.interlock.LockLostException;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import io.interlock.LockState;
import io.interlock.annotation.ContentionPolicy;
import io.interlock.annotation.DistributedLock;
import io.interlock.memory.InMemoryLockProvider;
import io.interlock.provider.LockCaller;
import io.interlock.provider.LockGrant;
import io.interlock.queue.QueueSettings;
import io.interlock.queue.QueueingLockProvider;
import io.interlock.template.HeldLocks;
import io.interlock.template.LockContext;
import io.interlock.template.LockSettings;
import io.interlock.template.LockTemplate;
import io.interlock.template.ReactiveLockContext;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.aop.aspectj.annotation.AspectJProxyFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for annotated methods whose work goes on after they have returned.
 */
@Timeout(60)
class DeferredMethodTests {

	private static final LockId ID = new LockId("orders", "7");

	private final InMemoryLockProvider provider = new InMemoryLockProvider();

	private final HeldLocks heldLocks = new HeldLocks();

	private final LockTemplate template = new LockTemplate(
			new QueueingLockProvider(this.provider, QueueSettings.defaults()),
			new LockSettings(Duration.ofMinutes(10), Map.of(), Duration.ofSeconds(1)), this.heldLocks, List.of());

	private final Orders target = new Orders();

	private final Orders orders = proxy();

	private Orders proxy() {
		AnnotationLockDefinitionSource source = new AnnotationLockDefinitionSource(new MockEnvironment(),
				(name) -> LockOverrides.Change.NONE, null);
		AspectJProxyFactory factory = new AspectJProxyFactory(this.target);
		factory.addAdvisor(new LockAdvisor(source, () -> this.template));
		factory.addAspect(new Counting());
		return factory.getProxy();
	}

	@AfterEach
	void nothingIsLeftBehind() {
		await().untilAsserted(() -> {
			assertThat(this.heldLocks.held()).isEmpty();
			assertThat(this.heldLocks.waiting()).isEmpty();
		});
		assertThat(LockContext.held()).isEmpty();
		assertThat(this.target.notHeld).hasValue(0);
	}

	@Test
	void futureIsLockedUntilItCompletes() {
		CompletableFuture<String> result = this.orders.ship(7);
		await().until(this.target::isBegun);
		assertThat(this.heldLocks.held()).hasSize(1);
		assertThat(result).isNotDone();
		this.target.work.complete("shipped");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("shipped");
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void stageIsLockedToo() {
		this.target.work.complete("shipped");
		assertThat(this.orders.shipStage(7).toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10))
			.isEqualTo("shipped");
	}

	@Test
	void failureReachesTheCallerAsItIs() {
		IOException failure = new IOException("disk");
		this.target.work.completeExceptionally(failure);
		assertThat(this.orders.ship(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isSameAs(failure);
	}

	@Test
	void exceptionOfTheMethodFailsTheFuture() throws Exception {
		assertThat(this.orders.fail(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class);
	}

	@Test
	void contentionFailsTheFuture() {
		LockGrant other = busy();
		assertThat(this.orders.shipSoon(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(this.target.isBegun()).isFalse();
		other.release();
	}

	@Test
	void skippedFutureIsNull() {
		LockGrant other = busy();
		assertThat(this.orders.skip(7)).succeedsWithin(Duration.ofSeconds(10)).isNull();
		assertThat(this.target.isBegun()).isFalse();
		other.release();
		this.target.work.complete("shipped");
		assertThat(this.orders.skip(7)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("shipped");
	}

	@Test
	void contentionInsideOfASkippingMethodIsNoSkip() {
		this.target.work.completeExceptionally(
				new LockNotAcquiredException("another lock", new LockId("other", null), Duration.ZERO, null));
		assertThat(this.orders.skip(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void fallbackAnswersForAFuture() {
		LockGrant other = busy();
		assertThat(this.orders.shipOrQueue(7)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("queued 7");
		assertThat(this.orders.shipOrRefuse(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class);
		assertThat(this.target.isBegun()).isFalse();
		other.release();
		this.target.work.complete("shipped");
		assertThat(this.orders.shipOrQueue(7)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("shipped");
		this.provider.setAvailable(false);
		assertThat(this.orders.shipOrQueue(7)).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("queued 7");
	}

	@Test
	void fallbackAnswersForAMonoAndAFlux() {
		LockGrant other = busy();
		assertThat(this.orders.monoOrQueue(7).block(Duration.ofSeconds(10)))
			.isEqualTo("queued 7 LockNotAcquiredException");
		assertThat(this.orders.numbersOrNone(7).collectList().block(Duration.ofSeconds(10))).containsExactly(-1);
		assertThat(this.target.isBegun()).isFalse();
		other.release();
		this.target.work.complete("shipped");
		assertThat(this.orders.monoOrQueue(7).block(Duration.ofSeconds(10))).isEqualTo("shipped");
		this.provider.setAvailable(false);
		assertThat(this.orders.monoOrQueue(7).block(Duration.ofSeconds(10)))
			.isEqualTo("queued 7 LockServiceUnavailableException");
	}

	@Test
	void fallbackDoesNotAnswerForTheWork() {
		LockNotAcquiredException failure = new LockNotAcquiredException("another lock", new LockId("other", null),
				Duration.ZERO, null);
		this.target.work.completeExceptionally(failure);
		assertThat(this.orders.shipOrQueue(7)).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isSameAs(failure);
		assertThat(this.orders.monoOrQueue(7).toFuture()).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isSameAs(failure);
	}

	@Test
	void cancellingReleasesWhenTheWorkHasEnded() {
		CompletableFuture<String> result = this.orders.skip(7);
		await().until(this.target::isBegun);
		await().until(() -> this.target.work.getNumberOfDependents() > 0);
		result.cancel(true);
		assertThat(this.target.work).isNotDone();
		assertThat(this.heldLocks.held()).hasSize(1);
		this.target.work.complete("shipped");
		await().until(() -> this.heldLocks.held().isEmpty());
	}

	@Test
	void cancellingReachesTheWorkThatAsksForIt() {
		CompletableFuture<String> result = this.orders.cancellable(7);
		await().until(this.target::isBegun);
		result.cancel(true);
		await().until(this.target.work::isCancelled);
		await().until(() -> this.heldLocks.held().isEmpty());
	}

	@Test
	void lossFailsTheFuture() {
		CompletableFuture<String> result = this.orders.ship(7);
		await().until(this.target::isBegun);
		this.provider.changeState(ID, LockState.LOST);
		this.target.work.complete("shipped");
		assertThat(result).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void monoIsLockedOnSubscriptionUntilItCompletes() {
		Mono<String> mono = this.orders.shipMono(7);
		assertThat(this.heldLocks.held()).isEmpty();
		CompletableFuture<String> result = mono.toFuture();
		await().until(this.target::isBegun);
		assertThat(this.heldLocks.held()).hasSize(1);
		this.target.work.complete("shipped");
		assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("shipped");
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void everySubscriptionTakesTheLockAndPassesAllAdvice() {
		this.target.work.complete("shipped");
		Mono<String> mono = this.orders.shipMono(7);
		assertThat(mono.repeat(2).collectList().block(Duration.ofSeconds(10))).hasSize(3);
		assertThat(this.target.begun).hasValue(3);
		assertThat(Counting.calls.get()).isGreaterThanOrEqualTo(3);
	}

	@Test
	void failureOfAMonoReleases() {
		this.target.work.completeExceptionally(new IOException("disk"));
		assertThat(this.orders.shipMono(7).toFuture()).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IOException.class);
	}

	@Test
	void cancellingAMonoReleases() {
		Disposable subscription = this.orders.shipMono(7).subscribe();
		await().until(this.target::isBegun);
		assertThat(this.heldLocks.held()).hasSize(1);
		subscription.dispose();
		await().until(() -> this.heldLocks.held().isEmpty());
	}

	@Test
	void cancellingAMonoThatWaitsGivesUp() {
		LockGrant other = busy();
		Disposable subscription = this.orders.shipMono(7).subscribe();
		await().until(() -> this.heldLocks.waiting().size() == 1);
		subscription.dispose();
		await().until(() -> this.heldLocks.waiting().isEmpty());
		other.release();
		assertThat(this.target.isBegun()).isFalse();
	}

	@Test
	void skippedMonoIsEmpty() {
		LockGrant other = busy();
		assertThat(this.orders.skipMono(7).blockOptional(Duration.ofSeconds(10))).isEmpty();
		assertThat(this.orders.skipFlux(7).collectList().block(Duration.ofSeconds(10))).isEmpty();
		assertThat(this.target.isBegun()).isFalse();
		other.release();
	}

	@Test
	void contentionIsAnErrorOfTheMono() {
		LockGrant other = busy();
		assertThat(this.orders.shipMonoSoon(7).toFuture()).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockNotAcquiredException.class);
		other.release();
	}

	@Test
	void lossIsAnErrorOfTheMono() {
		CompletableFuture<String> result = this.orders.shipMono(7).toFuture();
		await().until(this.target::isBegun);
		this.provider.changeState(ID, LockState.LOST);
		this.target.work.complete("shipped");
		assertThat(result).failsWithin(Duration.ofSeconds(10))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void fluxIsLockedUntilItsLastElement() {
		List<Integer> seen = new CopyOnWriteArrayList<>();
		Disposable subscription = this.orders.numbers(7).subscribe(seen::add);
		await().until(this.target::isBegun);
		this.target.numbers.tryEmitNext(1);
		this.target.numbers.tryEmitNext(2);
		await().untilAsserted(() -> assertThat(seen).containsExactly(1, 2));
		assertThat(this.heldLocks.held()).hasSize(1);
		this.target.numbers.tryEmitComplete();
		await().until(subscription::isDisposed);
		assertThat(this.heldLocks.held()).isEmpty();
	}

	@Test
	void cancellingAFluxReleases() {
		this.target.numbers.tryEmitNext(1);
		assertThat(this.orders.numbers(7).blockFirst(Duration.ofSeconds(10))).isEqualTo(1);
	}

	@Test
	void contextTellsTheLock() {
		assertThat(this.orders.token(7).block(Duration.ofSeconds(10))).isPositive();
		assertThat(this.orders.find(7).block(Duration.ofSeconds(10))).isEqualTo(ID.toString());
		assertThat(ReactiveLockContext.current().onErrorComplete(IllegalStateException.class).blockOptional())
			.isEmpty();
		assertThat(ReactiveLockContext.find(ID).blockOptional()).isEmpty();
	}

	@Test
	void tenThousandWaitingCallsNeedNoThread() throws Exception {
		LockGrant other = busy();
		this.target.work.complete("shipped");
		List<CompletableFuture<String>> calls = new ArrayList<>();
		ThreadGroup callers = new ThreadGroup("callers");
		Thread caller = new Thread(callers, () -> {
			for (int call = 0; call < 10_000; call++) {
				calls.add((call % 2 == 0) ? this.orders.ship(7) : this.orders.shipMono(7).toFuture());
			}
		});
		caller.start();
		caller.join();
		assertThat(this.heldLocks.waiting()).hasSize(10_000);
		// A thread belongs to the group of the one that starts it. One is for deadlines.
		assertThat(callers.activeCount()).as("threads").isLessThan(10);
		other.release();
		CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).orTimeout(40, TimeUnit.SECONDS).join();
		assertThat(this.target.begun).hasValue(10_000);
	}

	private LockGrant busy() {
		LockRequest request = LockRequest.exclusive(ID.name()).withKey(7);
		return this.provider.attempt(request, LockCaller.current()).outcome().join().orElseThrow();
	}

	@Aspect
	static class Counting {

		static final AtomicInteger calls = new AtomicInteger();

		@Around("execution(reactor.core.publisher.Mono io.interlock.interceptor.DeferredMethodTests.Orders.*(..))")
		Object count(ProceedingJoinPoint call) throws Throwable {
			calls.incrementAndGet();
			return call.proceed();
		}

	}

	static class Orders {

		final CompletableFuture<String> work = new CompletableFuture<>();

		final Sinks.Many<Integer> numbers = Sinks.many().replay().all();

		final AtomicInteger begun = new AtomicInteger();

		final AtomicInteger notHeld = new AtomicInteger();

		boolean isBegun() {
			return this.begun.get() > 0;
		}

		private void begin() {
			if (!LockContext.current().isValid()) {
				this.notHeld.incrementAndGet();
			}
			this.begun.incrementAndGet();
		}

		@DistributedLock(name = "orders", key = "#id")
		public CompletableFuture<String> ship(int id) {
			begin();
			return this.work;
		}

		@DistributedLock(name = "orders", key = "#id")
		public CompletionStage<String> shipStage(int id) {
			begin();
			return this.work;
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms")
		public CompletableFuture<String> shipSoon(int id) {
			return ship(id);
		}

		@DistributedLock(name = "orders", key = "#id")
		public CompletableFuture<String> fail(int id) throws IOException {
			throw new IOException("disk");
		}

		@DistributedLock(name = "orders", key = "#id", onContention = ContentionPolicy.SKIP)
		public CompletableFuture<String> skip(int id) {
			return ship(id);
		}

		@DistributedLock(name = "orders", key = "#id")
		public CompletableFuture<String> cancellable(int id) {
			LockContext.current().onCancellation(() -> this.work.cancel(true));
			return ship(id);
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "queue")
		public CompletableFuture<String> shipOrQueue(int id) {
			return ship(id);
		}

		CompletableFuture<String> queue(int id) {
			return CompletableFuture.supplyAsync(() -> "queued " + id);
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "refuse")
		public CompletableFuture<String> shipOrRefuse(int id) {
			return ship(id);
		}

		CompletableFuture<String> refuse(int id) throws IOException {
			throw new IOException("refused " + id);
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "queueMono")
		public Mono<String> monoOrQueue(int id) {
			return shipMono(id);
		}

		Mono<String> queueMono(int id, LockException reason) {
			return Mono.just("queued " + id + " " + reason.getClass().getSimpleName());
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms", fallback = "noNumbers")
		public Flux<Integer> numbersOrNone(int id) {
			return numbers(id);
		}

		Flux<Integer> noNumbers(int id) {
			return Flux.just(-1);
		}

		@DistributedLock(name = "orders", key = "#id")
		public Mono<String> shipMono(int id) {
			begin();
			return Mono.fromFuture(this.work, true);
		}

		@DistributedLock(name = "orders", key = "#id", waitTime = "20ms")
		public Mono<String> shipMonoSoon(int id) {
			return shipMono(id);
		}

		@DistributedLock(name = "orders", key = "#id", onContention = ContentionPolicy.SKIP)
		public Mono<String> skipMono(int id) {
			return shipMono(id);
		}

		@DistributedLock(name = "orders", key = "#id", onContention = ContentionPolicy.SKIP)
		public Flux<Integer> skipFlux(int id) {
			return numbers(id);
		}

		@DistributedLock(name = "orders", key = "#id")
		public Flux<Integer> numbers(int id) {
			begin();
			return this.numbers.asFlux();
		}

		@DistributedLock(name = "orders", key = "#id")
		public Mono<Long> token(int id) {
			return ReactiveLockContext.current().map(LockHandle::fencingToken);
		}

		@DistributedLock(name = "orders", key = "#id")
		public Mono<String> find(int id) {
			return ReactiveLockContext.find(ID).map((lock) -> lock.id().toString());
		}

	}

}
