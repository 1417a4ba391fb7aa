package io.interlock.template;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.interlock.LockMode;
import io.interlock.LockNotAcquiredException;
import io.interlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the others when a caller was refused: who holds the lock, and which
 * callers of this JVM have asked for it before. What is not known is not said.
 */
final class Contention {

	private final LockRequest request;

	private final boolean told;

	private final Collection<Hold> holds;

	private final List<Wait> others;

	private final List<Wait> earlier;

	private final @Nullable String holder;

	/** The waits are noted first: each becomes a hold before it ends. */
	Contention(Wait refused, Collection<Hold> holds, Collection<Wait> waits) {
		this.request = refused.request();
		this.told = refused.isToldOfOthers();
		this.others = waits.stream()
			.filter((wait) -> wait != refused && wait.request().id().equals(this.request.id()))
			.toList();
		this.holds = List.copyOf(holds);
		this.holder = holderBefore(this.request);
		this.earlier = this.others.stream()
			.filter((wait) -> wait.isForOthers() && !wait.isOver() && wait.isBefore(refused) && !isBesideReaders(wait))
			.sorted(Comparator.comparing(Wait::waited).reversed())
			.toList();
	}

	private boolean isBesideReaders(Wait wait) {
		return this.request.mode() == LockMode.SHARED && wait.request().mode() == LockMode.SHARED;
	}

	private @Nullable String holderBefore(LockRequest request) {
		Hold hold = LockOrderCheck.holdBefore(request, this.holds);
		return Stream
			.concat(Stream.ofNullable(hold).map(Hold::heldBy),
					this.others.stream()
						.filter((wait) -> wait.isGranted() && wait.request().mode().excludes(request.mode()))
						.map(Wait::waiter))
			.findFirst()
			.orElse(null);
	}

	LockNotAcquiredException refusal(Duration waited) {
		return Failures.notAcquired(this.request.id(), waited, toString(), this.holder);
	}

	@Override
	public String toString() {
		return this.earlier.isEmpty() ? withoutEarlier() : heldBehind(this.earlier.get(0)) + ", and " + asked();
	}

	private String asked() {
		int others = this.earlier.size() - 1;
		String count = (others == 0) ? "" : " and %d other%s".formatted(others, (others == 1) ? "" : "s");
		return this.earlier.get(0).waiter() + count + " asked first";
	}

	private String heldBehind(Wait first) {
		return held((this.holder != null) ? this.holder : holderBefore(first.request()));
	}

	private String withoutEarlier() {
		if (this.holder == null && !this.told && this.request.mode() == LockMode.PERMIT) {
			return "all its permits are taken";
		}
		if (this.holder == null && !this.told) {
			return asking().map("it was just taken by another instance or by %s"::formatted)
				.orElseGet(() -> held(null));
		}
		if (this.holder != null || this.request.mode() != LockMode.SHARED) {
			return held(this.holder);
		}
		return this.holds.stream()
			.filter((hold) -> hold.grant().request().id().equals(this.request.id()) && !hold.isLost())
			.findFirst()
			.map((reader) -> held(reader.heldBy()) + ", and another instance asked first")
			.orElse("another instance holds it or asked first");
	}

	/** Return a caller that may have been granted the lock, and does not know it yet. */
	private Optional<String> asking() {
		return this.others.stream()
			.filter((wait) -> !wait.isOver() && wait.request().mode().excludes(this.request.mode()))
			.map(Wait::waiter)
			.findFirst();
	}

	private String held(@Nullable String holder) {
		if (holder == null && !this.told) {
			return "it was held until just before";
		}
		return "it is held by " + ((holder != null) ? holder : "another instance");
	}

}
