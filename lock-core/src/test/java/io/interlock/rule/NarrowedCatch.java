package io.interlock.rule;

import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import org.jspecify.annotations.Nullable;

/** Lets a method catch fewer exceptions. */
final class NarrowedCatch extends MethodVisitor {

	private final Site site;

	private final String from;

	private final String to;

	NarrowedCatch(Site site, MethodVisitor code, Class<?> from, Class<?> to) {
		super(Opcodes.ASM9, code);
		this.site = site;
		this.from = Type.getInternalName(from);
		this.to = Type.getInternalName(to);
	}

	@Override
	public void visitTryCatchBlock(Label start, Label end, Label handler, @Nullable String type) {
		boolean found = this.from.equals(type);
		if (found) {
			this.site.found();
		}
		super.visitTryCatchBlock(start, end, handler, found ? this.to : type);
	}

}
