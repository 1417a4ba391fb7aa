package io.interlock.logging;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.interlock.LockHandle;
import io.interlock.LockListener;
import io.interlock.LockRequest;
import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts the innermost lock of a thread into its {@link MDC}, as {@value #NAME},
 * {@value #KEY} and {@value #TOKEN}, while the thread holds it. If another thread
 * releases the lock, the entries stay until the acquiring thread asks for a lock again.
 * Detached holds have no entries. Safe for use by many threads.
 *
 * @since 0.1.0
 */
public class MdcLockListener implements LockListener {

	/** MDC key of the lock name. */
	public static final String NAME = "lock.name";

	/** MDC key of the lock key, if there is one. */
	public static final String KEY = "lock.key";

	/** MDC key of the fencing token. */
	public static final String TOKEN = "lock.token";

	private final ThreadLocal<Deque<Entry>> entriesOfThread = ThreadLocal.withInitial(ArrayDeque::new);

	private final Map<LockHandle, Entry> entries = new ConcurrentHashMap<>();

	@Override
	public void onWaiting(LockRequest request) {
		Deque<Entry> ofThread = this.entriesOfThread.get();
		if (ofThread.removeIf((entry) -> entry.ended().get())) {
			show(ofThread.peekLast());
		}
	}

	@Override
	public void onAcquired(LockRequest request, LockHandle handle, Duration waited) {
		if (handle.isDetached()) {
			return;
		}
		Entry entry = new Entry(handle, new AtomicBoolean());
		this.entries.put(handle, entry);
		this.entriesOfThread.get().addLast(entry);
		show(entry);
	}

	@Override
	public void onKept(LockHandle handle, Duration held) {
		end(handle);
	}

	@Override
	public void onReleased(LockHandle handle, Duration held) {
		end(handle);
	}

	private void end(LockHandle handle) {
		Entry entry = this.entries.remove(handle);
		if (entry == null) {
			return;
		}
		entry.ended().set(true);
		Deque<Entry> ofThread = this.entriesOfThread.get();
		if (ofThread.remove(entry)) {
			show(ofThread.peekLast());
		}
	}

	private static void show(@Nullable Entry innermost) {
		set(NAME, (innermost != null) ? innermost.handle.id().name() : null);
		set(KEY, (innermost != null) ? innermost.handle.id().key() : null);
		set(TOKEN, (innermost != null) ? Long.toString(innermost.handle.fencingToken()) : null);
	}

	private static void set(String key, @Nullable String value) {
		if (value != null) {
			MDC.put(key, PrintableText.of(value));
		}
		else {
			MDC.remove(key);
		}
	}

	/** A lock that is held, or was until another thread released it. */
	private record Entry(LockHandle handle, AtomicBoolean ended) {

	}

}
