package io.interlock.page;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockId;
import io.interlock.autoconfigure.InterlockAutoConfiguration;
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration;
import io.interlock.template.LockContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first lock of the page for beginners is held while its application waits for Enter.
 */
class FirstLockTests {

	private final InputStream terminal = System.in;

	private final List<LockId> held = new ArrayList<>();

	@AfterEach
	void restoreTerminal() {
		System.setIn(this.terminal);
	}

	@Test
	void holdsTheLockUntilEnterIsPressed() {
		System.setIn(new InputStream() {

			@Override
			public int read() {
				FirstLockTests.this.held.add(LockContext.current().id());
				return '\n';
			}

		});
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(InterlockAutoConfiguration.class, LockAnnotationsAutoConfiguration.class))
			.withPropertyValues("interlock.provider=memory")
			.withBean(FirstLock.class)
			.run((context) -> context.getBean(FirstLock.class).run(new DefaultApplicationArguments()));
		assertThat(this.held).extracting(LockId::name).containsExactly("first");
	}

}
