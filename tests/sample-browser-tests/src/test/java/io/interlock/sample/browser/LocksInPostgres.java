package io.interlock.sample.browser;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.jdbc.autoconfigure.LockDataSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a box office has besides so that its locks are in PostgreSQL, while its seats stay
 * in its own database.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("test.locks-url")
class LocksInPostgres {

	@Bean(defaultCandidate = false)
	@LockDataSource
	HikariDataSource locksDataSource(@Value("${test.locks-url}") String url) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		dataSource.setUsername("postgres");
		dataSource.setConnectionTimeout(2000);
		return dataSource;
	}

}
