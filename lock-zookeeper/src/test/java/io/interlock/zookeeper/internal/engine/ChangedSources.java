package io.interlock.zookeeper.internal.engine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import io.interlock.rule.ChangedTypes;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The types of a package, in main and test code, with changes of their sources. What has
 * changed is compiled in memory, and all types of the packages concerned are loaded once
 * more, so that they see each other.
 */
final class ChangedSources extends ChangedTypes {

	/**
	 * Compile the changes.
	 * @param member a type of the package
	 * @param edits the changes
	 */
	ChangedSources(Class<?> member, List<Edit> edits) {
		super(member.getClassLoader(), packages(member, edits), compile(edited(member, edits)));
	}

	private static Set<String> packages(Class<?> member, List<Edit> edits) {
		Set<String> packages = new HashSet<>(Set.of(member.getPackageName()));
		edits.forEach((edit) -> packages.add(packageOf(member, edit.type())));
		return packages;
	}

	/**
	 * Make the changes.
	 * @param member a type of the package
	 * @param edits the changes
	 * @return the changed sources by the names of their types
	 */
	private static Map<String, String> edited(Class<?> member, List<Edit> edits) {
		Map<String, String> sources = new LinkedHashMap<>();
		for (Edit edit : edits) {
			String source = sources.computeIfAbsent(edit.type(), (type) -> source(packageOf(member, type), type));
			assertThat(source).as("%s of %s has changed: correct the edit", edit.from(), edit.type())
				.contains(edit.from());
			sources.put(edit.type(), source.replace(edit.from(), edit.to()));
		}
		return sources;
	}

	private static String packageOf(Class<?> member, String type) {
		return type.contains(".") ? type.substring(0, type.lastIndexOf('.')) : member.getPackageName();
	}

	private static String source(String name, String type) {
		Path file = Stream.of("../lock-core/src/main/java", "../lock-zookeeper/src/main/java", "src/test/java")
			.map((root) -> Path.of(root, name.replace('.', '/'), type.substring(type.lastIndexOf('.') + 1) + ".java"))
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
		return new SimpleJavaFileObject(
				URI.create("memory:///" + source.getKey().substring(source.getKey().lastIndexOf('.') + 1) + ".java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source.getValue();
			}

		};
	}

	/**
	 * A change of a source.
	 *
	 * @param type the type, with its package if that is another one than the member's
	 * @param from what is there, once or more
	 * @param to what is put in its place
	 */
	record Edit(String type, String from, String to) {

		static Edit in(String type, String from, String to) {
			return new Edit(type, from, to);
		}

	}

}
