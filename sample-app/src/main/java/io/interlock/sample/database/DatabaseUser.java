package io.interlock.sample.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

import io.interlock.sample.BoxOfficeProperties;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * The user of other instances, which may read and write rows and nothing else: an
 * administrator of H2 can run any code in this JVM. The generated password is in a file
 * that only the user of this process may read, where a joining instance looks for it.
 *
 * @since 0.1.0
 */
@Component
@ConditionalOnBooleanProperty("sample.database.served")
@DependsOnDatabaseInitialization
public class DatabaseUser implements DisposableBean {

	/** Name of the user. */
	public static final String NAME = "BOX_OFFICE";

	private static final Log logger = LogFactory.getLog(DatabaseUser.class);

	private final Path file;

	/**
	 * Create the user, and write the file.
	 * @param properties the settings
	 * @param jdbc runs as administrator
	 * @param server serves the database, so that only one instance writes the file
	 */
	public DatabaseUser(BoxOfficeProperties properties, JdbcTemplate jdbc, DatabaseServer server) {
		String password = newPassword();
		jdbc.execute("create user if not exists %s password '%s'".formatted(NAME, password));
		jdbc.execute("alter user %s set password '%s'".formatted(NAME, password));
		jdbc.execute("grant select, insert, update, delete on schema public to " + NAME);
		this.file = Path.of(System.getProperty("user.home"), ".interlock-box-office",
				properties.database().name() + ".properties");
		write("sample.database.password=" + password + System.lineSeparator());
		logger.info("Other instances find their password for port %d in %s".formatted(server.port(), this.file));
	}

	private static String newPassword() {
		byte[] random = new byte[24];
		new SecureRandom().nextBytes(random);
		return HexFormat.of().formatHex(random);
	}

	/**
	 * Write the file anew, so that a process that has opened an older one does not read
	 * it.
	 */
	private void write(String text) {
		boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
		try {
			Files.createDirectories(this.file.getParent(), attributes(posix, "rwx------"));
			Files.deleteIfExists(this.file);
			Files.createFile(this.file, attributes(posix, "rw-------"));
			Files.writeString(this.file, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The password for other instances cannot be written to " + this.file, ex);
		}
	}

	private static FileAttribute<?>[] attributes(boolean posix, String permissions) {
		return posix
				? new FileAttribute<?>[] {
						PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)) }
				: new FileAttribute<?>[0];
	}

	/**
	 * Return where the password is.
	 * @return the file
	 */
	public Path file() {
		return this.file;
	}

	@Override
	public void destroy() throws IOException {
		Files.deleteIfExists(this.file);
	}

}
