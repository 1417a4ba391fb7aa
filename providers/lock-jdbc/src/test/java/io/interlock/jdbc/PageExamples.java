package io.interlock.jdbc;

import javax.sql.DataSource;

import io.interlock.jdbc.autoconfigure.LockDataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The example of {@code docs/providers.md}. It compiles.
 */
final class PageExamples {

	private PageExamples() {
	}

	@Configuration(proxyBeanMethods = false)
	static class DataSources {

		@Bean(defaultCandidate = false)
		@LockDataSource
		DataSource lockDataSource() {
			return DataSourceBuilder.create().url("jdbc:postgresql://db/shop").build();
		}

	}

}
