// Runs in the pages, before anything of theirs: what the checks ask a page.
/* global document, innerWidth, getComputedStyle, location */

const MAX_NAMED = 3;

const nameOf = (element) =>
  element.tagName.toLowerCase() +
  (element.id === '' ? '' : `#${element.id}`) +
  [...element.classList].map((name) => `.${name}`).join('');

const isVisible = (element) => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(element).visibility === 'visible';
};

/** Elements that reach out of the window, and do not scroll inside an element that does. */
function overflowing() {
  const scrolls = (element) =>
    ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(element).overflowX);
  const isInside = (element) => {
    for (
      let parent = element.parentElement;
      parent !== null && parent !== document.body;
      parent = parent.parentElement
    )
      if (scrolls(parent)) return true;
    return false;
  };
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5 && !isInside(element))
    .slice(0, MAX_NAMED)
    .map(nameOf);
}

/** Radio buttons that do not stand before their label, on a line with it. */
function strayButtons() {
  return [...document.querySelectorAll('input[type=radio]')]
    .filter((button) => {
      const label = document.createRange();
      label.selectNodeContents(button.labels[0].lastChild);
      const text = label.getBoundingClientRect();
      const { right, top, bottom } = button.getBoundingClientRect();
      return right > text.left || bottom <= text.top || top >= text.bottom;
    })
    .map(nameOf);
}

/** Elements with texts of either direction and one side: Firefox aligns items with their list. */
function fixedSides() {
  return [...document.querySelectorAll('main [dir=auto], main .title, main .excerpt, main .text *')]
    .filter((element) => element.closest('.right, .center') === null)
    .filter((element) => !['start', 'match-parent'].includes(getComputedStyle(element).textAlign))
    .slice(0, MAX_NAMED)
    .map(nameOf);
}

/** How the standings of RESULTs are framed, so that they differ without colours. */
const FRAMES = {
  solid: ['confirmed', 'refuted'],
  dashed: ['partlyConfirmed', 'contested'],
  dotted: ['unreviewed', 'reviewed', 'replaced', 'withdrawn', 'uncounted'],
};

/** Whether an element, or what stands before it, has a background or a border that is not of the page. */
function showsShape(element, pseudo) {
  const paper = getComputedStyle(document.body).backgroundColor;
  const style = getComputedStyle(element, pseudo);
  const isSeen = (colour) => colour !== paper && colour !== 'rgba(0, 0, 0, 0)' && colour !== 'transparent';
  const hasBorder = style.borderTopStyle !== 'none' && parseFloat(style.borderTopWidth) > 0;
  return (
    (style.forcedColorAdjust === 'none' && isSeen(style.backgroundColor)) ||
    style.backgroundImage !== 'none' ||
    (hasBorder && isSeen(style.borderTopColor))
  );
}

globalThis.probe = {
  layout() {
    const { scrollWidth } = document.scrollingElement;
    const out = scrollWidth > innerWidth ? overflowing() : [];
    return {
      scrollWidth,
      innerWidth,
      overflowing: out,
      strayButtons: strayButtons(),
      fixedSides: fixedSides(),
      farCells: [...document.querySelectorAll('.wide:has(:is(th, td):nth-child(13))')].filter(
        (one) => one.scrollWidth > one.clientWidth,
      ).length,
    };
  },

  home() {
    const [first] = document.querySelectorAll('.finds li');
    return {
      height: document.scrollingElement.scrollHeight,
      firstFinding: first?.getBoundingClientRect().top ?? Infinity,
    };
  },

  shapes() {
    const shapes = [
      ...[...document.querySelectorAll('.badge')].map((one) => [one, '::before']),
      ...[...document.querySelectorAll('.tag')].map((one) => [one, '::before']),
    ];
    const frames = Object.entries(FRAMES).flatMap(([kind, standings]) =>
      [...document.querySelectorAll(standings.map((one) => `.st.${one}`).join())].map((one) => [one, kind]),
    );
    return {
      shapes: shapes.length,
      lost: shapes.filter(([one, pseudo]) => !showsShape(one, pseudo)).map(([one]) => nameOf(one)),
      frames: frames.length,
      wrong: frames
        .filter(([one, kind]) => getComputedStyle(one).borderTopStyle !== kind)
        .map(([one]) => nameOf(one)),
    };
  },

  wideRows() {
    const rows = [...document.querySelectorAll('.wide tr:has(:is(th, td):nth-child(9))')];
    const linesOf = (row) => new Set([...row.children].map((cell) => cell.getBoundingClientRect().top)).size;
    return {
      rows: rows.length,
      broken: rows.filter((row) => linesOf(row) === row.children.length).length,
    };
  },

  /** What stays folded, and messages without an address. */
  unprinted() {
    const isNamed = (one) =>
      [...one.querySelectorAll('.num a')].some(
        (link) => getComputedStyle(link, '::after').content !== 'none',
      );
    return [
      ...[...document.querySelectorAll('details > :not(summary)')].filter((one) => !one.checkVisibility()),
      ...[...document.querySelectorAll('article.message[id]:has(.num)')].filter((one) => !isNamed(one)),
    ].map(nameOf);
  },

  structure() {
    const textsOf = (selector) =>
      [...document.querySelectorAll(selector)].map((one) => one.textContent.trim());
    return {
      title: document.title.trim(),
      language: document.documentElement.lang,
      headings: textsOf('h1'),
      mains: [...document.querySelectorAll('main, [role=main]')].filter(isVisible).length,
    };
  },

  /** What has the focus, and how it shows. */
  focus() {
    const element = document.activeElement;
    if (element === null || element === document.body) return null;
    const { top, left, bottom, right } = element.getBoundingClientRect();
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const href = element.getAttribute('href') ?? '';
    const id = href.startsWith('#') ? decodeURIComponent(href.slice(1)) : '';
    return {
      name: nameOf(element),
      isSkipLink: id !== '' && document.getElementById(id)?.closest('main, [role=main]') !== null,
      isInWindow: isVisible(element) && top >= 0 && left >= 0 && bottom > 0 && right > 0 && left < innerWidth,
      isMarked: (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none',
    };
  },

  /** Whether the address leads to an element of this id, which is in the window. */
  target(id) {
    const element = document.getElementById(id);
    if (element === null) return { isTarget: false, isInWindow: false, isWhole: false, hash: location.hash };
    const message = element.closest('article');
    const { top, bottom } = message.querySelector('summary, header').getBoundingClientRect();
    return {
      isTarget: element.matches(':target'),
      isInWindow: top >= 0 && bottom <= globalThis.innerHeight,
      // Of what a click would open, too.
      isWhole: [...message.querySelectorAll('details > :last-child')].every((part) => part.checkVisibility()),
      hash: location.hash,
    };
  },
};
