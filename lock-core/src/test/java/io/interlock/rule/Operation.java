package io.interlock.rule;

import java.util.List;
import java.util.function.BiConsumer;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Type;

/**
 * A call, or an access of a field, that takes its operands from the stack.
 *
 * @param owner the type with the method or field
 * @param operands what is on the stack, the target first
 * @param result what is on the stack afterwards
 * @param caller whether {@code this} is there
 * @param same writes the operation with another name
 */
record Operation(Type owner, List<Type> operands, Type result, boolean caller, BiConsumer<MethodVisitor, String> same) {

	/** Return the operation as a method that takes its operands would look. */
	String descriptor() {
		return Type.getMethodDescriptor(this.result, this.operands.toArray(Type[]::new));
	}

}
