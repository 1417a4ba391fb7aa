/**
 * A lock service in memory that does what a test tells it.
 */
@NullMarked
package io.interlock.testing;

import org.jspecify.annotations.NullMarked;
