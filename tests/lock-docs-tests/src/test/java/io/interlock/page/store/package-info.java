/** A store of one's own, as docs/extending.md shows it. */
@NullMarked
package io.interlock.page.store;

import org.jspecify.annotations.NullMarked;
