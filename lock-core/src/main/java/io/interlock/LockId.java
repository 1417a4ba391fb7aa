package io.interlock;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Identity of a lock: a name and, where one name protects many things, a key. Two ids are
 * the same lock exactly when both parts are equal.
 *
 * @param name name of the lock, never blank, at most {@link #MAX_LENGTH} characters
 * @param key key that narrows the name, or {@code null} for the one lock of that name;
 * never blank, at most {@link #MAX_LENGTH} characters
 * @since 0.1.0
 */
public record LockId(String name, @Nullable String key) {

	/** The most characters of a name, and of a key. */
	public static final int MAX_LENGTH = 1000;

	public LockId {
		Assert.hasText(name, "'name' of a lock must not be empty");
		Assert.isTrue(name.length() <= MAX_LENGTH, () -> tooLong("'name' of a lock", name));
		if (key != null) {
			Assert.isTrue(!key.isBlank(),
					() -> "'key' of lock '%s' must not be blank".formatted(PrintableText.of(name)));
			Assert.isTrue(key.length() <= MAX_LENGTH,
					() -> tooLong("'key' of lock '%s'".formatted(PrintableText.of(name)), key));
		}
	}

	private static String tooLong(String what, String text) {
		return "%s has %d characters, more than %d: shorten it, or hash it".formatted(what, text.length(), MAX_LENGTH);
	}

	/** Return the id in one safe line: {@code orders[42]} or {@code orders}. */
	@Override
	public String toString() {
		return PrintableText.of((this.key != null) ? this.name + "[" + this.key + "]" : this.name);
	}

}
