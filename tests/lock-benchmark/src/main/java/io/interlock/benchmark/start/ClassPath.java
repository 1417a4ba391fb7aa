package io.interlock.benchmark.start;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The jars that an application has beside its own classes.
 *
 * @param jars the jars
 * @since 0.1.0
 */
public record ClassPath(List<Path> jars) {

	private static final Pattern NATIVE_LIBRARY = Pattern.compile(".*\\.(so|dll|dylib|jnilib)");

	private static final double BYTES_PER_MEGABYTE = 1_000_000;

	/**
	 * Read the class path that the build resolved. A module that the build has not
	 * packaged is packaged here, so that an application is loaded from jars only.
	 * @param name its name
	 * @param directory where packaged modules go
	 * @return the class path
	 */
	public static ClassPath of(String name, Path directory) {
		try (InputStream file = ClassPath.class.getResourceAsStream(name + ".classpath")) {
			if (file == null) {
				throw new IllegalStateException(
						"The build wrote no class path '%s'. Run the benchmark with -Pbenchmark and -am"
							.formatted(name));
			}
			Files.createDirectories(directory);
			String entries = new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
			List<Path> jars = new ArrayList<>();
			for (String entry : entries.split(File.pathSeparator)) {
				Path path = Path.of(entry);
				jars.add(Files.isDirectory(path) ? pack(path, directory) : path);
			}
			return new ClassPath(jars);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The class path '%s' cannot be read".formatted(name), ex);
		}
	}

	/** The directory is {@code target/classes} of a module. */
	private static Path pack(Path classes, Path directory) {
		Path module = classes.resolve(Path.of("..", "..")).normalize();
		Path jar = directory.resolve(module.getFileName() + ".jar");
		int status = ToolProvider.findFirst("jar")
			.orElseThrow(() -> new IllegalStateException("This Java has no jar tool. Run the benchmark with a JDK"))
			.run(System.err, System.err, "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
		if (status != 0) {
			throw new IllegalStateException("%s could not be packaged".formatted(classes));
		}
		return jar;
	}

	/**
	 * Return what this class path adds to another one.
	 * @param other the other one
	 * @return the jars that only this one has
	 */
	public ClassPath without(ClassPath other) {
		return new ClassPath(this.jars.stream().filter((jar) -> !other.jars.contains(jar)).toList());
	}

	/**
	 * Return this class path without one jar.
	 * @param artifact the artifact of the jar
	 * @return the other jars
	 */
	public ClassPath withoutJar(String artifact) {
		List<Path> others = this.jars.stream()
			.filter((jar) -> !jar.getFileName().toString().startsWith(artifact + "-"))
			.toList();
		if (others.size() != this.jars.size() - 1) {
			throw new IllegalStateException("Not one jar, but %d of artifact '%s' in %s"
				.formatted(this.jars.size() - others.size(), artifact, this.jars));
		}
		return new ClassPath(others);
	}

	/**
	 * Return the size of the jars.
	 * @return the size in MB of 1,000,000 bytes
	 */
	public double megabytes() {
		return this.jars.stream().mapToLong(ClassPath::size).sum() / BYTES_PER_MEGABYTE;
	}

	/**
	 * Return the size of the native libraries in the jars.
	 * @return their compressed size in MB of 1,000,000 bytes
	 */
	public double nativeMegabytes() {
		return sumOfNative(ZipEntry::getCompressedSize) / BYTES_PER_MEGABYTE;
	}

	/**
	 * Return how many native libraries the jars have.
	 * @return their number
	 */
	public long nativeLibraries() {
		return sumOfNative((library) -> 1);
	}

	private long sumOfNative(ToLongFunction<ZipEntry> property) {
		return this.jars.stream().mapToLong((jar) -> {
			try (ZipFile zip = new ZipFile(jar.toFile())) {
				return zip.stream()
					.filter((entry) -> NATIVE_LIBRARY.matcher(entry.getName()).matches())
					.mapToLong(property)
					.sum();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}).sum();
	}

	/**
	 * Return this class path behind the classes of an application. They are packaged: an
	 * archive of classes holds those of jars only.
	 * @param type a class of the application
	 * @param directory where its jar goes
	 * @return the jar and those of this class path
	 */
	public ClassPath below(Class<?> type, Path directory) {
		try {
			Path classes = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
			List<Path> all = new ArrayList<>(List.of(pack(classes, directory)));
			all.addAll(this.jars);
			return new ClassPath(all);
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return this class path as a JVM takes it.
	 * @return the jars, separated
	 */
	public String argument() {
		return this.jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * Return the size of a jar.
	 * @param jar the jar
	 * @return its size in bytes
	 */
	public static long size(Path jar) {
		try {
			return Files.size(jar);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
