/**
 * What the live page shows: the locks of all instances, and how long was waited for them.
 */
@NullMarked
package io.interlock.sample.show.live;

import org.jspecify.annotations.NullMarked;
