/** What happens to locks, as meters of Micrometer. */
@NullMarked
package io.interlock.metrics;

import org.jspecify.annotations.NullMarked;
