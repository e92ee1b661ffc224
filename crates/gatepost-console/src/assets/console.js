// Everything works without this file, except for Copy and for parts that refresh themselves. It writes text, never
// markup: the browser parses what the server renders again, and runs nothing in it. The server replaces TEXTS with the
// texts of the script.
'use strict';
(texts => {
  const root = document.documentElement;
  root.classList.add('script');
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // -- a secret that is shown once ---------------------------------------------------------------
  const popup = document.querySelector('dialog[data-once]');
  let kept = false; // copied or saved
  if (popup) {
    // A reload, or Back, loads the list instead of this page.
    history.replaceState(null, '', popup.dataset.once);
    const question = popup.querySelector('[data-ask]');
    const wipe = () => popup.remove();
    const leave = () => {
      if (kept) return popup.close();
      question.hidden = false;
      question.querySelector('[data-stay]').focus();
    };
    const stay = () => { question.hidden = true; popup.querySelector('[data-copy]').focus(); };
    popup.removeAttribute('open');
    popup.showModal();
    all('[inert]').forEach(part => part.removeAttribute('inert'));
    popup.addEventListener('close', () => { wipe(); document.getElementById('main').focus(); });
    popup.addEventListener('cancel', event => event.preventDefault());
    popup.addEventListener('copy', () => { kept = true; });
    document.addEventListener('keydown', event => {
      if (event.key !== 'Escape' || !popup.isConnected) return;
      event.preventDefault();
      if (question.hidden) leave(); else stay();
    });
    addEventListener('pagehide', wipe);
    addEventListener('beforeunload', event => { if (popup.isConnected && !kept) event.preventDefault(); });
    all('[data-close]', popup).forEach(link => link.addEventListener('click', event => { event.preventDefault(); leave(); }));
    all('[download]', popup).forEach(link => link.addEventListener('click', () => { kept = true; }));
    popup.querySelector('[data-stay]').addEventListener('click', stay);
    popup.querySelector('[data-discard]').addEventListener('click', () => popup.close());
  }
  all('[data-copy]').forEach(button => button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    const said = document.getElementById(button.dataset.said);
    try {
      await copy(source.textContent.trim());
      said.textContent = texts.copied;
      kept ||= popup?.contains(source);
    } catch {
      getSelection().selectAllChildren(source);
      said.textContent = texts.selected;
    }
  }));
  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Without TLS there is no clipboard interface, only the old command.
    const field = document.createElement('textarea');
    field.value = text;
    (popup || document.body).append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    if (!done) throw new Error('refused');
  }

  // -- rows of headers and addresses: without scripts, their buttons send the form ------------------
  document.addEventListener('click', event => {
    const button = event.target.closest('button[name=do]');
    const list = button && button.closest('[data-rows]');
    if (!list) return;
    event.preventDefault();
    const row = button.closest('.row');
    const rows = () => all(':scope > .row', list);
    const said = list.querySelector('[role=status]');
    const say = text => { said.textContent = text; };
    const what = button.value.split('.')[1];
    if (what === 'add') {
      const fresh = rows().at(-1).cloneNode(true);
      const number = 1 + Math.max(...all('input', list).map(field => Number(field.name.split('.')[1]) || 0));
      all('input', fresh).forEach(field => {
        field.name = field.name.replace(/\.\d+\./, `.${number}.`);
        field.removeAttribute('aria-invalid');
        if (field.type === 'checkbox') field.checked = true; else field.value = '';
      });
      rows().at(-1).after(fresh);
      fresh.querySelector('input[type=text]').focus();
      say(texts.added);
    } else if (what === 'remove') {
      if (rows().length > 1) {
        const next = row.nextElementSibling?.matches('.row') ? row.nextElementSibling : row.previousElementSibling;
        row.remove();
        next.querySelector('input[type=text]').focus();
      } else all('input[type=text]', row).forEach(field => { field.value = ''; });
      say(texts.removed);
    } else {
      const other = what === 'up' ? row.previousElementSibling : row.nextElementSibling;
      if (!other?.matches('.row')) return;
      if (what === 'up') other.before(row); else other.after(row);
      button.focus();
      say(texts.moved.replace('%', rows().indexOf(row) + 1));
    }
    label(list);
    list.dispatchEvent(new Event('input', { bubbles: true }));
  });
  function label(list) {
    all(':scope > .row', list).forEach((row, at) => all('[data-label]', row).forEach(part => {
      part.setAttribute('aria-label', part.dataset.label.replace('%', at + 1));
      if (part.name === 'do') part.value = part.value.replace(/\d+$/, at);
    }));
  }
  // Keeps the headers the same as rows and as text.
  all('input[name=header_mode]').forEach(radio => radio.addEventListener('change', () => {
    const list = document.querySelector('[data-rows=header]');
    const text = document.getElementById('headers_text');
    const rows = () => all(':scope > .row', list);
    const [name, value] = ['name', 'value'].map(column => row => row.querySelector(`input[name$=".${column}"]`));
    if (radio.value === 'text') {
      text.value = rows().filter(row => name(row).value || value(row).value).map(row => `${name(row).value}: ${value(row).value}\n`).join('');
    } else {
      const lines = text.value.split('\n').filter(line => line.trim());
      while (rows().length > 1) rows().at(-1).remove();
      name(rows()[0]).value = value(rows()[0]).value = '';
      lines.forEach((line, at) => {
        if (at) list.querySelector('button[value^="header.add"]').click();
        const row = rows().at(-1);
        const colon = line.indexOf(':');
        name(row).value = colon < 0 ? line : line.slice(0, colon);
        value(row).value = colon < 0 ? '' : line.slice(colon + 1).trim();
      });
      radio.focus();
    }
  }));

  // -- hints while the user types: the server's own validation ------------------------------------
  all('form[data-check]').forEach(form => {
    let timer, latest = 0;
    const touched = new Set();
    form.addEventListener('input', event => {
      if (event.target.name) touched.add(event.target.name);
      clearTimeout(timer);
      timer = setTimeout(check, 400);
    });
    form.addEventListener('submit', () => { clearTimeout(timer); latest += 1; });
    async function check() {
      const mine = latest += 1;
      const response = await fetch(form.dataset.check, { method: 'POST', body: new URLSearchParams(new FormData(form)) }).catch(() => null);
      if (!response?.ok || mine !== latest) return;
      const { problems, hints } = await response.json();
      all('[data-error]', form).forEach(place => {
        const field = place.dataset.error;
        const seen = [...touched].some(name => name === field || name.startsWith(`${field}.`));
        if (!seen && !place.textContent) return;
        const text = (seen && problems[field]) || '';
        place.textContent = text;
        all(`[aria-describedby~="${place.id}"]`, form).forEach(control => text ? control.setAttribute('aria-invalid', 'true') : control.removeAttribute('aria-invalid'));
      });
      // The summary above the form keeps the problems that are left.
      const summary = document.querySelector('.note.bad:has(li a[href^="#"])');
      if (summary) {
        all('li', summary).forEach(item => { item.hidden = !problems[item.firstChild.hash.slice(1)]; });
        summary.hidden = all('li', summary).every(item => item.hidden);
      }
      all('[data-hint]', form).forEach(place => {
        const text = hints[place.dataset.hint] || '';
        if (place.textContent !== text) place.textContent = text;
        place.hidden = !text;
      });
    }
  });

  // -- times: updates the distance, and adds the user's own zone before UTC ----------------------------
  let ahead = Date.parse(root.dataset.now) - Date.now() || 0;
  const now = () => Date.now() + ahead;
  const pad = number => String(number).padStart(2, '0');
  const day = at => `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  const clock = at => `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
  const relative = new Intl.RelativeTimeFormat(root.lang);
  function distance(at) {
    const span = Math.floor(Math.abs(now() - at) / 1000);
    const [size, unit] = [[86400, 'day'], [3600, 'hour'], [60, 'minute'], [1, 'second']].find(([size]) => span >= size) || [1, ''];
    const count = Math.floor(span / size);
    return unit ? relative.format(at <= now() ? -count : count, unit) : texts.now;
  }
  function times(within) {
    all('time[datetime]', within).forEach(time => {
      const at = new Date(time.dateTime);
      const utc = time.dateTime.replace('T', ' ').replace('Z', '');
      if (time.matches('.away')) return write(time, distance(at));
      if (time.matches('.tick')) return write(time, time.matches('.day') ? day(at).slice(5) : clock(at).slice(0, 5));
      const local = `${day(at)} ${clock(at)}`;
      const same = utc.slice(0, 10) === day(at) ? utc.slice(11) : utc;
      // A time within a sentence names its zones itself.
      if (time.matches('.moment')) return write(time, local === utc ? `${utc} UTC` : `${local}, ${same} UTC`);
      write(time, local);
      write(time.nextElementSibling, `${local === utc ? '' : `${same} `}${texts.utc.replace('%', distance(at))}`);
    });
  }
  const write = (place, text) => { if (place && place.textContent !== text) place.textContent = text; };
  times(document);
  setInterval(() => { if (!document.hidden) times(document); }, 1000);

  // A date field is in the user's zone: a hidden field next to it contains the offset on that day.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = at => {
    const minutes = -at.getTimezoneOffset();
    return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
  };
  all('input[data-zone]').forEach(field => {
    const hidden = field.form.elements[field.dataset.zone];
    const at = new Date(field.value + (hidden.value || 'Z'));
    if (field.value) field.value = `${day(at)}T${clock(at).slice(0, 5)}`;
    const mark = () => { hidden.value = field.value ? offset(new Date(field.value)) : ''; };
    field.addEventListener('input', mark);
    mark();
    const label = document.querySelector(`[data-zone-of="${field.name}"]`);
    if (label && zone) label.textContent = texts.zone.replace('%', zone);
  });

  // -- parts that refresh themselves: elements with an id, replaced whole, all from one response -------
  const longest = 60000;
  const said = document.createElement('p');
  const trouble = document.createElement('div');
  const parts = all('[data-live]');
  // While a button or a key is down, the element under it must not be replaced.
  let pressed = false;
  if (parts.length) {
    said.className = 'unseen';
    [said, trouble].forEach(place => place.setAttribute('role', 'status'));
    document.getElementById('main').prepend(said, trouble);
    for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => { pressed = true; }, true);
    for (const kind of ['pointerup', 'pointercancel', 'keyup', 'blur']) addEventListener(kind, event => { if (kind !== 'blur' || event.target === window) pressed = false; }, true);
    new Set(parts.map(part => part.dataset.live)).forEach(poll);
  }
  function poll(address) {
    let timer, failed = 0, asking = false, over = false;
    const own = () => all('[data-live]').filter(part => part.dataset.live === address);
    const pace = () => 1000 * Math.min(...own().map(part => Number(part.dataset.pace)));
    const later = delay => { clearTimeout(timer); timer = setTimeout(ask, delay); };
    async function ask() {
      clearTimeout(timer);
      if (asking || document.hidden) return;
      asking = true;
      const { status, page } = await load(address);
      asking = false;
      over = [401, 403, 404].includes(status);
      if (status === 401) complain(texts.ended, texts.login, location.href);
      else if (over) complain(texts.gone, texts.reload, location.href);
      else if (!page) {
        complain(texts.lost);
        failed += 1;
        later(Math.min(longest, pace() * 2 ** failed) * (0.75 + Math.random() / 2));
      } else {
        failed = 0;
        complain('');
        if (!isBusy(own())) show(page);
        later(pace());
      }
    }
    document.addEventListener('visibilitychange', ask);
    addEventListener('online', ask);
    later(pace());
  }
  // The document in a response is parsed, and nothing in it runs.
  const load = address => new Promise(done => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.timeout = 15000;
    request.setRequestHeader('x-gatepost-visit', 'poll');
    request.onloadend = () => {
      // A login in front of the platform redirects to another address.
      const led = request.responseURL && request.responseURL !== new URL(address, location.href).href;
      const good = request.status === 200 && !led && request.response?.documentElement.dataset.now;
      done({ status: led ? 401 : request.status, page: good ? request.response : null });
    };
    request.send();
  });
  function complain(text, name, href) {
    if (trouble.dataset.text === text) return;
    trouble.dataset.text = text;
    trouble.className = text ? 'note warn' : '';
    trouble.textContent = text && `${text} `;
    if (!name) return;
    const link = document.createElement('a');
    link.href = href;
    link.textContent = name;
    trouble.append(link);
  }
  // While the user selects, types, presses, or answers a question, all parts wait, so that they stay from one moment.
  function isBusy(parts) {
    const chosen = getSelection();
    const within = node => parts.some(part => part.contains(node));
    return pressed || !!document.querySelector('dialog[open], button[aria-busy]')
      || (!chosen.isCollapsed && (within(chosen.anchorNode) || within(chosen.focusNode)))
      || (within(document.activeElement) && document.activeElement.matches('input, select, textarea'));
  }
  function show(page) {
    ahead = Date.parse(page.documentElement.dataset.now) - Date.now();
    all('[data-live]', page).forEach(fresh => {
      const old = document.getElementById(fresh.id);
      if (!old) return;
      const part = document.importNode(fresh, true);
      times(part);
      // Each response masks the token of the forms again, which is no change.
      const token = old.querySelector('input[name=csrf]')?.getAttribute('value');
      if (token) all('input[name=csrf]', part).forEach(field => field.setAttribute('value', token));
      all('details[open][id]', old).forEach(open => part.querySelector(`#${CSS.escape(open.id)}`)?.setAttribute('open', ''));
      if (part.isEqualNode(old)) return;
      const focused = old.contains(document.activeElement) && name(document.activeElement);
      const spots = all('.scroll, pre', old).map(place => [place.scrollLeft, place.scrollTop]);
      const news = spoken(part);
      if (news !== spoken(old)) said.textContent = news;
      old.replaceWith(part);
      all('.scroll, pre', part).forEach((place, at) => { [place.scrollLeft, place.scrollTop] = spots[at] || [0, 0]; });
      // Focuses the same button or link, or else the page, so that the focus is never lost.
      if (focused) (all('a, button, summary, [tabindex]', part).find(place => name(place) === focused) || document.getElementById('main')).focus({ preventScroll: true });
    });
  }
  const spoken = part => all('[data-say]', part).map(place => place.dataset.say).join(' ');
  const name = place => [place.tagName, place.id, place.getAttribute('href'), place.form?.getAttribute('action'), place.closest('details')?.id].join(' ');

  // A confirmation belongs to the last operation, not to this address.
  const here = new URL(location.href);
  if (here.searchParams.has('done')) {
    here.searchParams.delete('done');
    history.replaceState(null, '', here);
  }
  // The response to a form becomes the page of the form: neither a reload nor Back sends the form again.
  if ('sent' in root.dataset && !popup) {
    history.replaceState(null, '', document.querySelector('form.main[method=post]')?.getAttribute('action') || here);
  }
  // -- variables, inserted at the cursor ---------------------------------------------------------------
  all('[data-insert]').forEach(button => button.addEventListener('click', () => {
    const field = document.getElementById(button.dataset.into);
    field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, 'end');
    field.focus();
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }));

  // -- small things ---------------------------------------------------------------------------------
  // A choice by pointer sends its form. With the keyboard, which steps through all choices, the form's button sends it.
  all('select[data-submit]').forEach(select => {
    let typed = false;
    select.addEventListener('pointerdown', () => { typed = false; });
    select.addEventListener('keydown', event => {
      if (event.key === 'Tab') return;
      typed = true;
      all('button.unscripted', select.form).forEach(button => button.classList.remove('unscripted'));
    });
    select.addEventListener('change', () => { if (!typed) select.form.requestSubmit(); });
  });
  // A menu closes when the user clicks or moves the focus outside of it.
  ['pointerdown', 'focusin', 'keydown'].forEach(kind => document.addEventListener(kind, event => {
    all('details.menu[open]').forEach(menu => { if (event.key === 'Escape' || !menu.contains(event.target)) menu.open = false; });
  }));
  // A whole API key in a search is cut to its part that is not secret, so that no address contains it.
  document.addEventListener('submit', event => {
    if (event.target.method !== 'get') return;
    all('input[type=search], input[type=text]', event.target).forEach(field => {
      field.value = field.value.replace(/\b([a-z][a-z0-9_]{0,18}_[1-9A-HJ-NP-Za-km-z]{8})[1-9A-HJ-NP-Za-km-z]{8}_[1-9A-HJ-NP-Za-km-z]{39}\b/g, '$1');
    });
  });
  document.addEventListener('submit', event => {
    const button = event.submitter;
    if (!button || event.defaultPrevented) return;
    if (button.getAttribute('aria-busy')) event.preventDefault();
    button.setAttribute('aria-busy', 'true');
    addEventListener('pageshow', () => button.removeAttribute('aria-busy'), { once: true });
  });
  // The navigation scrolls on a narrow screen. `scrollIntoView` would make the first Tab start from there.
  const [row, current] = ['.top nav', '.top nav [aria-current]'].map(css => document.querySelector(css)?.getBoundingClientRect());
  if (current) document.querySelector('.top nav').scrollBy((current.left + current.right - row.left - row.right) / 2, 0);
  const wrong = document.querySelector('form.main [aria-invalid=true]');
  if (wrong) wrong.focus();
})(TEXTS);
