/**
 * A TCP proxy that reads the protocol of ZooKeeper: it counts operations and injects
 * faults.
 */
@NullMarked
package io.interlock.proxy;

import org.jspecify.annotations.NullMarked;
