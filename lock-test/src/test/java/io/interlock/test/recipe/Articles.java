package io.interlock.test.recipe;

import java.util.List;

/**
 * The table of the articles.
 */
interface Articles {

	Article load(String sku);

	void store(Article article);

	/**
	 * Return the articles of a part that were changed and not stored yet.
	 */
	List<Article> changed(int part, int parts);

}
