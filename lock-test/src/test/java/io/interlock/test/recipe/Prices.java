package io.interlock.test.recipe;

import java.util.List;

/**
 * The price list.
 */
interface Prices {

	Report report();

	void change(List<Article> changed);

	/**
	 * A report on prices.
	 */
	record Report(int articles) {

	}

}
