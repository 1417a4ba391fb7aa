package io.interlock.interceptor;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.interlock.LockException;
import io.interlock.LockHandle;
import io.interlock.LockLostException;
import io.interlock.LockRequest;
import io.interlock.template.LockOperations;
import io.interlock.template.ReactiveLockContext;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.Assert;

/** Takes a lock for each subscription. Loaded only if Reactor is present. */
final class ReactorInvocation {

	private ReactorInvocation() {
	}

	static boolean isFollowed(Class<?> type) {
		return type == Mono.class || type == Flux.class;
	}

	static Publisher<?> invoke(MethodInvocation invocation, LockDefinition definition, LockRequest request,
			LockOperations operations) {
		// Cloned before the first proceed, because each subscription proceeds anew.
		ProxyMethodInvocation call = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		Mono<Held> acquisition = Mono.create((sink) -> acquire(request, definition, operations, sink));
		Flux<?> result = Flux
			.<Object, Held>usingWhen(acquisition,
					(held) -> Flux.defer(() -> recorded(proceed(call), definition, request)).contextWrite(held::addTo),
					Held::end, Held::end, Held::cancel)
			.onErrorMap(ReactorInvocation::unwrapped)
			.onErrorResume(NotBegun.class, (ex) -> answer(call, definition, ex));
		return as(DeferredInvocation.resultType(definition.method()), result);
	}

	private static Publisher<?> as(Class<?> type, Flux<?> flux) {
		return (type == Mono.class) ? flux.singleOrEmpty() : flux;
	}

	private static Flux<?> recorded(Flux<?> body, LockDefinition definition, LockRequest request) {
		Consumer<@Nullable Throwable> run = definition.begin(request.id().key());
		return (definition.runs() == null) ? body
				: body.doOnComplete(() -> run.accept(null))
					.doOnError(run)
					.doOnCancel(() -> run.accept(new CancellationException()));
	}

	/** Run each subscription under a lock that is granted at once. */
	static Publisher<?> invokeUnder(Supplier<LockHandle> acquire, MethodInvocation invocation,
			LockDefinition definition) {
		ProxyMethodInvocation call = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		Flux<?> result = Flux.using(acquire::get, (lock) -> {
			Flux<?> body = proceed(call);
			lock.detach();
			return body.contextWrite((context) -> ReactiveLockContext.add(context, lock));
		}, LockHandle::close);
		return as(DeferredInvocation.resultType(definition.method()), result);
	}

	static Publisher<?> invokeWhile(BooleanSupplier condition, Supplier<@Nullable LockException> refusal,
			MethodInvocation invocation, Class<?> type) {
		ProxyMethodInvocation call = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
		return as(type, Flux.defer(() -> {
			if (condition.getAsBoolean()) {
				return proceed(call);
			}
			LockException failure = refusal.get();
			return (failure != null) ? Flux.error(failure) : Flux.empty();
		}));
	}

	/** A suspending function may have a fallback that does not suspend. */
	private static Publisher<?> answer(MethodInvocation invocation, LockDefinition definition, NotBegun notBegun) {
		try {
			Object answer = DeferredInvocation.answer(invocation, definition, notBegun.failure);
			return (answer instanceof Publisher<?> publisher) ? publisher : Mono.justOrEmpty(answer);
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/** Reactor wraps a loss as the failure of a clean-up. */
	private static Throwable unwrapped(Throwable failure) {
		return (failure.getClass() == RuntimeException.class && failure.getCause() instanceof LockLostException loss
				&& String.valueOf(failure.getMessage()).startsWith("Async resource cleanup failed")) ? loss : failure;
	}

	private static Flux<?> proceed(ProxyMethodInvocation call) {
		try {
			return Flux.from((Publisher<?>) DeferredInvocation.proceed(call.invocableClone()));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	private static void acquire(LockRequest request, LockDefinition definition, LockOperations operations,
			MonoSink<Held> sink) {
		Held held = new Held();
		// Of any type, because the stub of a mock may complete with anything.
		CompletableFuture<?> whole = operations.executeAsync(request, (lock) -> {
			held.lock = lock;
			sink.success(held);
			return held.done;
		});
		Assert.state(whole != null, () -> DeferredInvocation.notRun(operations, definition));
		whole.whenComplete((nothing, failure) -> {
			if (held.lock != null) {
				DeferredInvocation.complete(held.ended, null, failure);
			}
			else if (!whole.isCancelled()) {
				sink.error(new NotBegun((failure != null) ? failure
						: new IllegalStateException(DeferredInvocation.notRun(operations, definition))));
			}
		});
		sink.onCancel(() -> {
			whole.cancel(true);
			held.done.complete(null);
		});
	}

	@SuppressWarnings("serial") // never leaves this class
	private static final class NotBegun extends RuntimeException {

		private final Throwable failure;

		NotBegun(Throwable failure) {
			super(null, failure, false, false);
			this.failure = failure;
		}

	}

	private static final class Held {

		private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();

		private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

		private volatile @Nullable LockHandle lock;

		Context addTo(Context context) {
			LockHandle held = this.lock;
			Assert.state(held != null, "A subscription is told of its lock after it was acquired");
			return ReactiveLockContext.add(context, held);
		}

		/** End the hold, with an error if the lock was lost meanwhile. */
		Mono<Void> end() {
			this.done.complete(null);
			return Mono.fromFuture(this.ended, true);
		}

		Mono<Void> end(Throwable failure) {
			return end().onErrorResume((loss) -> {
				failure.addSuppressed(loss);
				return Mono.empty();
			});
		}

		Mono<Void> cancel() {
			this.done.complete(null);
			return Mono.empty();
		}

	}

}
