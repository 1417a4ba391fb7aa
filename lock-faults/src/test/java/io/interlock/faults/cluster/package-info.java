/**
 * ZooKeeper servers as processes, with links between them that can be told to fail.
 */
@NullMarked
package io.interlock.faults.cluster;

import org.jspecify.annotations.NullMarked;
