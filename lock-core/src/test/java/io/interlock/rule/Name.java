package io.interlock.rule;

import java.util.Arrays;
import java.util.stream.Collectors;

import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * The name of a method or a field, with its type before a dot, and the types of its
 * parameters behind it, if others have the same name: {@code Map.remove(Object)}. Types
 * go by their simple names.
 */
record Name(@Nullable String owner, String name, @Nullable String parameters) {

	static Name parse(String text) {
		int bracket = text.indexOf('(');
		String path = (bracket < 0) ? text : text.substring(0, bracket);
		int dot = path.lastIndexOf('.');
		return new Name((dot < 0) ? null : path.substring(0, dot), path.substring(dot + 1),
				(bracket < 0) ? null : text.substring(bracket).replace(" ", ""));
	}

	/** Return whether this may be a method of a type. */
	boolean isMethod(String internalType, String name, String descriptor) {
		return isField(internalType, name)
				&& (this.parameters == null || this.parameters.equals(parametersOf(descriptor)));
	}

	boolean isField(String internalType, String name) {
		return this.name.equals(name) && (this.owner == null || this.owner.equals(simple(internalType)));
	}

	/**
	 * Return whether a method was made of a lambda expression in the one of this name.
	 */
	boolean isLambdaInside(String name) {
		return name.startsWith("lambda$" + (this.name.equals("<init>") ? "new" : this.name) + "$");
	}

	private static String parametersOf(String descriptor) {
		return Arrays.stream(Type.getArgumentTypes(descriptor))
			.map((type) -> simple(type.getClassName()))
			.collect(Collectors.joining(",", "(", ")"));
	}

	private static String simple(String type) {
		return type
			.substring(Math.max(Math.max(type.lastIndexOf('/'), type.lastIndexOf('.')), type.lastIndexOf('$')) + 1);
	}

	@Override
	public String toString() {
		return ((this.owner != null) ? this.owner + "." : "") + this.name
				+ ((this.parameters != null) ? this.parameters : "");
	}

}
