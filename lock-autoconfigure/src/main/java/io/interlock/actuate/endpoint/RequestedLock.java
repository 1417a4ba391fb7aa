package io.interlock.actuate.endpoint;

import io.interlock.LockId;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The lock that a request names. Actuator merges path, body and query into one map of
 * parameters, where later ones replace earlier ones. Only what it has read as the rest of
 * a path is an array, so a parameter in its place is seen. Immutable.
 *
 * @param view the view in front of the lock, or {@code null} if there is none
 * @param name name of the lock
 */
record RequestedLock(@Nullable String view, String name) {

	/** In the path where a parameter has the name. */
	private static final String NO_NAME = "-";

	private static final String PATH = "/actuator/locks/";

	/**
	 * Read the lock from a path, or from the parameter {@code name}.
	 * @param path the rest of the path
	 * @param name the parameter, for a name that cannot be in a path
	 * @param lock a parameter that has no meaning, and looks as if it had one
	 * @throws IllegalArgumentException unless they name one lock
	 */
	static RequestedLock of(Object path, @Nullable String name, @Nullable String lock) {
		String[] segments = segments(path);
		Assert.isTrue(segments.length == 1 || segments.length == 2,
				"The path names one lock. For a name with a slash, write '%s' in the path, and the name as 'name'"
					.formatted(NO_NAME));
		String last = segments[segments.length - 1];
		Assert.isTrue(name != null || !last.equals(NO_NAME),
				"'%s' in the path stands for a name in the parameter 'name', such as '?name=price/list': add 'name'"
					.formatted(NO_NAME));
		String named = (name != null && last.equals(NO_NAME)) ? name : last;
		check(named, "name", name);
		check(named, "lock", lock);
		return new RequestedLock((segments.length == 2) ? segments[0] : null, named);
	}

	/** Like {@link #of}, for a path that has a view, and may leave out the lock. */
	static RequestedLock inView(String view, Object path, @Nullable String name, @Nullable String lock) {
		String[] segments = segments(path);
		if (segments.length != 1) {
			return of(path, name, lock);
		}
		String only = segments[0];
		if (!only.equals(view) && (name == null || name.equals(only) || only.equals(NO_NAME))) {
			throw new IllegalArgumentException("Locks are freed below '%s': nothing was done. Write DELETE %s"
				.formatted(view, of(path, name, lock).pathInView()));
		}
		Assert.isTrue(name != null, "Name a lock, in the path or as 'name'");
		return of(new String[] { segments[0], NO_NAME }, name, lock);
	}

	/** Return the lock with a key and at a provider. */
	LockId id(@Nullable String key, @Nullable String provider) {
		return new LockId(this.name, key).withProvider(provider);
	}

	/** Return the path at which operators ask for the lock and free it. */
	String pathInView() {
		return PATH + "cluster/" + last();
	}

	/** Return the path at which operators hold the lock. */
	String pathAlone() {
		return PATH + last();
	}

	private String last() {
		return (this.name.contains("/") || this.name.equals(NO_NAME)) ? NO_NAME + "?name=" + this.name : this.name;
	}

	private static String[] segments(Object path) {
		Assert.isTrue(path instanceof String[], "The path names the lock: omit 'path'");
		return (String[]) path;
	}

	private static void check(String named, String parameter, @Nullable String other) {
		Assert.isTrue(other == null || other.equals(named),
				() -> "The request names lock '%s', and '%s' is '%s'. Omit '%2$s'".formatted(named, parameter, other));
	}

}
