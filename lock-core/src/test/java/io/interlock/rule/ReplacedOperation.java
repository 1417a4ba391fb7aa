package io.interlock.rule;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/** Replaces each use of a member in a method. */
final class ReplacedOperation extends MethodVisitor {

	private final Site site;

	private final Access access;

	private final Name member;

	private final Replacement replacement;

	ReplacedOperation(Site site, MethodVisitor code, Access access, Name member, Replacement replacement) {
		super(Opcodes.ASM9, code);
		this.site = site;
		this.access = access;
		this.member = member;
		this.replacement = replacement;
	}

	@Override
	public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
		if (this.access != Access.CALL || name.equals("<init>") || !this.member.isMethod(owner, name, descriptor)) {
			super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
			return;
		}
		Type type = Type.getObjectType(owner);
		replace(type,
				Replacement.operands((opcode == Opcodes.INVOKESTATIC) ? null : type, Type.getArgumentTypes(descriptor)),
				Type.getReturnType(descriptor), (code, other) -> {
					requireMethod(type, other, descriptor);
					code.visitMethodInsn(opcode, owner, other, descriptor, isInterface);
				});
	}

	@Override
	public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
		boolean read = opcode == Opcodes.GETFIELD || opcode == Opcodes.GETSTATIC;
		if (this.access != (read ? Access.READ : Access.WRITE) || !this.member.isField(owner, name)) {
			super.visitFieldInsn(opcode, owner, name, descriptor);
			return;
		}
		Type type = Type.getObjectType(owner);
		Type value = Type.getType(descriptor);
		boolean isStatic = opcode == Opcodes.GETSTATIC || opcode == Opcodes.PUTSTATIC;
		replace(type, Replacement.operands(isStatic ? null : type, read ? new Type[0] : new Type[] { value }),
				read ? value : Type.VOID_TYPE, (code, other) -> {
					requireField(type, other, descriptor);
					code.visitFieldInsn(opcode, owner, other, descriptor);
				});
	}

	@Override
	public void visitInsn(int opcode) {
		Integer value = (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) ? opcode - Opcodes.ICONST_0 : null;
		if (!replaceConstant(value)) {
			super.visitInsn(opcode);
		}
	}

	@Override
	public void visitIntInsn(int opcode, int operand) {
		if (opcode == Opcodes.NEWARRAY || !replaceConstant(operand)) {
			super.visitIntInsn(opcode, operand);
		}
	}

	@Override
	public void visitLdcInsn(Object value) {
		if (!replaceConstant(value)) {
			super.visitLdcInsn(value);
		}
	}

	/** Replace the value of a field that the compiler has inlined. */
	private boolean replaceConstant(@Nullable Object value) {
		boolean found = this.access == Access.READ && value != null
				&& value.equals(this.site.constant(this.member.name()));
		if (found) {
			Type type = (value instanceof Integer) ? Type.INT_TYPE
					: (value instanceof Long) ? Type.LONG_TYPE : Type.getType(String.class);
			replace(this.site.type(), List.of(), type, (code, other) -> {
				throw new IllegalArgumentException("%s is inlined: give a value".formatted(this.member));
			});
		}
		return found;
	}

	private void replace(Type owner, List<Type> operands, Type result, BiConsumer<MethodVisitor, String> same) {
		this.site.found();
		this.replacement.write(this.mv, new Operation(owner, operands, result, !this.site.isStatic(), same));
	}

	private void requireMethod(Type owner, String name, String descriptor) {
		require(owner, name,
				types(load(owner)).flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
					.filter((method) -> Type.getMethodDescriptor(method).equals(descriptor))
					.map(Method::getName));
	}

	private void requireField(Type owner, String name, String descriptor) {
		require(owner, name,
				types(load(owner)).flatMap((type) -> Arrays.stream(type.getDeclaredFields()))
					.filter((field) -> Type.getDescriptor(field.getType()).equals(descriptor))
					.map(Field::getName));
	}

	private void require(Type owner, String name, Stream<String> names) {
		if (names.noneMatch(name::equals)) {
			throw new IllegalArgumentException(
					"%s has no '%s' that looks like %s".formatted(owner.getClassName(), name, this.member));
		}
	}

	private static Class<?> load(Type type) {
		try {
			return Class.forName(type.getClassName(), false, ReplacedOperation.class.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/** Return a type with all that it inherits from. */
	private static Stream<Class<?>> types(@Nullable Class<?> type) {
		return (type == null) ? Stream.empty()
				: Stream
					.of(Stream.<Class<?>>of(type), types(type.getSuperclass()),
							Arrays.stream(type.getInterfaces()).flatMap(ReplacedOperation::types))
					.flatMap((some) -> some);
	}

}
