/** @returns the media ranges of an Accept header (RFC 9110 section 12.5.1) with a weight other than 0, in lower case */
export function acceptedRanges(header: string): string[] {
  return header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [range];
  });
}

/** Whether a client asks for JSON by name, and not for a page too, as browsers do. */
export function prefersJson(header: string | undefined): boolean {
  if (header === undefined) return false;
  const ranges = acceptedRanges(header);
  return ranges.includes('application/json') && !ranges.includes('text/html');
}
