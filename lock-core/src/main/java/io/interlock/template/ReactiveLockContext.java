package io.interlock.template;

import java.util.List;
import java.util.stream.Stream;

import io.interlock.LockHandle;
import io.interlock.LockId;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks that a Reactor chain runs under, from its context: what {@link LockContext}
 * is for a thread. Annotated methods that return a {@code Mono} or {@code Flux} put their
 * lock there, for everything that is subscribed to inside of them. Needs Reactor on the
 * class path.
 *
 * @since 0.1.0
 */
public final class ReactiveLockContext {

	private static final Object KEY = ReactiveLockContext.class;

	private ReactiveLockContext() {
	}

	/**
	 * Return the innermost lock of the chain.
	 * @return the hold, or an {@link IllegalStateException} if the chain runs without a
	 * lock, for example because an annotated method was not called through its proxy
	 */
	public static Mono<LockHandle> current() {
		return Mono.deferContextual((context) -> held(context).stream()
			.findFirst()
			.map(Mono::just)
			.orElseGet(() -> Mono.error(new IllegalStateException(
					"This chain runs without a lock. If it belongs to an annotated method, the method was not "
							+ "called through its proxy, or the chain was subscribed to separately from the result"))));
	}

	/**
	 * Return the hold of the chain on a lock.
	 * @return the innermost hold, or empty if the chain does not run under that lock
	 */
	public static Mono<LockHandle> find(LockId id) {
		return Mono.deferContextual((context) -> Mono
			.justOrEmpty(held(context).stream().filter((handle) -> handle.id().equals(id)).findFirst()));
	}

	/**
	 * Add a lock to the context of a chain, as the innermost one.
	 * @return the context for what runs under the lock
	 */
	public static Context add(Context context, LockHandle handle) {
		return context.put(KEY, Stream.concat(Stream.of(handle), held(context).stream()).toList());
	}

	private static List<LockHandle> held(ContextView context) {
		return context.<List<LockHandle>>getOrEmpty(KEY).orElseGet(List::of);
	}

}
