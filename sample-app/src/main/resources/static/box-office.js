const $ = (id) => document.getElementById(id);
const money = (amount) => Number(amount).toFixed(2);
const cards = new Map();
let rushing = false;

/** Makes an element; what comes from the server only ever becomes text. */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

async function request(path, options) {
  const response = await fetch(path, options);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Error(body.detail ?? `The box office answered with status ${response.status}.`);
  }
  return body;
}

const send = (method, path, body) => request(path, {
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

function say(text, bad) {
  $('message').textContent = text;
  $('message').className = bad ? 'message bad' : 'message';
}

/** A button that is disabled loses the focus; whoever works with the keyboard gets it back. */
function enable(button) {
  button.disabled = false;
  if (document.activeElement === document.body) {
    button.focus();
  }
}

async function act(button, action) {
  button.disabled = true;
  try {
    say(await action());
  } catch (failure) {
    say(failure.message, true);
  } finally {
    enable(button);
    refresh();
  }
}

function addCard(event) {
  const card = $('event-template').content.cloneNode(true).firstElementChild;
  const path = `events/${event.id}`;
  card.querySelector('h3').textContent = event.title;
  card.querySelector('.price-form input').setAttribute('aria-label', `New price of ${event.title}`);
  const [buy, report] = ['.buy', '.report'].map((selector) => card.querySelector(selector));
  buy.setAttribute('aria-label', `Buy a ticket for ${event.title}`);
  report.setAttribute('aria-label', `Report of ${event.title}`);
  buy.addEventListener('click', () => act(buy, async () => {
    const ticket = await send('POST', `${path}/sales`, { buyer: 'Visitor' });
    return `Seat ${ticket.seat} of ${event.title} is yours for ${money(ticket.price)}, sold by ${ticket.soldBy}.`;
  }));
  report.addEventListener('click', () => act(report, async () => {
    const found = await request(`${path}/report`);
    return `${found.title}: ${found.sold} sold, ${found.seatsLeft} left, ${found.doubleBooked} booked twice, `
      + `revenue ${money(found.revenue)}. Count and tickets ${found.consistent ? 'agree' : 'do not agree'}.`;
  }));
  card.querySelector('.price-form').addEventListener('submit', (submit) => {
    submit.preventDefault();
    const form = submit.target;
    act(form.querySelector('button'), async () => {
      const changed = await send('PUT', `${path}/price`, { price: form.elements.price.valueAsNumber });
      form.reset();
      return `${changed.title} costs ${money(changed.price)} from now on.`;
    });
  });
  $('events').append(card);
  $('rush-event').append(new Option(event.title, event.id));
  cards.set(event.id, card);
  return card;
}

function showSeats(seats, event) {
  const wanted = Math.max(event.seats, Math.min(event.sold, 1000));
  while (seats.childElementCount > wanted) {
    seats.lastElementChild.remove();
  }
  while (seats.childElementCount < wanted) {
    seats.append(document.createElement('i'));
  }
  [...seats.children].forEach((seat, index) => {
    seat.className = index >= event.seats ? 'over' : (index < event.sold ? 'sold' : '');
  });
}

function showEvent(event) {
  const card = cards.get(event.id) ?? addCard(event);
  card.querySelector('.price').textContent = money(event.price);
  showSeats(card.querySelector('.seats'), event);
  const over = event.sold - event.seats;
  const counts = card.querySelector('.counts');
  counts.replaceChildren(`${event.sold} of ${event.seats} sold, the count says ${event.seatsLeft} left`);
  if (over > 0) {
    counts.append(' ', element('span', 'bad', `${over} oversold`));
  }
}

function lockingTag(locking) {
  return element('span', locking ? 'tag good' : 'tag bad', locking ? 'locks on' : 'locks off');
}

function showInstances({ answeredBy, instances }) {
  const self = instances.find((instance) => instance.name === answeredBy);
  $('self').replaceChildren('This page comes from ', answeredBy, ' ', ...(self ? [lockingTag(self.locking)] : []));
  $('instances').replaceChildren(...instances.map((instance) => element('li', '',
    element('strong', '', instance.name), ' ', lockingTag(instance.locking),
    ` since ${new Date(instance.started).toLocaleTimeString()}`)));
}

function showSettlement(settlement) {
  $('settlement').textContent = settlement.settledAt
    ? `Number ${settlement.runs} by ${settlement.instance} at ${new Date(settlement.settledAt).toLocaleTimeString()}: `
      + `${settlement.tickets} tickets, ${money(settlement.amount)}. Fencing token ${settlement.token}.`
    : 'None yet.';
}

function showLocks({ held, waiting }) {
  const name = (lock) => (lock.key === undefined || lock.key === null ? lock.name : `${lock.name}[${lock.key}]`);
  const items = held.map((lock) => element('li', '', element('strong', '', name(lock)),
    ` held ${lock.mode.toLowerCase()}, token ${lock.token} `, lock.valid ? '' : element('span', 'bad', 'not valid')));
  const waits = new Map();
  waiting.forEach((lock) => waits.set(name(lock), (waits.get(name(lock)) ?? 0) + 1));
  waits.forEach((count, lock) => items.push(element('li', '', element('strong', '', lock), ` ${count} waiting`)));
  $('locks').replaceChildren(...(items.length ? items : [element('li', 'counts', 'None at this moment.')]));
}

function figure(label, value, className = '') {
  return element('div', '', element('dt', '', label), element('dd', className, value));
}

function showRush(rush) {
  const figures = element('dl', 'figures',
    figure('buyers', rush.buyers), figure('seats', rush.seats), figure('sold', rush.sold),
    figure('oversold', rush.oversold, rush.oversold ? 'bad' : 'good'),
    figure('booked twice', rush.doubleBooked, rush.doubleBooked ? 'bad' : 'good'),
    figure('seconds', (rush.durationMillis / 1000).toFixed(1)));
  const shares = element('ul', 'plain', ...rush.instances.map((share) => element('li', '',
    element('strong', '', share.instance), ' ', lockingTag(share.locking),
    ` of ${share.buyers} buyers, ${share.sold} got a seat and ${share.soldOut} came too late`,
    share.busy ? `, ${share.busy} gave up waiting` : '',
    share.failed ? element('span', 'bad', `, ${share.failed} failed`) : '')));
  $('rush-result').replaceChildren(figures, shares);
}

$('rush-form').addEventListener('submit', async (submit) => {
  submit.preventDefault();
  const form = new FormData(submit.target);
  rushing = true;
  $('rush-button').disabled = true;
  $('rush-result').textContent = 'The doors are open…';
  refresh();
  try {
    showRush(await request(`demo/rush?${new URLSearchParams(form)}`, { method: 'POST' }));
  } catch (failure) {
    $('rush-result').replaceChildren(element('span', 'bad', failure.message));
  } finally {
    rushing = false;
    enable($('rush-button'));
  }
});

const watched = [
  ['events', (events) => events.forEach(showEvent)],
  ['instances', showInstances],
  ['settlement', showSettlement],
  ['actuator/locks', showLocks],
];

function showTrouble(failure) {
  // fetch itself fails with a TypeError when nobody answers.
  const text = failure instanceof TypeError ? 'This instance does not answer.' : (failure?.message ?? '');
  $('trouble').hidden = !failure;
  // Only what changes is read out.
  if ($('trouble').textContent !== text) {
    $('trouble').textContent = text;
  }
}

let timer;

async function refresh() {
  clearTimeout(timer);
  if (!document.hidden) {
    const results = await Promise.allSettled(watched.map(async ([path, show]) => show(await request(path))));
    showTrouble(results.find((result) => result.status === 'rejected')?.reason);
  }
  clearTimeout(timer);
  timer = setTimeout(refresh, rushing ? 250 : 1000);
}

$('curl').textContent = [
  `curl -X POST '${location.origin}/demo/rush?buyers=200&eventId=1'`,
  `curl -X POST ${location.origin}/events/1/sales -H 'Content-Type: application/json' -d '{"buyer":"Ada"}'`,
  `curl -X PUT ${location.origin}/events/1/price -H 'Content-Type: application/json' -d '{"price":49.50}'`,
  `curl ${location.origin}/events/1/report`,
  `curl ${location.origin}/actuator/locks`,
].join('\n');

document.addEventListener('visibilitychange', refresh);
refresh();
