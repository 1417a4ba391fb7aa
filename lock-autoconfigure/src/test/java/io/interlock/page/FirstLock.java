package io.interlock.page;

import java.io.IOException;

import io.interlock.annotation.DistributedLock;

import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.stereotype.Component;

/**
 * The example of {@code docs/getting-started.md}.
 */
@Component
class FirstLock implements ApplicationRunner {

	@Override
	@DistributedLock(name = "first", waitTime = "60s")
	public void run(ApplicationArguments arguments) throws IOException {
		System.out.println("This instance holds the lock. Press Enter to release it.");
		System.in.read();
	}

}
