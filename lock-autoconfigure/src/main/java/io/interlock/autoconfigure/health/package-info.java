/**
 * Auto-configuration of the health of the ZooKeeper session.
 */
@NullMarked
package io.interlock.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
