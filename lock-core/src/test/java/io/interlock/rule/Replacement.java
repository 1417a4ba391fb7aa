package io.interlock.rule;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/**
 * What is done instead of an operation, whose operands are on the stack.
 */
@FunctionalInterface
interface Replacement {

	void write(MethodVisitor code, Operation operation);

	/** Do nothing; the result is {@code null}, zero or {@code false}. */
	static Replacement nothing() {
		return (code, operation) -> {
			pop(code, operation.operands());
			pushDefault(code, operation.result());
		};
	}

	static Replacement constant(@Nullable Object value) {
		return (code, operation) -> {
			pop(code, operation.operands());
			push(code, operation.result(), value);
		};
	}

	/** Do the same with another method or field of the type, which looks the same. */
	static Replacement member(String name) {
		return (code, operation) -> operation.same().accept(code, name);
	}

	/**
	 * Call a static method with the operands, and with the calling object if it has one
	 * more parameter.
	 */
	static Replacement method(Class<?> type, String name) {
		return (code, operation) -> {
			Method method = find(type, name, operation);
			if (method.getParameterCount() > operation.operands().size()) {
				code.visitVarInsn(Opcodes.ALOAD, 0);
			}
			code.visitMethodInsn(Opcodes.INVOKESTATIC, Type.getInternalName(type), name,
					Type.getMethodDescriptor(method), type.isInterface());
		};
	}

	private static Method find(Class<?> type, String name, Operation operation) {
		int count = operation.operands().size();
		return Arrays.stream(type.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name) && Modifier.isStatic(method.getModifiers())
					&& !Modifier.isPrivate(method.getModifiers())
					&& Type.getType(method.getReturnType()).getSort() == operation.result().getSort()
					&& (method.getParameterCount() == count
							|| (method.getParameterCount() == count + 1 && operation.caller())))
			.findFirst()
			.orElseThrow(
					() -> new IllegalArgumentException("%s has no static method '%s' that could take the place of %s"
						.formatted(type.getSimpleName(), name, operation.descriptor())));
	}

	private static void pop(MethodVisitor code, List<Type> operands) {
		for (int i = operands.size() - 1; i >= 0; i--) {
			code.visitInsn((operands.get(i).getSize() == 2) ? Opcodes.POP2 : Opcodes.POP);
		}
	}

	private static void pushDefault(MethodVisitor code, Type type) {
		switch (type.getSort()) {
			case Type.VOID -> {
			}
			case Type.BOOLEAN -> push(code, type, false);
			case Type.INT -> push(code, type, 0);
			case Type.LONG -> push(code, type, 0L);
			default -> push(code, type, null);
		}
	}

	private static void push(MethodVisitor code, Type type, @Nullable Object value) {
		boolean reference = type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY;
		if (reference && value == null) {
			code.visitInsn(Opcodes.ACONST_NULL);
		}
		else if (reference && value instanceof Enum<?> constant) {
			String owner = Type.getInternalName(constant.getDeclaringClass());
			code.visitFieldInsn(Opcodes.GETSTATIC, owner, constant.name(), "L" + owner + ";");
		}
		else if (type.getSort() == Type.BOOLEAN && value instanceof Boolean flag) {
			code.visitInsn(flag ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
		}
		else if ((type.getSort() == Type.INT && value instanceof Integer)
				|| (type.getSort() == Type.LONG && value instanceof Long) || (reference && value instanceof String)) {
			code.visitLdcInsn(value);
		}
		else {
			throw new IllegalArgumentException("%s is no %s".formatted(value, type.getClassName()));
		}
	}

	/** Return the types that an instance method finds on the stack. */
	static List<Type> operands(@Nullable Type target, Type... others) {
		return Stream.concat(Stream.ofNullable(target), Arrays.stream(others)).toList();
	}

}
