/**
 * The ZooKeeper server of a run, processes, and what stands on the wire before it.
 */
@NullMarked
package io.interlock.benchmark.server;

import org.jspecify.annotations.NullMarked;
