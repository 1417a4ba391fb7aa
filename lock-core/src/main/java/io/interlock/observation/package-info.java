/** Waits and holds as observations of Micrometer, which tracing turns into spans. */
@NullMarked
package io.interlock.observation;

import org.jspecify.annotations.NullMarked;
