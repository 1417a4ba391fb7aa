package io.interlock.template;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Knows the threads that must not block, such as those of event loops.
 */
final class EventLoops {

	private static final Log logger = LogFactory.getLog(EventLoops.class);

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			EventLoops.class.getClassLoader());

	private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

	private EventLoops() {
	}

	static boolean mustNotBlock(Thread thread) {
		for (Class<?> type = thread.getClass(); type != Thread.class; type = type.getSuperclass()) {
			if (type.getName().equals("io.netty.util.concurrent.FastThreadLocalThread")) {
				Method permits = ReflectionUtils.findMethod(type, "permitBlockingCalls");
				return permits == null || !Boolean.TRUE.equals(ReflectionUtils.invokeMethod(permits, thread));
			}
		}
		return REACTOR_PRESENT && Schedulers.isNonBlockingThread(thread);
	}

	/** Refuse a wait of such a thread for other holders, unless the settings allow it. */
	static void warnOfBlocking(Wait wait, LockSettings settings) {
		String problem = "Thread '%s' must not block, but would have to wait for lock %s in %s, which others hold"
			.formatted(wait.thread().getName(), wait.request().id(), caller());
		Assert.state(settings.blockingOnEventLoop() == LockSettings.OnEventLoop.WARN,
				() -> problem + ": return a Mono, use executeAsync, or call it on another thread");
		if (WARNED.add(wait.request().id().name())) {
			logger.warn(problem + ". It waits, because 'interlock.blocking-on-event-loop' is 'warn'");
		}
	}

	/** Return the method that wants the lock: the first one outside of the library. */
	private static String caller() {
		return StackWalker.getInstance()
			.walk((frames) -> frames
				.map((frame) -> frame.getClassName().replaceFirst("\\$\\$.*", "") + "." + frame.getMethodName())
				.filter((method) -> !method.matches("(io.interlock.(template|interceptor)|org.springframework)\\..+"))
				.findFirst())
			.orElseThrow();
	}

}
