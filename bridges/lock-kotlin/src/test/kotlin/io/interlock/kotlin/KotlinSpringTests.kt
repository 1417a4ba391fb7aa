package io.interlock.kotlin

import io.interlock.annotation.DistributedLock
import io.interlock.autoconfigure.InterlockAutoConfiguration
import io.interlock.autoconfigure.LockAnnotationsAutoConfiguration
import io.interlock.template.HeldLocks
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.stereotype.Service

/**
 * Tests for suspending functions of a class that the plugin `kotlin-spring` has opened.
 * The compiler gives each of them a static implementation.
 */
@Timeout(60)
class KotlinSpringTests {

	private val contextRunner = ApplicationContextRunner()
		.withConfiguration(
			AutoConfigurations.of(
				AopAutoConfiguration::class.java,
				InterlockAutoConfiguration::class.java,
				LockAnnotationsAutoConfiguration::class.java,
			),
		)
		.withPropertyValues("interlock.provider=memory")
		.withBean(Stock::class.java)

	@Test
	fun aSuspendingFunctionIsLocked() = withStock { stock, _ ->
		assertThat(Stock::class.java.declaredMethods.map { it.name }).contains("reserve\$suspendImpl")
		runBlocking(Dispatchers.Default) { List(50) { async { stock.reserve(7) } }.awaitAll() }
		assertThat(stock.reserved()).isEqualTo(50)
	}

	@Test
	fun aCancelledCoroutineReleasesItsLock() = withStock { stock, context ->
		val heldLocks = context.getBean(HeldLocks::class.java)
		val begun = CompletableDeferred<Unit>()
		runBlocking(Dispatchers.Default) {
			val call = launch { stock.countFor(begun) }
			begun.await()
			assertThat(heldLocks.held()).hasSize(1)
			call.cancelAndJoin()
		}
		await().untilAsserted { assertThat(heldLocks.held()).isEmpty() }
	}

	@Test
	fun eachElementOfAFlowTakesTheLockOfItsFunction() = withStock { stock, context ->
		val numbers = runBlocking { flow { repeat(3) { emit(stock.reserve(it)) } }.toList() }
		assertThat(numbers).containsExactly("stock[0]", "stock[1]", "stock[2]")
		assertThat(context.getBean(HeldLocks::class.java).held()).isEmpty()
	}

	private fun withStock(test: (Stock, AssertableApplicationContext) -> Unit) {
		this.contextRunner.run { context ->
			assertThat(context).hasNotFailed()
			test(context.getBean(Stock::class.java), context)
		}
	}

	@Service
	class Stock(private val heldLocks: HeldLocks) {

		private var reserved = 0

		fun reserved() = this.reserved

		@DistributedLock(name = "stock", key = "#id", waitTime = "30s")
		suspend fun reserve(id: Int): String {
			val before = this.reserved
			yield()
			this.reserved = before + 1
			// The hold before may be about to leave the list.
			return this.heldLocks.held().map { it.id().toString() }.distinct().single()
		}

		@DistributedLock("stock")
		suspend fun countFor(begun: CompletableDeferred<Unit>) {
			begun.complete(Unit)
			awaitCancellation()
		}

	}

}
