/**
 * What visitors may break on purpose, to see how it recovers. An application has nothing
 * of this kind.
 */
@NullMarked
package io.interlock.sample.show.fault;

import org.jspecify.annotations.NullMarked;
