package io.interlock;

import java.util.Objects;

import io.interlock.internal.PrintableText;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Identity of a lock: a name and, where one name protects many things, a key. Two ids are
 * the same lock exactly when all parts are equal.
 *
 * @param name name of the lock, never blank, at most {@link #MAX_LENGTH} characters
 * @param key key that narrows the name, or {@code null} for the one lock of that name;
 * never blank, at most {@link #MAX_LENGTH} characters
 * @param provider name of the provider that the lock comes from, or {@code null} for the
 * default one
 * @since 0.1.0
 */
public record LockId(String name, @Nullable String key, @Nullable String provider) {

	/** Maximum length of a name, and of a key. */
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

	/** Create the identity of a lock that comes from the default provider. */
	public LockId(String name, @Nullable String key) {
		this(name, key, null);
	}

	/** Return the same name and key at a provider, or {@code null} for the default. */
	public LockId withProvider(@Nullable String provider) {
		return new LockId(this.name, this.key, provider);
	}

	/**
	 * Return the text of a key, the same in every JVM, of a value that
	 * {@link LockRequest#withKey} accepts.
	 * @param value the value
	 * @return the text, which may be blank if the value is
	 * @throws IllegalArgumentException if the value is of a type that cannot be a key, or
	 * contains {@code null} or itself
	 */
	public static String keyOf(Object value) {
		return LockKeyConverter.convert(value);
	}

	private static String tooLong(String what, String text) {
		return "%s has %d characters, more than %d: shorten it, or hash it".formatted(what, text.length(), MAX_LENGTH);
	}

	/**
	 * Written out: a young JVM interprets those of a record, and each lock needs them.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof LockId id && this.name.equals(id.name)
				&& Objects.equals(this.key, id.key) && Objects.equals(this.provider, id.provider));
	}

	@Override
	public int hashCode() {
		return 31 * (31 * this.name.hashCode() + Objects.hashCode(this.key)) + Objects.hashCode(this.provider);
	}

	/**
	 * Return printable text: {@code orders}, {@code orders[42]}, {@code orders@store}.
	 */
	@Override
	public String toString() {
		return PrintableText.of(this.name + ((this.key != null) ? "[" + this.key + "]" : "")
				+ ((this.provider != null) ? "@" + this.provider : ""));
	}

}
