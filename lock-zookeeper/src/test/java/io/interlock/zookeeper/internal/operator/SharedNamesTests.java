package io.interlock.zookeeper.internal.operator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.interlock.LockMode;
import io.interlock.LockRequest;
import io.interlock.admin.ContenderOwner;
import io.interlock.admin.LockContender;
import io.interlock.admin.LockInspectionException;
import io.interlock.admin.LockInspector;
import io.interlock.admin.LockInspector.Page;
import io.interlock.admin.LockInspector.QueuedLock;
import io.interlock.admin.SharedNames;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Two applications that share a lock by accident learn of it. */
@ExtendWith(OutputCaptureExtension.class)
class SharedNamesTests {

	private static final LockRequest STOCK = LockRequest.exclusive("stock").withKey("1");

	private final List<LockInspector.Query> queries = new ArrayList<>();

	private final List<String> providers = new ArrayList<>();

	@Test
	void anotherApplicationIsWarnedOfOnce(CapturedOutput output) {
		names("billing", "shop").onNotAcquired(STOCK, Duration.ZERO);
		assertThat(output).containsOnlyOnce(
				"The application 'billing' takes the lock 'stock' too, so it excludes this application, 'shop'.");
		assertThat(this.queries).singleElement()
			.satisfies((query) -> assertThat(query.name() + query.key()).isEqualTo("stock1"));
	}

	@Test
	void anOwnerRecordForgesNoLine(CapturedOutput output) {
		byte[] record = """
				{"version":1,"application":"x\\u000a12:00:00.000 WARN [main] io.interlock.audit - Lock a was released"}"""
			.getBytes(StandardCharsets.UTF_8);
		names(NodeData.owner(record).application()).onNotAcquired(STOCK, Duration.ZERO);
		names("y\n12:00:00.000 WARN [main] io.interlock.audit - Lock b was released").onNotAcquired(STOCK,
				Duration.ZERO);
		assertThat(output.getAll().lines()).hasSize(2)
			.allMatch((line) -> line.contains("takes the lock"))
			.noneMatch((line) -> line.startsWith("12:00:00.000"));
	}

	@Test
	void instancesOfTheSameApplicationAreNot(CapturedOutput output) {
		names("shop", null).onNotAcquired(STOCK, Duration.ZERO);
		assertThat(this.queries).hasSize(1);
		assertThat(output).doesNotContain("takes the lock");
	}

	@Test
	void looksWhereACallerHasWaitedAndNotElsewhere() {
		SharedNames names = names("billing");
		names.onAcquired(STOCK, null, Duration.ofMillis(999));
		assertThat(this.queries).isEmpty();
		names.onAcquired(STOCK, null, Duration.ofSeconds(1));
		assertThat(this.queries).hasSize(1);
	}

	@Test
	void looksAtMostOnceASecond() {
		SharedNames names = names("shop");
		names.onNotAcquired(STOCK, Duration.ZERO);
		names.onNotAcquired(LockRequest.exclusive("other"), Duration.ZERO);
		assertThat(this.queries).hasSize(1);
	}

	@Test
	void lockOfANamedProviderIsLookedForThere(CapturedOutput output) {
		names("billing").onNotAcquired(STOCK.withProvider("branch"), Duration.ZERO);
		assertThat(this.providers).containsExactly("branch");
		assertThat(this.queries).hasSize(1);
		assertThat(output).containsOnlyOnce("takes the lock 'stock@branch' too");
	}

	@Test
	void providerWhoseLocksNothingReadsIsNotWarnedOf(CapturedOutput output) {
		names("billing").onNotAcquired(STOCK.withProvider("unknown"), Duration.ZERO);
		assertThat(this.queries).isEmpty();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void failureToLookHarmsNoCaller(CapturedOutput output) {
		LockInspector failing = (query) -> {
			throw new LockInspectionException("down", null);
		};
		new SharedNames((provider) -> failing, "shop", Runnable::run).onNotAcquired(STOCK, Duration.ZERO);
		assertThat(output).doesNotContain("takes the lock");
	}

	private SharedNames names(@Nullable String... applications) {
		List<LockContender> contenders = new ArrayList<>();
		for (String application : applications) {
			contenders.add(new LockContender(0, "node", LockContender.Kind.CURATOR_MUTEX, LockMode.EXCLUSIVE, 1L, null,
					null, null, new ContenderOwner(ContenderOwner.Kind.INTERLOCK, 1, application, "a", null, null, null,
							null, null, null, null, null)));
		}
		LockInspector inspector = (query) -> {
			this.queries.add(query);
			return new Page("/interlock", Instant.EPOCH, 1, 0, 1, 1, List.of(new QueuedLock("stock", "1", true, "/a",
					true, LockMode.EXCLUSIVE, 1, contenders.subList(0, 1), contenders, 0, List.of(), null)));
		};
		return new SharedNames((provider) -> {
			this.providers.add(String.valueOf(provider));
			return "unknown".equals(provider) ? null : inspector;
		}, "shop", Runnable::run);
	}

}
