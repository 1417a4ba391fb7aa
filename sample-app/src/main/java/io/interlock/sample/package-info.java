/**
 * A box office that sells every seat once, on any number of instances. The shop is
 * {@code event} and {@code settlement}; {@code show} lets visitors watch and break it.
 */
@NullMarked
package io.interlock.sample;

import org.jspecify.annotations.NullMarked;
