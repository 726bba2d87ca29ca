/** @returns the media ranges of an Accept header (RFC 9110 section 12.5.1) with a weight other than 0, in lower case */
export function acceptedRanges(header: string): string[] {
  return header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [range];
  });
}

const HTML = 'text/html';

/** Whether a client asks for a page by name, as browsers do. */
export function acceptsHtml(header: string | undefined): boolean {
  return header !== undefined && acceptedRanges(header).includes(HTML);
}

/** Whether a client asks for JSON by name, and not for a page too. */
export function prefersJson(header: string | undefined): boolean {
  return asksFor('application/json', header);
}

/** Whether a client asks for Markdown by name, and not for a page too. */
export function prefersMarkdown(header: string | undefined): boolean {
  return asksFor('text/markdown', header);
}

function asksFor(type: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  const ranges = acceptedRanges(header);
  return ranges.includes(type) && !ranges.includes(HTML);
}
