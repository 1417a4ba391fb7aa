package io.interlock.rule;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * A call, or an access of a field, that takes its operands from the stack.
 *
 * @param operands what is on the stack, the target first
 * @param result what is on the stack afterwards
 * @param caller whether {@code this} is there
 * @param same writes the operation with another name
 */
record Operation(List<Type> operands, Type result, boolean caller, BiConsumer<MethodVisitor, String> same) {

	/** Return what is on the stack, with a target or without. */
	static List<Type> operands(@Nullable Type target, Type... others) {
		return Stream.concat(Stream.ofNullable(target), Arrays.stream(others)).toList();
	}

	/** Return the operation as a method that takes its operands would look. */
	String descriptor() {
		return Type.getMethodDescriptor(this.result, this.operands.toArray(Type[]::new));
	}

}
