import { absoluteUrl, type Service } from './service.ts';

/** Path of the icon over HTTP. */
const ICON_PATH = '/icon.svg';

const ICON_TYPE = 'image/svg+xml';

/** A lit lantern on dark blue, visible on light and dark backgrounds. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" ' +
  'fill="#25314d"/><path fill="#ffc55c" d="M10 13h12l-1.5 11h-9z"/><circle cx="16" cy="18.5" r="3" ' +
  'fill="#fff3d1"/><path fill="#f3e6cc" stroke="#f3e6cc" stroke-width="2" stroke-linecap="round" ' +
  'stroke-linejoin="round" d="M13 7a3 3 0 0 1 6 0M8 12l4-4.5h8l4 4.5zM10.5 26h11"/></svg>';

/** An icon as MCP describes it. */
interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: string[];
}

/** The icon by its URL, or as a data URL if the service has no base URL. */
export function serviceIcons(service: Service): Icon[] {
  const src = absoluteUrl(service, ICON_PATH) ?? `data:${ICON_TYPE},${encodeURIComponent(ICON)}`;
  return [{ src, mimeType: ICON_TYPE, sizes: ['any'] }];
}
