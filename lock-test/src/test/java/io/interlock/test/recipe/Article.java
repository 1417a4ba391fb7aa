package io.interlock.test.recipe;

import java.math.BigDecimal;

/**
 * An article.
 *
 * @param sku its number
 * @param price its price
 */
record Article(String sku, BigDecimal price) {

}
