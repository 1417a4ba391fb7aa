import { $, element, fromTemplate, setText } from '../actuator/locksconsole/dom.js';
import { clock, count, money, shade } from '../actuator/locksconsole/format.js';
import { act, bind } from './act.js';
import { request, send } from './api.js';

/** The events with their seats: who sold which, and what can be bought. */
export class SeatsView {
  #cards = new Map();
  #instances = [];

  know(instances) {
    this.#instances = instances.map(({ name }) => name);
  }

  async refresh() {
    const events = await request('events');
    await Promise.all(events.map((event) => this.#show(event)));
    showSettlement(await request('settlement'));
    return events;
  }

  async #show(event) {
    const card = this.#cards.get(event.id) ?? this.#add(event);
    setText(card.price, money(event.price));
    // Only what was sold since is asked for.
    if (card.sold !== event.sold || card.instances !== this.#instances.length) {
      const seats = await request(`events/${event.id}/seats`);
      card.sold = seats.length;
      card.instances = this.#instances.length;
      showSeats(card.seats, event, seats, this.#instances);
    }
    const over = event.sold - event.seats;
    setText(card.counts, `${event.sold} of ${event.seats} sold${over > 0 ? `, × ${over} oversold` : ''}`);
    card.counts.classList.toggle('bad', over > 0);
  }

  #add(event) {
    const item = fromTemplate('event-template');
    const path = `events/${event.id}`;
    item.querySelector('h3').textContent = event.title;
    item.querySelector('.price-form input').setAttribute('aria-label', `New price of ${event.title}`);
    bind(item, '.buy', `Buy a ticket for ${event.title}`, (button) => this.#act(button, async () => {
      const ticket = await send('POST', `${path}/sales`, { buyer: 'Visitor' });
      return `Seat ${ticket.seat} of ${event.title} is yours for ${money(ticket.price)}, sold by ${ticket.soldBy}.`;
    }));
    bind(item, '.report', `Report of ${event.title}`, (button) => this.#act(button, async () => {
      const found = await request(`${path}/report`);
      return `${found.title}: ${found.sold} sold, ${found.seatsLeft} left, `
        + `${count(found.doubleBooked, 'seat')} sold more than once, revenue ${money(found.revenue)}. `
        + `Count and tickets ${found.consistent ? 'agree' : 'do not agree'}.`;
    }));
    item.querySelector('.price-form').addEventListener('submit', (submit) => {
      submit.preventDefault();
      const form = submit.target;
      this.#act(form.querySelector('button'), async () => {
        const changed = await send('PUT', `${path}/price`, { price: form.elements.price.valueAsNumber });
        form.reset();
        return `${changed.title} costs ${money(changed.price)} from now on.`;
      });
    });
    $('events').append(item);
    $('rush-event').append(new Option(event.title, event.id));
    const card = {
      price: item.querySelector('.price'),
      seats: item.querySelector('.seats'),
      counts: item.querySelector('.counts'),
    };
    this.#cards.set(event.id, card);
    return card;
  }

  #act(button, action) {
    return act(button, async () => {
      const told = await action();
      await this.refresh();
      return told;
    });
  }
}

/** Every seat has the colour of who sold it; one that was sold twice is crossed out. */
function showSeats(list, event, tickets, instances) {
  const sellers = new Map();
  tickets.forEach(({ seat, soldBy }) => sellers.set(seat, [...(sellers.get(seat) ?? []), soldBy]));
  while (list.childElementCount > event.seats) {
    list.lastElementChild.remove();
  }
  while (list.childElementCount < event.seats) {
    list.append(document.createElement('i'));
  }
  [...list.children].forEach((seat, index) => {
    const sold = sellers.get(index + 1) ?? [];
    const by = instances.indexOf(sold[0]);
    seat.className = [sold.length > 0 && 'sold', by >= 0 && shade(by), sold.length > 1 && 'twice'].filter(Boolean).join(' ');
  });
}

function showSettlement(settlement) {
  setText($('settlement'), settlement.settledAt
    ? `Settlement ${settlement.runs} by ${settlement.instance} at ${clock(settlement.settledAt)}: `
      + `${settlement.tickets} tickets, ${money(settlement.amount)}. Every instance tries every few seconds; one does it.`
    : 'No settlement yet.');
}
