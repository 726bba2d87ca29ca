import { parse, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.Document;

/** An element of a page, in the order of the document. */
interface PageElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The text of the element and of all within. */
  readonly text: string;
  /** Names of the elements around it, the outermost first. */
  readonly path: readonly string[];
}

export interface ParsedPage {
  /** Codes of the HTML standard. */
  readonly errors: readonly string[];
  readonly elements: readonly PageElement[];
  readonly all: (name: string, where?: Readonly<Record<string, string>>) => PageElement[];
}

/** Parses a page as a browser does. */
export function parsePage(html: string): ParsedPage {
  const errors: string[] = [];
  const document = parse(html, { onParseError: ({ code }) => errors.push(code) });
  const elements: PageElement[] = [];
  const visit = (node: Node, path: readonly string[]): string => {
    if ('value' in node) return node.value;
    if (!('childNodes' in node)) return '';
    const isElement = 'tagName' in node;
    const index = elements.length;
    const name = isElement ? node.tagName : '';
    if (isElement) {
      const attributes = Object.fromEntries(node.attrs.map((one) => [one.name, one.value]));
      elements.push({ name, attributes, text: '', path });
    }
    const inner = isElement ? [...path, name] : path;
    const text = node.childNodes.map((child) => visit(child, inner)).join('');
    const element = elements[index];
    if (isElement && element !== undefined) elements[index] = { ...element, text };
    return text;
  };
  visit(document, []);
  const all: ParsedPage['all'] = (name, where = {}) =>
    elements.filter(
      (element) =>
        element.name === name &&
        Object.entries(where).every(([key, value]) => element.attributes[key] === value),
    );
  return { errors, elements, all };
}

export const textsOf = (elements: readonly PageElement[]): string[] => elements.map(({ text }) => text);

/** @returns the text and the address of each link */
export const linksOf = (links: readonly PageElement[]): [text: string, href: string | undefined][] =>
  links.map(({ text, attributes }) => [text, attributes['href']]);

const INLINE = new Set(['a', 'b', 'bdi', 'code', 'em', 'mark', 's', 'span', 'strong', 'time']);
const UNSEEN = new Set(['head', 'script', 'style', 'template']);

/** The text that a browser shows of HTML, with the numbers of items and blanks between blocks. */
export function visibleText(html: string): string {
  const visit = (node: Node): string => {
    if ('value' in node) return node.value;
    if (!('childNodes' in node)) return '';
    const text = node.childNodes.map(visit).join('');
    if (!('tagName' in node) || INLINE.has(node.tagName)) return text;
    if (UNSEEN.has(node.tagName)) return '';
    const number = node.tagName === 'li' ? node.attrs.find(({ name }) => name === 'value')?.value : undefined;
    return ` ${number === undefined ? '' : `${number}. `}${text} `;
  };
  return visit(parse(html));
}
