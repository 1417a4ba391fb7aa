/**
 * A box office that sells every seat once, on any number of instances.
 */
@NullMarked
package io.interlock.sample;

import org.jspecify.annotations.NullMarked;
