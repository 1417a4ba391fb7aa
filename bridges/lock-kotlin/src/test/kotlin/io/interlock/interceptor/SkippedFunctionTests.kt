package io.interlock.interceptor

import io.interlock.annotation.ContentionPolicy
import io.interlock.annotation.DistributedLock
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.mock.env.MockEnvironment
import reactor.core.publisher.Mono
import java.util.Optional
import java.util.concurrent.CompletableFuture

/**
 * Tests for the return types of functions that may be skipped.
 */
class SkippedFunctionTests {

	private val source = AnnotationLockDefinitionSource(MockEnvironment(), { LockOverrides.Change.NONE }, null)

	@ParameterizedTest
	@ValueSource(strings = ["text", "suspendingText", "suspendingOptional", "list"])
	fun typeThatIsNotNullableIsRefused(name: String) {
		assertThatExceptionOfType(LockDefinitionException::class.java).isThrownBy { definition(name) }
			.withMessageContaining("a skipped function returns null and this one has a return type that is not nullable")
			.withMessageContaining("Make the return type nullable, as in 'Report?', or use FAIL.")
	}

	@ParameterizedTest
	@ValueSource(
		strings = ["nullable", "suspendingNullable", "nothing", "suspendingNothing", "optional", "future", "mono"],
	)
	fun otherTypesAreAllowed(name: String) {
		assertThat(definition(name)!!.onContention()).isEqualTo(ContentionPolicy.SKIP)
	}

	@ParameterizedTest
	@ValueSource(strings = ["failing"])
	fun functionThatIsNotSkippedMayReturnAnything(name: String) {
		assertThat(definition(name)!!.onContention()).isEqualTo(ContentionPolicy.FAIL)
	}

	private fun definition(name: String) =
		source.getLockDefinition(Reports::class.java.methods.single { it.name == name }, Reports::class.java)

	open class Reports {

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun text(): String = "report"

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun list(): List<String> = listOf()

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open suspend fun suspendingText(): String = "report"

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open suspend fun suspendingOptional(): Optional<String> = Optional.empty()

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun nullable(): String? = null

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open suspend fun suspendingNullable(): String? = null

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun nothing() {
		}

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open suspend fun suspendingNothing() {
		}

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun optional(): Optional<String> = Optional.empty()

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun future(): CompletableFuture<String> = CompletableFuture.completedFuture("report")

		@DistributedLock("reports", onContention = ContentionPolicy.SKIP)
		open fun mono(): Mono<String> = Mono.just("report")

		@DistributedLock("reports")
		open fun failing(): String = "report"

	}

}
