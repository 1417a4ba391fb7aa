/** Events about locks in the application context. */
@NullMarked
package io.interlock.event;

import org.jspecify.annotations.NullMarked;
