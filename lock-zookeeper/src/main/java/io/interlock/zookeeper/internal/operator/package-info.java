/**
 * What operators see of the locks in ZooKeeper, and how they free them.
 */
@NullMarked
package io.interlock.zookeeper.internal.operator;

import org.jspecify.annotations.NullMarked;
