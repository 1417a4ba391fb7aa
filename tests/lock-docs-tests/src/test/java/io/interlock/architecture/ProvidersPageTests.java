package io.interlock.architecture;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.jdbc.JdbcLeaseStore;
import io.interlock.lease.LeaseLockProvider;
import io.interlock.lease.LeaseSettings;
import io.interlock.lease.LeaseStore;
import io.interlock.lease.LeaseStoreAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The line of a start on {@code providers.md} is the one that a store of leases prints,
 * and the tables are those of the script.
 */
@ExtendWith(OutputCaptureExtension.class)
class ProvidersPageTests {

	private static final String LINE = "Locks are kept in PostgreSQL";

	@Test
	void lineOfTheStartIsThatOfTheStore(CapturedOutput output) {
		LeaseStore store = mock(LeaseStore.class);
		given(store.capabilities()).willReturn(JdbcLeaseStore.CAPABILITIES);
		given(store.address()).willReturn(new LeaseStoreAddress("PostgreSQL", "jdbc:postgresql://db/shop",
				JdbcLeaseStore.tables("interlock_"), "the DataSource"));
		LeaseSettings settings = new LeaseSettings("test", Duration.ofSeconds(15), Duration.ofMillis(50),
				Duration.ofSeconds(1), 1, false);
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
			.withBean(LeaseLockProvider.class, () -> new LeaseLockProvider(store, settings))
			.withPropertyValues("interlock.startup-timeout=30s")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(line(Page.of("../../docs/providers.md").text())).isEqualTo(line(output.toString()));
	}

	@Test
	void tablesAreThoseOfTheScript() throws IOException {
		String script = new ClassPathResource("io/interlock/jdbc/schema-postgresql.sql")
			.getContentAsString(StandardCharsets.UTF_8);
		assertThat(Page.of("../../docs/providers.md").text()).contains("```sql\n" + script.strip() + "\n```");
	}

	private static String line(String text) {
		String found = text.substring(text.indexOf(LINE));
		return found.substring(0, found.indexOf('\n'));
	}

}
