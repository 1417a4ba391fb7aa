/**
 * Asks again and again, one request at a time and only while somebody looks. Whoever
 * closes the lid leaves nothing behind on a server.
 */
export class Poller {
  #ask;
  #interval;
  #timer;
  #asking = false;
  #again = false;

  constructor(ask, interval) {
    this.#ask = ask;
    this.#interval = interval;
    document.addEventListener('visibilitychange', () => this.now());
    this.now();
  }

  async now() {
    clearTimeout(this.#timer);
    this.#again = this.#asking;
    if (document.hidden || this.#asking) {
      return;
    }
    this.#asking = true;
    try {
      await this.#ask();
    } finally {
      this.#asking = false;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.now(), this.#again ? 0 : this.#interval());
    }
  }
}
