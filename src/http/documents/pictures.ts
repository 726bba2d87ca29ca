import { ICON } from '#workspace/service/icon.ts';
import type { Document } from './document.ts';

/** A week, because the pictures change only with a version. */
const ICON_CACHE_CONTROL = 'public, max-age=604800';

/** The picture that other sites show beside a link. */
export const PREVIEW_PATH = '/preview.png';

/** `icon.ts` as a PNG of 600 x 315 pixels with 16 colours, as base64. */
const PREVIEW =
  'iVBORw0KGgoAAAANSUhEUgAAAlgAAAE7BAMAAADzwOKGAAAAMFBMVEX/89H/88//7sb/5rHz5szz5sv0157/xV3/xVzOxbWpnYhZ' +
  'Wl8lMU0lMUwkMUwkMEwKdAaIAAAHkklEQVR42u3dv48TRxQH8OWQLi1KEVrS5FoqyB8wV5yvdZpAcQkSXJkQCdxHOp+A0lVypSMl' +
  'weWdFA63SJxtef+BSPkHLPwPbG5CED/W9ng9s7vvzZvZ7ysQCGvX/uyb8XszazuZIKwjAQGwgAUsYAELWCAAFrCABSxgAQsEwAIW' +
  'sIAFLGCBAFjAAhawgAUsEAALWMACFrCABQJgAQtYwAIWsEAgF0vrudb1HOhSz6PG0jqr83CpfhMtVs1U77jml3Fi6X9IjjqLEWue' +
  '0Rw31fFhZRnVkac6Niyd0R07TePCorTiG4k8WGkW9vE5sabkryWNB0tHcQoeLJZBkkWCxVI2TuPA4ngZPKmVxDEIea4JPRZbfa0j' +
  'wMq4sNLwsbhaEY7LEhOWDh0rnfFhkTcK1FicC5nkqUWNlXFipWFjlXr645fnz18OBV6aRNzAGP+h3sUvQ3HjMJE2Cs976n3sPZc2' +
  'DqXtSL9QufhV2JNLZI3C87yV2nXOrb8blFmjtlrUGogah6RYzgsOfbUULeozhptZL9RKiJq2SLEcp6xxexVrd0h6SkFYjmPiVBli' +
  'X9CkRYnlOIGYEss5tUgnLUFz1pkyxp1mzFmOQ6JnxtqT0x5SYrktz1yoNXHidJh5oFhuF7m/DqtFmc6BYuWm92+Uyv1rtwlYbm9M' +
  'o084uT/fxYDurHKwnB79Sq2Nu1JmeDFY/fVYrQZgue2nr1aku+1Sk1aYWE5t2thUvH/4y5DstGKwSs7vuWiXmuHjx7pQBXESP9as' +
  '8opDqZWHBmTW6dLIW5i09icyQgpWvyizWsishTfDYqwhsD7FeU8Vhst+a+xYo7baEA57YrFj9dTGsF8CnAaJVU+N5VxrpXFj9W2w' +
  'WgKeqACskbKKAbA2Fe+lNxDjxBoryxgCa912ocQNRP9YPVus3WHjsS6UdZw0Hqtnj7XXdKyRUuGklm+svgtWq9lYTonlvTD1jHXm' +
  'hrXfZKxP96/tFtUMUqqHJKTE8l2Y+sXquWL5TS2vWBfKZhQu/PdJY7F6llZSClOfWCNVIk4aitUvg9VqJlapxPJamHrEOl25W0Z6' +
  'YeoPy64gFVWY+sM6K5dYPgtTb1jjnioZ/lLLG5Z1QSqoMPWGVaIg9V6YJt4TK6DC1BdWvwpWq1lYI1UpBo3COq2Gtd8krHE1K1/V' +
  'gx+ss4pYngpTP1i9qlh7zcEaqcoxaAzWq+pYdxuDdVodax9YwCLBagELmYUJHqUDilKJWC+qYp00CGvyWzWrb5u1+Hf+Z4V42azF' +
  'v4/x+tghnnl+st7vVnbBGgALWLYxdsEaAgtYwKIIF6wJsIBlHb/bWz0BFrCARRJ/2WM9BRawSDrpZ8ACFrB8LzsMgAWsSp109/69' +
  'W/c78vpogVjdezeSt7F1qwOsTZ1097vkfXzREdZHi8Pqfp98jK86wCrEepjkYgdYRZ300bU81pVDUX20MKzuQbIQ2x1gre2kj5Kl' +
  'OJTURwvDOljG2gbWOqzutWWsKx1gremkHyYrcVtQHy0L62AVaxtY5k66e2MVa6sjp48WhXWUGOIQWEashyasHWAZlx1+MGF9JmfR' +
  'QRTWgQlrG1jGTvqmCeuqnD5aEtZqSbpYlgIrj5UYA1imZYcNWE+AlcM6MmMdAsvQSW/AegosYJXrpDdgPQNWDmvDBA8sYJXtpG+Y' +
  'rLbk9NGisG4W9obAWuikixvpIbDyWD+asK4Dy4j1swnra2BZLztIWnQQhVW8uwOshU7aNGldl3OngzCso4LNHWAtYa1WWlePgWVe' +
  'djBshu0IutNBGtby+2FuPxpYi530amrtSLrTQRxWd2HWutoBVgHW8aM81oNjYK1ddvg/fvo4bV25LeqzKBKxjh+9X9baenAMrIJO' +
  '+sPnUb5Mks+XP40yBJYJ6208fizvU05CsKy+CGMCLGABi6eTlvsFGMAKEcviizCeAgtYwGLrpKV+AQawQsSy+CKMAbCABSzmZQeR' +
  'iw7ACg5rEkYfDSxgRY0VSAALWMACFrCAhfD/bZL2P+Q0jBgrs3nQebvun1NLo8Uat2v/YfJ4sc7q/73MMLFmFo/p1f8bkNFm1tj1' +
  'hw2HDcYaAYsQa9DgOYsCa4rMij2zPE3wOkgsm/FAUDrMgsSyGQ+ORemdurqsILEI2p1AsWyedu2NdBomlt3sUfcSDWHlQIpFeI29' +
  'VA6kWNoHlg4UK/WBlQWKFV2QZpaHSSsNNrN8YIWaWZN5XPM7LZaHGT4LFmvKPg7TcLEim7KIsdgzSweMxT5pZSFjzZhHYchY3MUD' +
  'cTdKjJXGNArJ3w2ziEYhOZaOaBSSY3E20+TnSibxpBb5dSHHSoElcYqnvyzJJJrUmkWAxZVaDBeFAYvnDZHjLBxLNCw9D8e7bhLJ' +
  'RWdJ3ySSq85SzvGslOoorJiwqAcJU1PFtAZP+2q4GlCuDYs3hK8nvZzEhUU4q6RsvTrfVpjOQrfi3Deckryqf7NJjFgkOaAZrZh3' +
  'pC/rfW2p5r25kHv7/lLP63mFWl9q7vswcecfsIAFLGABCwEsYAELWMACFgJYwAIWsIAFLASwgAUsYAELWAhgAQtYwAIWsBDAAhaw' +
  'gAUsYCGA5RD/AQXIZuqSYF/UAAAAAElFTkSuQmCC';

/** `icon.ts` as an ICO of 32 x 32 pixels, as base64, for readers that show no SVG. */
const FAVICON =
  'AAABAAEAICAAAAEAIABdAQAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgDAAAARKSKxgAAAD9QTFRF/sVc9+vMAAAAW15m' +
  'JDBM+NqeIzBMHy5Mr49W4bBZwruueHqAkntUv7isJDBM8uXLAAAAAAAAAAAAAAAAAAAAJu0/UQAAABV0Uk5T//8A/5//UhT/////' +
  '///+////////CNPGegAAALhJREFUeNqdk1sOxCAIAFHwUdvV+9921aaVVdRk58OkMkGxAFprRxQFiFwOgtY2TrFFWMSLAY5/Y1Aq' +
  'IN9xwBNgqnDDAr9fuIXAbwo8gboFxVMw4UwvpyRgYuAoPPn7U0CMM+MRTOownfDphTBWccDLIZa5FXwJGVNWLwpXDqtMVi5RwCbg' +
  'TFCVhbDOEJsg/81aZ63imAj+eQb/ryACUWoI1nStaVHsFwJan0C/gzPi9qO3H97N+H8BDEIu8nWvsvkAAAAASUVORK5CYII=';

export const PREVIEW_PICTURE: Document = {
  summary: 'The picture of this service',
  type: 'image/png',
  encoding: 'base64',
  cacheControl: ICON_CACHE_CONTROL,
  body: () => PREVIEW,
};

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
