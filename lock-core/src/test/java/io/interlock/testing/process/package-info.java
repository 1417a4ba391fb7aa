/**
 * What stores promise to instances in JVMs of their own.
 */
@NullMarked
package io.interlock.testing.process;

import org.jspecify.annotations.NullMarked;
