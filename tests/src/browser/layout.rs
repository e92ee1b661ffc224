//! Scripts that check the layout of a page in its window.

/// The width by which the page exceeds its window, and the elements beyond the edge.
pub const BEYOND: &str = "(() => {
  const wide = document.scrollingElement.scrollWidth - innerWidth;
  if (wide <= 0) return null;
  const parts = [...document.querySelectorAll('body *')].filter(part => part.getBoundingClientRect().right > innerWidth + 1 || part.getBoundingClientRect().left < -1);
  return [wide, ...parts.slice(0, 3).map(part => part.outerHTML.slice(0, 100))];
})()";
/// Things to use, or to read, of which one lies upon another; an open menu may.
pub const OVERLAPS: &str = "(() => {
  const within = document.querySelector('dialog[open]') || document;
  const parts = [...within.querySelectorAll('a, button, input, select, textarea, summary, h1, h2, h3, legend, dt, dd, .badge, .hint, .label')]
    .filter(part => part.checkVisibility({visibilityProperty: true}) && !part.closest('.unseen, .skip, thead, .menu > div'))
    .map(part => [part, [...part.getClientRects()].filter(box => box.width > 2 && box.height > 2)]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const found = [];
  parts.forEach(([one, boxes], at) => parts.slice(at + 1).forEach(([other, others]) => {
    if (one.contains(other) || other.contains(one)) return;
    if (boxes.some(box => others.some(second => meet(box, second)))) found.push([one.outerHTML.slice(0, 90), other.outerHTML.slice(0, 90)]);
  }));
  return found.slice(0, 3);
})()";
/// Controls that stand out of their section.
pub const STANDS_OUT: &str = "(() => {
  const out = part => {
    const [own, around] = [part.getBoundingClientRect(), part.closest('section').getBoundingClientRect()];
    return own.width > 2 && (own.right > around.right + 1 || own.left < around.left - 1);
  };
  return [...document.querySelectorAll('section :is(a, button, input, select, textarea, summary)')]
    .filter(part => part.checkVisibility({visibilityProperty: true}) && !part.closest('.unseen, .scroll, pre') && out(part))
    .slice(0, 3).map(part => part.outerHTML.slice(0, 120));
})()";
