package io.interlock.admin;

import java.util.List;

import io.interlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * A lock with those who hold it and those who wait for it.
 *
 * @param name name of the lock as the application wrote it; what can be read of it if
 * {@code exact} is {@code false}
 * @param key key of the lock as the application wrote it, if it has one
 * @param exact whether name and key are what the application wrote: the path of a very
 * long one has only its start, and a path that others made may be none of ours
 * @param path path of the lock
 * @param readable whether its contenders were read; if not, because there is no
 * permission to or because they are too many for one answer, it is not known who holds it
 * @param mode how it is held, or {@code null} if nobody holds it
 * @param contenders how many hold it or wait for it, as far as that is known
 * @param holders who holds it, several only if it is shared; oldest first
 * @param queue who waits for it, in the order in which they get it
 * @param omitted how many contenders are not shown: those behind the ones that are
 * @param others nodes that contend for nothing and only lie there
 * @since 0.1.0
 */
public record QueuedLock(String name, @Nullable String key, boolean exact, String path, boolean readable,
		@Nullable LockMode mode, int contenders, List<QueuedNode> holders, List<QueuedNode> queue, int omitted,
		List<String> others) {

	public QueuedLock {
		holders = List.copyOf(holders);
		queue = List.copyOf(queue);
		others = List.copyOf(others);
	}

}
