package io.interlock.benchmark.start;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The classes of the {@link StartApplication} in the form in which a JVM keeps them
 * (AppCDS), made as the page on configuration says.
 *
 * @param file the archive
 * @since 0.1.0
 */
public record ClassArchive(Path file) {

	private static final long SECONDS_TO_CREATE = 120;

	/**
	 * Start an application until its beans are there, and archive what it has loaded.
	 * @param classPath its jars
	 * @param properties its properties, as arguments
	 * @param file where the archive goes
	 * @return the archive
	 */
	public static ClassArchive create(ClassPath classPath, List<String> properties, Path file) {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:ArchiveClassesAtExit=" + file,
				"-Dspring.context.exit=onRefresh", "-cp", classPath.argument(), StartApplication.class.getName()));
		command.addAll(properties);
		try {
			Files.deleteIfExists(file);
			Process process = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(Redirect.appendTo(file.resolveSibling("archive.log").toFile()))
				.start();
			if (!process.waitFor(SECONDS_TO_CREATE, TimeUnit.SECONDS) || !Files.exists(file)) {
				process.destroyForcibly();
				throw new IllegalStateException("No archive was made; archive.log beside %s says why".formatted(file));
			}
			return new ClassArchive(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return the options of a JVM that starts with this archive, and does not start
	 * without it.
	 * @return the options
	 */
	public List<String> jvmOptions() {
		return List.of("-XX:SharedArchiveFile=" + this.file, "-Xshare:on");
	}

}
