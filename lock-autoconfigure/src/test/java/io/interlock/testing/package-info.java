/**
 * A lock service in memory that does what a test tells it, and threads to use it from.
 */
@NullMarked
package io.interlock.testing;

import org.jspecify.annotations.NullMarked;
