package io.interlock.jdbc.autoconfigure;

import java.util.Optional;

import javax.sql.DataSource;

import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.jdbc.JdbcLeaseStoreSettings;
import io.interlock.jdbc.LockDatabase;
import io.interlock.lease.LeaseStoreAddress;
import io.interlock.lease.LeaseStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.util.StringUtils;

/**
 * Creates the store for the product that the database tells.
 */
final class JdbcStoreFactory {

	private final LockConnections connections;

	private final JdbcLockProperties properties;

	private final String namespace;

	private final @Nullable LockTablesInitializer tables;

	/**
	 * Create a factory.
	 * @param tables creates the tables; {@code null} if the application does
	 */
	JdbcStoreFactory(LockConnections connections, JdbcLockProperties properties, String namespace,
			@Nullable LockTablesInitializer tables) {
		this.connections = connections;
		this.properties = properties;
		this.namespace = namespace;
		this.tables = tables;
	}

	/**
	 * Return where the database is, as far as its configuration tells.
	 */
	LeaseStoreAddress configured() {
		String address = DatabaseAddress.configured(this.connections.requests());
		return address(LockDatabase.ofUrl(address).map(LockDatabase::product).orElse("Database"), address);
	}

	/**
	 * Create a store, and the tables if that was not possible before.
	 * @throws LeaseStoreException if the database does not answer, or its clock is not
	 * known
	 */
	JdbcLeaseStore create() {
		Product product = product(this.connections.requests());
		if (this.tables != null) {
			this.tables.completeInitialization();
		}
		JdbcLeaseStoreSettings settings = settings(product, this.properties, this.namespace);
		DataSource listening = settings.telling() ? this.connections.listening(this.properties) : null;
		return new JdbcLeaseStore(this.connections.requests(), this.connections.renewals(), listening, settings,
				address(product.name(), DatabaseAddress.of(product.url())),
				(this.tables != null) ? this.tables.refusal() : null);
	}

	private LeaseStoreAddress address(String store, String url) {
		String tables = JdbcLeaseStore.tables(this.properties.tablePrefix());
		return new LeaseStoreAddress(store, url,
				this.namespace.isEmpty() ? tables : tables + ", namespace " + this.namespace,
				ConnectFailures.PROPERTIES);
	}

	static JdbcLeaseStoreSettings settings(Product product, JdbcLockProperties properties, String namespace) {
		Optional<LockDatabase> database = LockDatabase.ofProduct(product.name());
		String clock = StringUtils.hasText(properties.clock()) ? properties.clock()
				: database.map(LockDatabase::clock).orElseThrow(() -> unknownClock(product));
		boolean telling = database.filter(LockDatabase.POSTGRESQL::equals).isPresent()
				&& !Boolean.FALSE.equals(properties.notifies());
		return new JdbcLeaseStoreSettings(clock, database.map(LockDatabase::returning).orElse(false),
				database.map((known) -> known.skipsLocked(product.major(), product.minor())).orElse(false),
				database.map(LockDatabase::byKey).orElse(""), properties.lease().dividedBy(3), properties.keepUnused(),
				properties.tablePrefix(), telling, namespace,
				database.map((known) -> known.passesOver(product.major(), product.minor())).orElse(false));
	}

	private static LeaseStoreException unknownClock(Product product) {
		return LeaseStoreException.lasting("the clock of %s is not known".formatted(product.name()),
				"Set interlock.jdbc.clock to an SQL expression for the time in milliseconds since the epoch", null);
	}

	private static Product product(DataSource dataSource) {
		try {
			return JdbcUtils.extractDatabaseMetaData(dataSource, (data) -> new Product(data.getDatabaseProductName(),
					data.getDatabaseMajorVersion(), data.getDatabaseMinorVersion(), data.getURL()));
		}
		catch (MetaDataAccessException ex) {
			throw ConnectFailures.translate(ex);
		}
	}

	/**
	 * What a database tells of itself.
	 *
	 * @param name name of the product
	 * @param major its major version
	 * @param minor its minor version
	 * @param url its URL
	 */
	record Product(String name, int major, int minor, String url) {

	}

}
