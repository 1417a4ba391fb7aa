package io.interlock.test.recipe;

import java.util.concurrent.CompletableFuture;

/**
 * A payment service that answers later.
 */
interface Payments {

	CompletableFuture<Receipt> charge(long id, long token);

}
