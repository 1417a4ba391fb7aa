/**
 * The ZooKeeper session, as a health indicator.
 */
@NullMarked
package io.interlock.health;

import org.jspecify.annotations.NullMarked;
