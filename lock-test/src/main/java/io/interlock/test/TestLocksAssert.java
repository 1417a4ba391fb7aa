package io.interlock.test;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.interlock.LockId;
import io.interlock.event.LockEvent;
import io.interlock.template.LockSnapshot;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * AssertJ assertions for {@link TestLocks}: what the application did with its locks since
 * the test began. A name without a key means all locks of that name, whatever their key;
 * a key that is {@code null} means the lock without a key.
 *
 * @since 0.1.0
 */
public class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

	TestLocksAssert(TestLocks locks) {
		super(locks, TestLocksAssert.class);
	}

	/**
	 * Verify that a lock of this name was acquired.
	 * @param name name of the lock
	 * @return assertions about these acquisitions
	 */
	public LockAcquisitionsAssert acquired(String name) {
		return acquired(Meant.by(name));
	}

	/**
	 * Verify that a lock was acquired. Joining one's own hold again is no acquisition.
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} for the lock without a key
	 * @return assertions about these acquisitions
	 */
	public LockAcquisitionsAssert acquired(String name, @Nullable Object key) {
		return acquired(Meant.by(name, key));
	}

	/**
	 * Verify that no lock of this name was acquired.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert notAcquired(String name) {
		return notAcquired(Meant.by(name));
	}

	/**
	 * Verify that a lock was not acquired.
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} for the lock without a key
	 * @return this
	 */
	public TestLocksAssert notAcquired(String name, @Nullable Object key) {
		return notAcquired(Meant.by(name, key));
	}

	/**
	 * Verify that a lock of this name was asked for and not acquired, because others held
	 * it or for another reason.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert refused(String name) {
		return refused(Meant.by(name));
	}

	/**
	 * Verify that a lock was asked for and not acquired, because others held it or for
	 * another reason.
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} for the lock without a key
	 * @return this
	 */
	public TestLocksAssert refused(String name, @Nullable Object key) {
		return refused(Meant.by(name, key));
	}

	/**
	 * Verify that a lock of this name was lost.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert lost(String name) {
		return lost(Meant.by(name));
	}

	/**
	 * Verify that a lock was lost.
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} for the lock without a key
	 * @return this
	 */
	public TestLocksAssert lost(String name, @Nullable Object key) {
		return lost(Meant.by(name, key));
	}

	/**
	 * Verify that the application holds a lock of this name now, or keeps it for its
	 * minimum time.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert holds(String name) {
		return holds(Meant.by(name));
	}

	/**
	 * Verify that the application holds a lock now, or keeps it for its minimum time.
	 * @param name name of the lock
	 * @param key key of the lock, or {@code null} for the lock without a key
	 * @return this
	 */
	public TestLocksAssert holds(String name, @Nullable Object key) {
		return holds(Meant.by(name, key));
	}

	/**
	 * Verify that the application holds no lock now, and keeps none for its minimum time.
	 * @return this
	 */
	public TestLocksAssert holdsNothing() {
		return check(this.actual.held().isEmpty(), "Expected no lock to be held.");
	}

	private LockAcquisitionsAssert acquired(Meant meant) {
		long count = meant.in(this.actual.history()).filter(LockEvent.Acquired.class::isInstance).count();
		check(count > 0, "Expected lock %s to be acquired, but it was not.".formatted(meant.description()));
		LockAcquisitionsAssert acquisitions = new LockAcquisitionsAssert(this.actual, meant.description(), count);
		acquisitions.info.description(this.info.description());
		return acquisitions;
	}

	private TestLocksAssert notAcquired(Meant meant) {
		return check(meant.in(this.actual.history()).noneMatch(LockEvent.Acquired.class::isInstance),
				"Expected lock %s not to be acquired, but it was.".formatted(meant.description()));
	}

	private TestLocksAssert refused(Meant meant) {
		return check(
				meant.in(this.actual.history())
					.anyMatch((event) -> event instanceof LockEvent.NotAcquired || event instanceof LockEvent.Failed),
				"Expected lock %s to be refused, but it was not.".formatted(meant.description()));
	}

	private TestLocksAssert lost(Meant meant) {
		return check(meant.in(this.actual.history()).anyMatch(LockEvent.Lost.class::isInstance),
				"Expected lock %s to be lost, but it was not.".formatted(meant.description()));
	}

	private TestLocksAssert holds(Meant meant) {
		return check(this.actual.held().stream().map(LockSnapshot::id).anyMatch(meant.which()),
				"Expected lock %s to be held, but it is not.".formatted(meant.description()));
	}

	TestLocksAssert check(boolean passes, String message) {
		if (!passes) {
			failWithMessage("%s", message + "\n" + situation());
		}
		return this;
	}

	/**
	 * Return what a test whose assertion fails wants to see.
	 */
	private String situation() {
		List<LockEvent> history = this.actual.history();
		List<LockSnapshot> held = this.actual.held();
		if (history.isEmpty() && held.isEmpty()) {
			return "No lock was requested. An annotated method acquires its lock only if it is called through its "
					+ "Spring bean.";
		}
		StringBuilder lines = new StringBuilder("The history of this test:");
		history.forEach((event) -> lines.append("\n  ").append(event));
		lines.append("\nHeld now:");
		held.forEach((lock) -> lines.append("\n  %s (%s), token %d, %s".formatted(lock.id(), lock.mode(), lock.token(),
				(lock.keptUntil() != null) ? "kept for its minimum time" : "by thread '" + lock.thread() + "'")));
		return lines.append(held.isEmpty() ? " no lock" : "").toString();
	}

	/**
	 * Which locks an assertion is about.
	 */
	private record Meant(String description, Predicate<LockId> which) {

		static Meant by(String name) {
			return new Meant(name, (id) -> id.name().equals(name));
		}

		static Meant by(String name, @Nullable Object key) {
			LockId meant = TestLocks.idOf(name, key);
			return new Meant(meant.toString(), meant::equals);
		}

		Stream<LockEvent> in(List<LockEvent> history) {
			return history.stream().filter((event) -> this.which.test(event.id()));
		}

	}

}
