package io.interlock.benchmark.scenario;

/**
 * The processor time of processes, as the operating system counts it.
 */
final class ProcessorTime {

	private ProcessorTime() {
	}

	/**
	 * Return what a process has used so far, in all its threads.
	 * @param pid the number of the process
	 * @return nanoseconds, which Linux counts in steps of 10 ms
	 * @throws IllegalStateException if there is no such process
	 */
	static long of(long pid) {
		return ProcessHandle.of(pid)
			.flatMap((process) -> process.info().totalCpuDuration())
			.orElseThrow(() -> new IllegalStateException("The processor time of process %d is unknown".formatted(pid)))
			.toNanos();
	}

}
