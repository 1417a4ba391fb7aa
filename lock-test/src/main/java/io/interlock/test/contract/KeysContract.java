package io.interlock.test.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.interlock.LockRequest;
import io.interlock.LockServiceUnavailableException;
import io.interlock.provider.LockAttempt;
import io.interlock.provider.LockGrant;
import io.interlock.provider.LockProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * The part of the contract for the texts of names and keys.
 */
abstract class KeysContract extends ProviderUnderContract {

	private static final String LONG = "x".repeat(255);

	private static final List<String> TEXTS = List.of("\0", "a\0b", "a\0", "\uD83D\uDD12", "\uD83D", "\uDD12", "?",
			"\uFFFD", "a\nb", "a\r\nb", "a b", "b", "b ", "b  ", "b\u00A0", "B", "caf\u00E9", "cafe\u0301", "cafe",
			"\u4E2D\u6587", "\u202E", LONG, LONG + "y", LONG + "\0", LONG.repeat(3), "\uD83D\uDD12".repeat(500), "%",
			"%00", "\\u0000", "{a}", "a:b", "a/b", ".", "..");

	@Test
	void keysOfAnyCharactersAreLocksOfTheirOwnOrRefusedAtOnce() throws Exception {
		differentLocks(TEXTS.stream().map((text) -> exclusive().withKey(text)).toList());
	}

	@Test
	void namesOfAnyCharactersAreLocksOfTheirOwnOrRefusedAtOnce() throws Exception {
		differentLocks(TEXTS.stream()
			.filter((text) -> text.length() < 900)
			.map((text) -> LockRequest.exclusive(lockName() + text))
			.toList());
	}

	private void differentLocks(List<LockRequest> requests) throws Exception {
		LockProvider instance = instance();
		LockProvider other = instance();
		List<LockGrant> grants = new ArrayList<>();
		for (LockRequest request : requests) {
			Optional<LockGrant> grant = acquireOrBeRefused(instance, once(request));
			if (grant.isPresent()) {
				grants.add(grant.get());
				assertThat(answer(begin(other, once(request)))).as("%s", request).isEmpty();
			}
		}
		for (LockGrant grant : grants) {
			release(grant);
		}
	}

	/**
	 * Acquire a lock that is free.
	 * @return the grant, or empty if the provider refuses the text, which is no outage
	 */
	private Optional<LockGrant> acquireOrBeRefused(LockProvider instance, LockRequest request) throws Exception {
		LockAttempt attempt;
		try {
			attempt = begin(instance, request);
		}
		catch (IllegalArgumentException ex) {
			return refusal(request, ex);
		}
		try {
			Optional<LockGrant> grant = answer(attempt);
			assertThat(grant).as("%s is another lock than those before", request).isPresent();
			return grant;
		}
		catch (ExecutionException ex) {
			return refusal(request, ex.getCause());
		}
		catch (TimeoutException ex) {
			return fail("%s is asked for again and again".formatted(request), attempt.obstacle());
		}
	}

	private static Optional<LockGrant> refusal(LockRequest request, @Nullable Throwable refusal) {
		assertThat(refusal).isNotInstanceOf(LockServiceUnavailableException.class)
			.hasMessageContaining(request.id().toString());
		return Optional.empty();
	}

}
