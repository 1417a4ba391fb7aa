package io.interlock.test.example;

/**
 * Where the articles are.
 */
interface Warehouse {

	void take(String sku, int amount);

	void count();

}
