package io.interlock.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import io.interlock.testsupport.promise.Fault;
import io.interlock.testsupport.promise.Promise;
import io.interlock.testsupport.promise.Proves;
import io.interlock.testsupport.tier.Deep;

/**
 * What a test says with {@link Proves} and {@link Deep}. It is read from the source
 * files, because the tests of other modules are not on the class path of this one.
 *
 * @param promise the promise that the test proves
 * @param fault the fault that it causes
 * @param note what the name of the method does not say, may be empty
 * @param file the source file, relative to the root directory
 * @param method the name of the method
 * @param deep whether the test runs in the deep tier only
 */
record Proof(Promise promise, Fault fault, String note, Path file, String method, boolean deep) {

	private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

	/** The module whose integration tests run in the deep tier only. */
	private static final Path DEEP_MODULE = Path.of("tests", "lock-faults");

	/**
	 * Return what all tests of all modules say, in the order of their classes.
	 */
	static List<Proof> all() throws IOException {
		return in(sources());
	}

	/**
	 * Return what the tests of the source files say.
	 */
	static List<Proof> in(List<Path> files) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		List<Proof> proofs = new ArrayList<>();
		try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
			JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
					manager.getJavaFileObjectsFromPaths(files));
			for (CompilationUnitTree unit : task.parse()) {
				new Reader(proofs).scan(unit, ROOT.relativize(Path.of(unit.getSourceFile().toUri())));
			}
		}
		return proofs;
	}

	String className() {
		return this.file.getFileName().toString().replace(".java", "");
	}

	private static List<Path> sources() throws IOException {
		return Modules.in(ROOT)
			.map((module) -> module.resolve(Path.of("src", "test", "java")))
			.filter(Files::isDirectory)
			.flatMap(Proof::javaFiles)
			.sorted(Comparator.comparing(Path::getFileName).thenComparing(Comparator.naturalOrder()))
			.toList();
	}

	private static Stream<Path> javaFiles(Path directory) {
		try (Stream<Path> files = Files.walk(directory)) {
			return files.filter((file) -> file.toString().endsWith(".java")).filter(Proof::isProving).toList().stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isProving(Path file) {
		try {
			return Files.readString(file).contains("@Proves(");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Reads the annotations of the methods of a source file.
	 */
	private static final class Reader extends TreeScanner<Void, Path> {

		private final List<Proof> proofs;

		private boolean deep;

		private Reader(List<Proof> proofs) {
			this.proofs = proofs;
		}

		@Override
		public Void visitCompilationUnit(CompilationUnitTree unit, Path file) {
			this.deep = file.startsWith(DEEP_MODULE) && file.toString().endsWith("IT.java");
			return super.visitCompilationUnit(unit, file);
		}

		@Override
		public Void visitClass(ClassTree type, Path file) {
			boolean enclosing = this.deep;
			this.deep = enclosing || isDeep(type.getModifiers());
			super.visitClass(type, file);
			this.deep = enclosing;
			return null;
		}

		@Override
		public Void visitMethod(MethodTree method, Path file) {
			for (AnnotationTree annotation : method.getModifiers().getAnnotations()) {
				if (annotation.getAnnotationType().toString().equals("Proves")) {
					this.proofs.add(proof(annotation, file, method));
				}
			}
			return super.visitMethod(method, file);
		}

		private Proof proof(AnnotationTree annotation, Path file, MethodTree method) {
			return new Proof(Promise.valueOf(constant(annotation, "value", "")),
					Fault.valueOf(constant(annotation, "under", Fault.NONE.name())), text(annotation, "note"), file,
					method.getName().toString(), this.deep || isDeep(method.getModifiers()));
		}

		private boolean isDeep(ModifiersTree modifiers) {
			return modifiers.getAnnotations().stream().anyMatch(this::isDeep);
		}

		private boolean isDeep(AnnotationTree annotation) {
			return switch (annotation.getAnnotationType().toString()) {
				case "Deep" -> true;
				case "Tag" -> text(annotation, "value").equals("deep");
				default -> false;
			};
		}

		private String constant(AnnotationTree annotation, String attribute, String defaultValue) {
			ExpressionTree value = value(annotation, attribute);
			return (value instanceof MemberSelectTree constant) ? constant.getIdentifier().toString() : defaultValue;
		}

		private String text(AnnotationTree annotation, String attribute) {
			return (value(annotation, attribute) instanceof LiteralTree text) ? text.getValue().toString() : "";
		}

		private ExpressionTree value(AnnotationTree annotation, String attribute) {
			for (ExpressionTree argument : annotation.getArguments()) {
				if (!(argument instanceof AssignmentTree assignment)) {
					return attribute.equals("value") ? argument : null;
				}
				if (assignment.getVariable().toString().equals(attribute)) {
					return assignment.getExpression();
				}
			}
			return null;
		}

	}

}
