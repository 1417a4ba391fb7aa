package io.interlock.rule;

import java.util.Map;

import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * A method that is changed, or a lambda expression inside of it.
 *
 * @param constants the values of the type's fields that the compiler inlines
 * @param onFound run for all that is changed
 */
record Site(Type type, int access, String name, String descriptor, Map<String, Object> constants, Runnable onFound) {

	boolean isStatic() {
		return (this.access & Opcodes.ACC_STATIC) != 0;
	}

	boolean isLambda() {
		return this.name.startsWith("lambda$");
	}

	@Nullable Object constant(String field) {
		return this.constants.get(field);
	}

	void found() {
		this.onFound.run();
	}

}
