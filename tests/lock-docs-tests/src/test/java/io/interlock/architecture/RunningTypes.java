package io.interlock.architecture;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/**
 * Finds out which types of the library run, on any thread: each of their methods notes
 * its type first. Public, because those methods call it.
 */
public final class RunningTypes {

	/**
	 * Properties and endpoints are bound by the names of parameters, which JDK 17 loses
	 * when it transforms a class again (JDK-8240908).
	 */
	private static final Pattern BOUND_BY_NAME = Pattern.compile("io/interlock/(?:\\w+/)?(?:autoconfigure|actuate)/.*");

	private static final Set<String> NOTED = ConcurrentHashMap.newKeySet();

	private static volatile boolean noting;

	private RunningTypes() {
	}

	/**
	 * Return the simple names of the top-level types whose methods run in more than half
	 * of several calls. What a timer or the start does beside some of them is left out,
	 * and what a thread does right behind the end of a call need not be seen in each.
	 */
	static Set<String> duringMost(int calls, Callable<?> call) throws Exception {
		Instrumentation instrumentation = instrumentation();
		ClassFileTransformer transformer = new NotingTransformer();
		instrumentation.addTransformer(transformer, true);
		try {
			retransform(instrumentation);
			Map<String, Integer> seen = new TreeMap<>();
			for (int i = 0; i < calls; i++) {
				during(call).forEach((type) -> seen.merge(type, 1, Integer::sum));
			}
			seen.values().removeIf((times) -> 2 * times <= calls);
			return seen.keySet();
		}
		finally {
			instrumentation.removeTransformer(transformer);
			retransform(instrumentation);
		}
	}

	private static Set<String> during(Callable<?> call) throws Exception {
		NOTED.clear();
		noting = true;
		try {
			call.call();
			return new TreeSet<>(NOTED);
		}
		finally {
			noting = false;
		}
	}

	/**
	 * Return what Mockito has an agent for. By reflection, because that class has
	 * annotations that are not on the class path, and the compiler warns of them.
	 */
	private static Instrumentation instrumentation() throws ReflectiveOperationException {
		return (Instrumentation) Class.forName("net.bytebuddy.agent.ByteBuddyAgent").getMethod("install").invoke(null);
	}

	private static void retransform(Instrumentation instrumentation) throws UnmodifiableClassException {
		instrumentation.retransformClasses(Arrays.stream(instrumentation.getAllLoadedClasses())
			.filter((type) -> isOurs(type.getName().replace('.', '/'), type.getProtectionDomain())
					&& instrumentation.isModifiableClass(type))
			.toArray(Class<?>[]::new));
	}

	private static boolean isOurs(String name, ProtectionDomain domain) {
		return name.startsWith("io/interlock/") && !BOUND_BY_NAME.matcher(name).matches() && isMainClass(domain);
	}

	/** A class that a test generated may come from nowhere. */
	private static boolean isMainClass(ProtectionDomain domain) {
		CodeSource source = (domain != null) ? domain.getCodeSource() : null;
		return source != null && source.getLocation() != null
				&& MainModule.at(source.getLocation().getPath()).isPresent();
	}

	/**
	 * Note that a type runs.
	 * @param type its internal name
	 */
	public static void note(String type) {
		if (noting) {
			String simple = type.substring(type.lastIndexOf('/') + 1);
			int nested = simple.indexOf('$');
			NOTED.add((nested < 0) ? simple : simple.substring(0, nested));
		}
	}

	private static final class NotingTransformer implements ClassFileTransformer {

		@Override
		public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain,
				byte[] bytes) {
			if (name == null || !isOurs(name, domain)) {
				return null;
			}
			ClassReader reader = new ClassReader(bytes);
			ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
			reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {

				@Override
				public MethodVisitor visitMethod(int access, String method, String descriptor, String signature,
						String[] exceptions) {
					MethodVisitor code = super.visitMethod(access, method, descriptor, signature, exceptions);
					return new MethodVisitor(Opcodes.ASM9, code) {

						@Override
						public void visitCode() {
							super.visitCode();
							super.visitLdcInsn(name);
							super.visitMethodInsn(Opcodes.INVOKESTATIC, RunningTypes.class.getName().replace('.', '/'),
									"note", "(Ljava/lang/String;)V", false);
						}

					};
				}

			}, 0);
			return writer.toByteArray();
		}

	}

}
