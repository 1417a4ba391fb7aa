package io.interlock.rule;

import java.util.HashMap;
import java.util.Map;

import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/** Finds the methods of a type that a change names. */
final class ChangedType extends ClassVisitor {

	private final Name method;

	private final Change.Edit edit;

	private final Map<String, Object> constants = new HashMap<>();

	private Type type = Type.VOID_TYPE;

	private int methods;

	private boolean hasFound;

	ChangedType(ClassVisitor next, Name method, Change.Edit edit) {
		super(Opcodes.ASM9, next);
		this.method = method;
		this.edit = edit;
	}

	@Override
	public void visit(int version, int access, String name, @Nullable String signature, @Nullable String superName,
			String @Nullable [] interfaces) {
		this.type = Type.getObjectType(name);
		super.visit(version, access, name, signature, superName, interfaces);
	}

	@Override
	public @Nullable FieldVisitor visitField(int access, String name, String descriptor, @Nullable String signature,
			@Nullable Object value) {
		if (value != null) {
			this.constants.put(name, value);
		}
		return super.visitField(access, name, descriptor, signature, value);
	}

	@Override
	public @Nullable MethodVisitor visitMethod(int access, String name, String descriptor, @Nullable String signature,
			String @Nullable [] exceptions) {
		MethodVisitor code = super.visitMethod(access, name, descriptor, signature, exceptions);
		boolean named = (access & Opcodes.ACC_ABSTRACT) == 0
				&& this.method.isMethod(this.type.getInternalName(), name, descriptor);
		this.methods += named ? 1 : 0;
		if (code == null || !(named || this.method.isLambdaInside(name))) {
			return code;
		}
		return this.edit
			.apply(new Site(this.type, access, name, descriptor, this.constants, () -> this.hasFound = true), code);
	}

	int methods() {
		return this.methods;
	}

	boolean hasFound() {
		return this.hasFound;
	}

}
