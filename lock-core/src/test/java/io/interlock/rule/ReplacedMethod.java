package io.interlock.rule;

import java.util.List;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/** Writes other code of a method, and drops its own. */
final class ReplacedMethod extends MethodVisitor {

	private final Site site;

	private final MethodVisitor code;

	private final Replacement replacement;

	ReplacedMethod(Site site, MethodVisitor code, Replacement replacement) {
		super(Opcodes.ASM9);
		this.site = site;
		this.code = code;
		this.replacement = replacement;
	}

	@Override
	public void visitCode() {
		Type result = Type.getReturnType(this.site.descriptor());
		List<Type> operands = Replacement.operands(this.site.isStatic() ? null : this.site.type(),
				Type.getArgumentTypes(this.site.descriptor()));
		this.site.found();
		this.code.visitCode();
		int local = 0;
		for (Type operand : operands) {
			this.code.visitVarInsn(operand.getOpcode(Opcodes.ILOAD), local);
			local += operand.getSize();
		}
		this.replacement.write(this.code, new Operation(this.site.type(), operands, result, false, (code, name) -> {
			throw new UnsupportedOperationException();
		}));
		this.code.visitInsn(result.getOpcode(Opcodes.IRETURN));
		this.code.visitMaxs(0, 0);
	}

	@Override
	public void visitEnd() {
		this.code.visitEnd();
	}

}
