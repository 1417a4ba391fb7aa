/** What a coordination service implements: a provider, its attempts and its grants. */
@NullMarked
package io.interlock.provider;

import org.jspecify.annotations.NullMarked;
