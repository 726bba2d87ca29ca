import { ICON } from '#workspace/service/service.ts';
import type { Document } from '#http/responses/document.ts';

/** A week, because the pictures change only with a version. */
export const ICON_CACHE_CONTROL = 'public, max-age=604800';

/** `icon.ts` as an ICO of 32 x 32 pixels, as base64, for readers that show no SVG. */
const FAVICON =
  'AAABAAEAICAAAAEAIABdAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgDAAAARKSKxgAAAD9QTFRF/sVc9+vMAAAAW15m' +
  'JDBM+NqeIzBMHy5Mr49W4bBZwruueHqAkntUv7isJDBM8uXLAAAAAAAAAAAAAAAAAAAAJu0/UQAAABV0Uk5T//8A/5//UhT/////' +
  '///+////////CNPGegAAALhJREFUeNqdk1sOxCAIAFHwUdvV+9921aaVVdRk58OkMkGxAFprRxQFiFwOgtY2TrFFWMSLAY5/Y1Aq' +
  'IN9xwBNgqnDDAr9fuIXAbwo8gboFxVMw4UwvpyRgYuAoPPn7U0CMM+MRTOownfDphTBWccDLIZa5FXwJGVNWLwpXDqtMVi5RwCbg' +
  'TFCVhbDOEJsg/81aZ63imAj+eQb/ryACUWoI1nStaVHsFwJan0C/gzPi9qO3H97N+H8BDEIu8nWvsvkAAAAASUVORK5CYII=';

export const FAVICON_PICTURE: Document = {
  summary: 'The icon as ICO',
  type: 'image/x-icon',
  encoding: 'base64',
  cacheControl: ICON_CACHE_CONTROL,
  body: () => FAVICON,
};

export const ICON_PICTURE: Document = {
  summary: 'The icon of this service',
  type: 'image/svg+xml',
  cacheControl: ICON_CACHE_CONTROL,
  body: () => ICON,
};
