package io.interlock.sample.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;

/**
 * The browser of this machine. None is ever downloaded.
 */
final class Chromium {

	private static final List<String> PLACES = List.of("/usr/bin/chromium", "/usr/bin/chromium-browser",
			"/usr/bin/google-chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
			"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");

	private Chromium() {
	}

	static Optional<Path> installed() {
		return places().map(Path::of).filter(Files::isExecutable).findFirst();
	}

	private static Stream<String> places() {
		return Stream.concat(Stream.ofNullable(System.getenv("CHROMIUM")), PLACES.stream());
	}

	static Playwright driver() {
		return Playwright
			.create(new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
	}

	static Browser launch(Playwright driver) {
		return driver.chromium()
			.launch(new BrowserType.LaunchOptions().setExecutablePath(installed().orElseThrow())
				.setHeadless(true)
				.setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-background-networking",
						"--disable-component-update", "--disable-sync")));
	}

}
