/**
 * What happens to locks, as events of the application context.
 */
@NullMarked
package io.interlock.event;

import org.jspecify.annotations.NullMarked;
