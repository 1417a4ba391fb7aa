package io.interlock.rule;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import org.jspecify.annotations.Nullable;

/**
 * A change of what one method does, which switches a rule off. It names the method, and
 * what is skipped or replaced inside: {@code in(NodeGrant.class,
 * "release").call("deregister").isSkipped()}. The lambda expressions of a method belong
 * to it; a method reference is not seen as a call. Names are explained by {@link Name};
 * {@code <init>} is a constructor.
 */
public final class Change {

	private final String type;

	private final Name method;

	/** What is changed inside the method, or {@code null} if all of it is. */
	private final @Nullable String what;

	private final Edit edit;

	private Change(String type, Name method, @Nullable String what, Edit edit) {
		this.type = type;
		this.method = method;
		this.what = what;
		this.edit = edit;
	}

	/** Change a method as a whole. */
	public static Replaced of(Class<?> type, String method) {
		Name name = Name.parse(method);
		return new Replaced((replacement) -> new Change(type.getName(), name, null,
				(site, code) -> site.isLambda() ? code : new ReplacedMethod(site, code, replacement)));
	}

	/** Change something inside a method. */
	public static Inside in(Class<?> type, String method) {
		return in(type.getName(), method);
	}

	/** Change something inside a method of a type that is not visible. */
	public static Inside in(String type, String method) {
		return new Inside(type, Name.parse(method));
	}

	String type() {
		return this.type;
	}

	byte[] apply(byte[] code) {
		ClassReader reader = new ClassReader(code);
		ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
		ChangedType changed = new ChangedType(writer, this.method, this.edit);
		reader.accept(changed, 0);
		if (changed.methods() == 0) {
			throw new IllegalArgumentException("%s has no method '%s'".formatted(this.type, this.method));
		}
		if (this.what == null && changed.methods() > 1) {
			throw new IllegalArgumentException("%s has %d methods '%s': name the types of their parameters"
				.formatted(this.type, changed.methods(), this.method));
		}
		if (!changed.hasFound()) {
			throw new IllegalArgumentException("There is no %s in %s.%s".formatted(this.what, this.type, this.method));
		}
		return writer.toByteArray();
	}

	@Override
	public String toString() {
		return "change of %s%s.%s".formatted((this.what != null) ? "the " + this.what + " in " : "", this.type,
				this.method);
	}

	/** Makes the change in one method, or in one of its lambda expressions. */
	@FunctionalInterface
	interface Edit {

		MethodVisitor apply(Site site, MethodVisitor code);

	}

	@FunctionalInterface
	private interface Replacing {

		Change with(Replacement replacement);

	}

	/** A method, and what is inside. */
	public static final class Inside {

		private final String type;

		private final Name method;

		private Inside(String type, Name method) {
			this.type = type;
			this.method = method;
		}

		/** Change all calls of a method. */
		public Member call(String method) {
			return member(Access.CALL, method);
		}

		/** Change all reads of a field, also of a constant that the compiler inlines. */
		public Member read(String field) {
			return member(Access.READ, field);
		}

		/** Leave all writes of a field out. */
		public Change skipsWrite(String field) {
			return member(Access.WRITE, field).isSkipped();
		}

		/** Catch fewer exceptions. */
		public <T> Change narrowsCatch(Class<T> type, Class<? extends T> insteadOf) {
			return new Change(this.type, this.method, "catch of " + type.getSimpleName(),
					(site, code) -> new NarrowedCatch(site, code, type, insteadOf));
		}

		private Member member(Access access, String name) {
			Name member = Name.parse(name);
			return new Member((replacement) -> new Change(this.type, this.method, access.text() + " of " + member,
					(site, code) -> new ReplacedOperation(site, code, access, member, replacement)));
		}

	}

	/** What is replaced. */
	public static sealed class Replaced permits Member {

		private final Replacing change;

		private Replaced(Replacing change) {
			this.change = change;
		}

		/** Do nothing; the answer is {@code null}, zero or {@code false}. */
		public Change isSkipped() {
			return with(Replacement.nothing());
		}

		/** Give {@code null}, a number, a boolean, a string or a constant of an enum. */
		public Change gives(@Nullable Object constant) {
			return with(Replacement.constant(constant));
		}

		/**
		 * Call a static method instead. It gets the target and the arguments, and the
		 * object that calls, if it has one more parameter.
		 */
		public Change goesTo(Class<?> type, String method) {
			return with(Replacement.method(type, method));
		}

		final Change with(Replacement replacement) {
			return this.change.with(replacement);
		}

	}

	/** A method or a field that is called or read. */
	public static final class Member extends Replaced {

		private Member(Replacing change) {
			super(change);
		}

		/** Use another member of the same type, with the same types. */
		public Change goesTo(String name) {
			return with(Replacement.member(name));
		}

	}

}
