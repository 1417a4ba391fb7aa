package io.interlock.benchmark.jmh;

import java.util.concurrent.TimeUnit;

import io.interlock.interceptor.AnnotatedCalls;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Finding the definition of an annotated method and computing the key of a call.
 *
 * @since 0.1.0
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class KeyEvaluationBenchmark {

	/**
	 * Compute a key that is an argument.
	 * @param calls the calls
	 * @return the key
	 */
	@Benchmark
	public String argument(AnnotatedCalls calls) {
		return calls.keyOfArgument();
	}

	/**
	 * Compute a key that is a property of an argument.
	 * @param calls the calls
	 * @return the key
	 */
	@Benchmark
	public String propertyOfArgument(AnnotatedCalls calls) {
		return calls.keyOfProperty();
	}

}
