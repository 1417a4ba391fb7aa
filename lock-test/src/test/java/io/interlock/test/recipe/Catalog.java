package io.interlock.test.recipe;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.interlock.annotation.ReadLock;
import io.interlock.annotation.WriteLock;

import org.springframework.stereotype.Service;

/**
 * Articles behind a cache. The map stands for a cache that all instances share.
 */
@Service
class Catalog {

	private final Map<String, Article> cache = new ConcurrentHashMap<>();

	private final Articles articles;

	Catalog(Articles articles) {
		this.articles = articles;
	}

	@ReadLock(name = "catalog", key = "#sku")
	public Article find(String sku) {
		return this.cache.computeIfAbsent(sku, this.articles::load);
	}

	@WriteLock(name = "catalog", key = "#article.sku")
	public void change(Article article) {
		this.articles.store(article);
		this.cache.remove(article.sku());
	}

}
