package io.interlock.test;

import java.util.List;
import java.util.function.Predicate;

import io.interlock.LockId;
import io.interlock.LockState;
import org.assertj.core.api.AbstractAssert;

/**
 * AssertJ assertions for {@link TestLocks}: what the application did with its locks since
 * the test began. A name without a key means all locks of that name, whatever their key.
 *
 * @since 0.1.0
 */
public class TestLocksAssert extends AbstractAssert<TestLocksAssert, TestLocks> {

	private final LockHistory history;

	TestLocksAssert(TestLocks locks, LockHistory history) {
		super(locks, TestLocksAssert.class);
		this.history = history;
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
	 * Verify that a lock was acquired.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return assertions about these acquisitions
	 */
	public LockAcquisitionsAssert acquired(String name, Object key) {
		return acquired(Meant.by(name, key));
	}

	/**
	 * Verify that no lock of this name was acquired.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert neverAcquired(String name) {
		return neverAcquired(Meant.by(name));
	}

	/**
	 * Verify that a lock was not acquired.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return this
	 */
	public TestLocksAssert neverAcquired(String name, Object key) {
		return neverAcquired(Meant.by(name, key));
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
	 * @param key key of the lock
	 * @return this
	 */
	public TestLocksAssert refused(String name, Object key) {
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
	 * @param key key of the lock
	 * @return this
	 */
	public TestLocksAssert lost(String name, Object key) {
		return lost(Meant.by(name, key));
	}

	/**
	 * Verify that the application holds a lock of this name now.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert held(String name) {
		return held(Meant.by(name));
	}

	/**
	 * Verify that the application holds a lock now.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return this
	 */
	public TestLocksAssert held(String name, Object key) {
		return held(Meant.by(name, key));
	}

	/**
	 * Verify that the application holds no lock of this name now.
	 * @param name name of the lock
	 * @return this
	 */
	public TestLocksAssert notHeld(String name) {
		return notHeld(Meant.by(name));
	}

	/**
	 * Verify that the application does not hold a lock now.
	 * @param name name of the lock
	 * @param key key of the lock
	 * @return this
	 */
	public TestLocksAssert notHeld(String name, Object key) {
		return notHeld(Meant.by(name, key));
	}

	private LockAcquisitionsAssert acquired(Meant meant) {
		int count = meant.in(this.history.acquisitions()).size();
		check(count > 0, "Expected %s to be acquired, but it was not.", meant);
		LockAcquisitionsAssert acquisitions = new LockAcquisitionsAssert(this.actual, this.history, meant.description(),
				count);
		acquisitions.info.description(this.info.description());
		return acquisitions;
	}

	private TestLocksAssert neverAcquired(Meant meant) {
		return check(meant.in(this.history.acquisitions()).isEmpty(), "Expected %s never to be acquired, but it was.",
				meant);
	}

	private TestLocksAssert refused(Meant meant) {
		return check(this.history.isRefused(meant.which()), "Expected %s to be refused, but it was not.", meant);
	}

	private TestLocksAssert lost(Meant meant) {
		return check(
				meant.in(this.history.acquisitions())
					.stream()
					.anyMatch((acquisition) -> acquisition.state() == LockState.LOST),
				"Expected %s to be lost, but it was not.", meant);
	}

	private TestLocksAssert held(Meant meant) {
		return check(!meant.in(this.history.held()).isEmpty(), "Expected %s to be held, but it is not.", meant);
	}

	private TestLocksAssert notHeld(Meant meant) {
		return check(meant.in(this.history.held()).isEmpty(), "Expected %s not to be held, but it is.", meant);
	}

	private TestLocksAssert check(boolean holds, String message, Meant meant) {
		if (!holds) {
			fail(message.formatted("lock " + meant.description()));
		}
		return this;
	}

	void fail(String message) {
		failWithMessage("%s", message + "\n" + this.history.describe());
	}

	/**
	 * Which locks an assertion is about.
	 */
	private record Meant(String description, Predicate<LockId> which) {

		static Meant by(String name) {
			return new Meant(name, (id) -> id.name().equals(name));
		}

		static Meant by(String name, Object key) {
			LockId meant = TestLocks.idOf(name, key);
			return new Meant(meant.toString(), meant::equals);
		}

		List<LockAcquisition> in(List<LockAcquisition> acquisitions) {
			return acquisitions.stream().filter((acquisition) -> this.which.test(acquisition.id())).toList();
		}

	}

}
