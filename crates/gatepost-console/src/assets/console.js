// Everything works without this file, except for Copy and for what refreshes itself. It writes text, never markup.
'use strict';
(() => {
  const root = document.documentElement;
  root.classList.add('script');
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // -- a secret that is shown once ---------------------------------------------------------------
  const popup = document.querySelector('dialog[data-once]');
  if (popup) {
    // A reload, or Back, loads the list instead of this page.
    history.replaceState(null, '', popup.dataset.once);
    const wipe = () => popup.remove();
    popup.removeAttribute('open');
    popup.showModal();
    popup.addEventListener('close', () => { wipe(); document.getElementById('main').focus(); });
    addEventListener('pagehide', wipe);
    all('[data-close]', popup).forEach(link => link.addEventListener('click', event => { event.preventDefault(); popup.close(); }));
  }
  all('[data-copy]').forEach(button => button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    const said = document.getElementById(button.dataset.said);
    try {
      await copy(source.textContent.trim());
      said.textContent = 'Copied.';
    } catch {
      getSelection().selectAllChildren(source);
      said.textContent = 'Your browser did not allow copying. The text is selected: copy it with the keyboard.';
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

  // -- rows of headers and addresses: the buttons that otherwise ask the server --------------------
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
      say('Row added.');
    } else if (what === 'remove') {
      if (rows().length > 1) {
        const next = row.nextElementSibling?.matches('.row') ? row.nextElementSibling : row.previousElementSibling;
        row.remove();
        next.querySelector('input[type=text]').focus();
      } else all('input[type=text]', row).forEach(field => { field.value = ''; });
      say('Row removed.');
    } else {
      const other = what === 'up' ? row.previousElementSibling : row.nextElementSibling;
      if (!other?.matches('.row')) return;
      if (what === 'up') other.before(row); else other.after(row);
      button.focus();
      say(`Row moved to position ${rows().indexOf(row) + 1}.`);
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
  // The same headers as rows and as text.
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
      all('[data-hint]', form).forEach(place => {
        const text = hints[place.dataset.hint] || '';
        if (place.textContent !== text) place.textContent = text;
        place.hidden = !text;
      });
    }
  });

  // -- figures and states that refresh themselves --------------------------------------------------
  all('[data-live]').forEach(area => {
    const every = 3000;
    async function refresh() {
      if (!document.hidden) {
        const response = await fetch(area.dataset.live, { headers: { accept: 'application/json', 'x-gatepost-visit': 'poll' } }).catch(() => null);
        if (response?.status === 401 || response?.redirected) return;
        if (response?.ok) show(await response.json());
      }
      setTimeout(refresh, every);
    }
    function show({ texts, states }) {
      for (const [name, text] of Object.entries(texts || {})) {
        all(`[data-text="${CSS.escape(name)}"]`, area).forEach(place => {
          if (place.textContent !== text) place.textContent = text;
          if (place.dataset.hide !== undefined) place.hidden = !text;
        });
      }
      for (const [id, [state, kind]] of Object.entries(states || {})) {
        all(`[data-state="${CSS.escape(id)}"]`, area).forEach(place => { place.textContent = state; place.className = `badge ${kind}`; });
      }
    }
    setTimeout(refresh, every);
  });

  // -- variables that are put where the cursor stands -------------------------------------------------
  all('[data-insert]').forEach(button => button.addEventListener('click', () => {
    const field = document.getElementById(button.dataset.into);
    field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, 'end');
    field.focus();
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }));

  // -- small things ---------------------------------------------------------------------------------
  all('select[data-submit]').forEach(select => select.addEventListener('change', () => select.form.requestSubmit()));
  document.addEventListener('submit', event => {
    const button = event.submitter;
    if (!button || event.defaultPrevented) return;
    if (button.getAttribute('aria-busy')) event.preventDefault();
    button.setAttribute('aria-busy', 'true');
    addEventListener('pageshow', () => button.removeAttribute('aria-busy'), { once: true });
  });
  const wrong = document.querySelector('form.main [aria-invalid=true]');
  if (wrong) wrong.focus();
})();
