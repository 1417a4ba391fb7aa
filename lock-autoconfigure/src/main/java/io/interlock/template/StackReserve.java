package io.interlock.template;

import java.lang.invoke.MethodHandles;
import java.util.function.IntConsumer;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Label;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/**
 * Makes sure that a thread has the stack to give back what it is about to take. A stack
 * that overflows while a hold is being begun or ended would leave it half done, so it
 * overflows here instead, before anything has changed.
 * <p>
 * A method needs the stack of all its variables when it is entered, also of those that it
 * never uses. The interpreter takes that stack, and compiled code makes sure that the
 * interpreter could go on from there ({@code Compile::bang_size_in_bytes} of HotSpot). So
 * a call of a method with thousands of variables reserves the stack in a few nanoseconds.
 * That method is generated, because its source would be thousands of names. Where no
 * class can be generated, as in a native image, recursion takes the stack instead, in a
 * microsecond or two.
 */
final class StackReserve {

	/**
	 * As many variables of eight bytes as the calls that send a release and log a line
	 * about it take in the interpreter, or more.
	 */
	private static final int VARIABLES = 2700;

	/**
	 * Frames of the recursion that take as much stack. Compiled, a frame takes a sixth of
	 * what the interpreter gives it.
	 */
	private static final int FRAMES = 400;

	private static final IntConsumer TO_BEGIN = reserve(VARIABLES + VARIABLES / 2, FRAMES + FRAMES / 2);

	private static final IntConsumer TO_END = reserve(VARIABLES, FRAMES);

	/**
	 * How often the generated method calls itself. No constant: the compiled code of a
	 * method that certainly calls nothing might need no stack.
	 */
	private static int calls;

	private StackReserve() {
	}

	/**
	 * Make sure that a hold can be begun, and ended from the calling frame.
	 * @throws StackOverflowError if there is not enough stack
	 */
	static void ensureToBegin() {
		TO_BEGIN.accept(calls);
	}

	/**
	 * Make sure that a hold can be ended. Takes less than to begin it.
	 * @throws StackOverflowError if there is not enough stack
	 */
	static void ensureToEnd() {
		TO_END.accept(calls);
	}

	private static IntConsumer reserve(int variables, int frames) {
		try {
			return wideMethod(variables);
		}
		catch (ReflectiveOperationException | RuntimeException | Error ex) {
			return recursion(frames);
		}
	}

	static IntConsumer recursion(int frames) {
		return (none) -> descend(frames, 1, 2, 3, 4, 5, 6, 7);
	}

	// The arguments only take stack.
	private static long descend(int frames, long a, long b, long c, long d, long e, long f, long g) {
		return (frames == 0) ? a : descend(frames - 1, b, c, d, e, f, g, a) + frames;
	}

	/**
	 * Generate {@code void accept(int calls) { if (calls != 0) accept(calls - 1); }} with
	 * further variables.
	 */
	private static IntConsumer wideMethod(int variables) throws ReflectiveOperationException {
		String name = StackReserve.class.getName().replace('.', '/') + "Frame";
		ClassWriter type = new ClassWriter(0);
		type.visit(Opcodes.V17, Opcodes.ACC_FINAL | Opcodes.ACC_SUPER, name, null, "java/lang/Object",
				new String[] { "java/util/function/IntConsumer" });
		MethodVisitor constructor = type.visitMethod(0, "<init>", "()V", null, null);
		constructor.visitCode();
		constructor.visitVarInsn(Opcodes.ALOAD, 0);
		constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
		constructor.visitInsn(Opcodes.RETURN);
		constructor.visitMaxs(1, 1);
		constructor.visitEnd();
		MethodVisitor accept = type.visitMethod(Opcodes.ACC_PUBLIC, "accept", "(I)V", null, null);
		Label end = new Label();
		accept.visitCode();
		accept.visitVarInsn(Opcodes.ILOAD, 1);
		accept.visitJumpInsn(Opcodes.IFEQ, end);
		accept.visitVarInsn(Opcodes.ALOAD, 0);
		accept.visitVarInsn(Opcodes.ILOAD, 1);
		accept.visitInsn(Opcodes.ICONST_1);
		accept.visitInsn(Opcodes.ISUB);
		accept.visitMethodInsn(Opcodes.INVOKEVIRTUAL, name, "accept", "(I)V", false);
		accept.visitLabel(end);
		accept.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
		accept.visitInsn(Opcodes.RETURN);
		accept.visitMaxs(3, variables);
		accept.visitEnd();
		type.visitEnd();
		Class<?> hidden = MethodHandles.lookup().defineHiddenClass(type.toByteArray(), true).lookupClass();
		return (IntConsumer) hidden.getDeclaredConstructor().newInstance();
	}

}
