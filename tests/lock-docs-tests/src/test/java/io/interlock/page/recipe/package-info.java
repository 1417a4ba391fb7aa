/** Recipes of docs/recipes.md that need more than lock-test has. */
@NullMarked
package io.interlock.page.recipe;

import org.jspecify.annotations.NullMarked;
