/**
 * What operators see of the locks in ZooKeeper, and how they free them.
 */
@NullMarked
package io.interlock.curator.operator;

import org.jspecify.annotations.NullMarked;
