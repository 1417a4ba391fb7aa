package io.interlock.zookeeper.internal.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The engine and its simulation with one rule switched off: the sources that the rule
 * names are changed and compiled in memory, and all types of the package are loaded once
 * more, so that they see each other.
 */
final class EngineWithoutRule extends ClassLoader {

	private static final String PACKAGE = EngineWithoutRule.class.getPackageName();

	private static final List<Path> SOURCES = Stream.of("src/main/java", "src/test/java")
		.map((root) -> Path.of(root, PACKAGE.replace('.', '/')))
		.toList();

	private final EngineRule rule;

	private final Map<String, byte[]> changed;

	EngineWithoutRule(EngineRule rule) {
		super(EngineWithoutRule.class.getClassLoader());
		this.rule = rule;
		this.changed = compile(edited(rule));
	}

	/**
	 * Run schedules until one violates a promise.
	 * @param schedules how many at the most
	 * @return number of the schedules that it took and what was violated; empty if
	 * nothing was
	 */
	Map<Integer, String> hunt(int schedules) throws ReflectiveOperationException {
		Method method = loadClass(Simulation.class.getName()).getDeclaredMethod("hunt", int.class, List.class);
		method.setAccessible(true);
		@SuppressWarnings("unchecked")
		Map<Integer, String> found = (Map<Integer, String>) method.invoke(null, schedules,
				this.rule.focus.stream().map(Enum::name).toList());
		return found;
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (!name.startsWith(PACKAGE + ".")) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : define(name);
		}
	}

	private Class<?> define(String name) throws ClassNotFoundException {
		byte[] code = this.changed.get(name);
		if (code == null) {
			try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
				if (file == null) {
					throw new ClassNotFoundException(name);
				}
				code = file.readAllBytes();
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}
		return defineClass(name, code, 0, code.length);
	}

	static Map<String, String> edited(EngineRule rule) {
		Map<String, String> sources = new LinkedHashMap<>();
		for (EngineRule.Edit edit : rule.edits) {
			String source = sources.computeIfAbsent(edit.type(), EngineWithoutRule::source);
			assertThat(source).as("%s of %s has changed: correct the edit of %s", edit.from(), edit.type(), rule)
				.contains(edit.from());
			sources.put(edit.type(), source.replace(edit.from(), edit.to()));
		}
		return sources;
	}

	private static String source(String type) {
		Path file = SOURCES.stream()
			.map((directory) -> directory.resolve(type + ".java"))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow();
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Map<String, byte[]> compile(Map<String, String> sources) {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		Map<String, ByteArrayOutputStream> compiled = new HashMap<>();
		JavaFileManager files = new ForwardingJavaFileManager<>(compiler.getStandardFileManager(null, null, null)) {

			@Override
			public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
					FileObject sibling) {
				return new SimpleJavaFileObject(URI.create("memory:///" + name + ".class"), kind) {

					@Override
					public OutputStream openOutputStream() {
						return compiled.computeIfAbsent(name, (added) -> new ByteArrayOutputStream());
					}

				};
			}

		};
		List<SimpleJavaFileObject> units = sources.entrySet().stream().map((source) -> unit(source)).toList();
		List<String> options = List.of("-classpath", System.getProperty("java.class.path"), "-proc:none", "-nowarn");
		assertThat(compiler.getTask(null, files, null, options, null, units).call()).isTrue();
		Map<String, byte[]> code = new HashMap<>();
		compiled.forEach((name, bytes) -> code.put(name, bytes.toByteArray()));
		return code;
	}

	private static SimpleJavaFileObject unit(Map.Entry<String, String> source) {
		return new SimpleJavaFileObject(URI.create("memory:///" + source.getKey() + ".java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source.getValue();
			}

		};
	}

}
