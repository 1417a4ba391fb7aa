package io.interlock.jdbc.autoconfigure;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DatabaseAddress}.
 */
class DatabaseAddressTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jdbc:postgresql://db:5432/shop                           | jdbc:postgresql://db:5432/shop
			jdbc:postgresql://db/shop?user=app&password=s3cret       | jdbc:postgresql://db/shop
			jdbc:postgresql://db/shop?mail=a@b                       | jdbc:postgresql://db/shop
			jdbc:mysql://app:s3cret@db/shop                          | jdbc:mysql://db/shop
			jdbc:mysql://app:s3@cret@db/shop?x=y                     | jdbc:mysql://db/shop
			jdbc:h2:mem:shop;USER=sa;PASSWORD=s3cret                 | jdbc:h2:mem:shop
			jdbc:sqlserver://db:1433;databaseName=shop;password=s3cr | jdbc:sqlserver://db:1433
			jdbc:oracle:thin:app/s3cret@//db:1521/shop               | jdbc:oracle:thin://db:1521/shop
			jdbc:oracle:thin:@db:1521:shop                           | jdbc:oracle:thin:db:1521:shop
			""")
	void addressHasNoCredentials(String url, String address) {
		assertThat(DatabaseAddress.of(url)).isEqualTo(address);
	}

	@Test
	void addressOfPoolIsKnownWithoutConnection() {
		assertThat(DatabaseAddress.configured(new SimpleDriverDataSource(null, "jdbc:mysql://app:s3cret@db/shop")))
			.isEqualTo("jdbc:mysql://db/shop");
	}

	@Test
	void otherDataSourcesAreToldByTheirType() {
		DataSource unknown = new DelegatingDataSource(mock(AbstractDataSource.class));
		assertThat(DatabaseAddress.configured(unknown)).isEqualTo("DelegatingDataSource");
	}

}
