package io.interlock.faults.counter;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A data source whose connections take some time before they commit.
 */
final class LateCommits extends DelegatingDataSource {

	private final Moments moments;

	LateCommits(DataSource target, Moments moments) {
		super(target);
		this.moments = moments;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(LateCommits.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("commit")) {
						this.moments.pass(Moment.COMMIT);
					}
					return AopUtils.invokeJoinpointUsingReflection(connection, method,
							(arguments != null) ? arguments : new Object[0]);
				});
	}

}
