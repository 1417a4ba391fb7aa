/**
 * What runs in the JVMs that use locks: workloads, and their reports to the witness.
 */
@NullMarked
package io.interlock.faults.worker;

import org.jspecify.annotations.NullMarked;
