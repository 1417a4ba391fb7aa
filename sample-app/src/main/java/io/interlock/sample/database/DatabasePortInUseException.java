package io.interlock.sample.database;

/**
 * Thrown when the database cannot be served because its port is taken.
 */
class DatabasePortInUseException extends RuntimeException {

	private final int port;

	DatabasePortInUseException(int port, Throwable cause) {
		super("Port %d of 'sample.database.port' cannot be opened".formatted(port), cause);
		this.port = port;
	}

	int port() {
		return this.port;
	}

}
