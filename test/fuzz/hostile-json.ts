const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth);

/** Objects that break code which converts a value, or calls a method on it, before validation. */
const OBJECTS = [
  '{"toString":0}',
  '{"toString":0}',
  '[{"toString":0}]',
  '{"toString":0,"valueOf":0}',
  '{"toString":{"call":0},"valueOf":{"apply":0}}',
  '{"valueOf":"1"}',
  '{"toJSON":0}',
  '{"toJSON":{"toJSON":null}}',
  '{"then":0}',
  '{"then":{"then":{}}}',
  '{"__proto__":{"toString":0}}',
  '{"__proto__":null}',
  '{"__proto__":[]}',
  '{"constructor":0}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"hasOwnProperty":0,"isPrototypeOf":0}',
  '{"length":-1}',
  '{"length":4294967296,"0":"x"}',
  '{"size":0,"has":0,"get":0}',
  '{"message":"x","code":"internal","stack":"x"}',
  '{"type":"Buffer","data":[1,2,3]}',
  '{"$ref":"#"}',
  '{"":""}',
  '{}',
];

const ARRAYS = ['[]', '[null]', '[[[[]]]]', '["a","a"]', '[1,"1",true]', `[${'0,'.repeat(999)}0]`];

const DEEP = [
  nested('[', ']', 30),
  nested('[', ']', 33),
  nested('[', ']', 1500),
  `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`,
  `${'{"toString":'.repeat(500)}0${'}'.repeat(500)}`,
];

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '0.1',
  '1e308',
  '1e309',
  '-1e999',
  '1e-400',
  '9007199254740993',
  '9223372036854775808',
  '9'.repeat(400),
  '2147483648',
];

const TEXTS = [
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"[object Object]"',
  '"NaN"',
  '"1"',
  '"true"',
  '"null"',
  '"{\\"toString\\":0}"',
  '"$&$1%s%n"',
  '"\\r\\nX-Injected: 1\\r\\n\\r\\n"',
  '"2026-07-28"',
  '"tools/call"',
  '"porchlight://posts/{postId}"',
  `"${'x'.repeat(3000)}"`,
  `"${'x'.repeat(8192)}"`,
  `"${'\u{1F600}'.repeat(2048)}"`,
  `"${'\\u0000'.repeat(1400)}"`,
];

/** JSON texts by kind; JSON.stringify cannot produce some of them. */
export const HOSTILE_JSON: readonly { weight: number; texts: readonly string[] }[] = [
  { weight: 12, texts: OBJECTS },
  { weight: 1, texts: ARRAYS },
  { weight: 1, texts: DEEP },
  { weight: 2, texts: NUMBERS },
  { weight: 3, texts: TEXTS },
  { weight: 1, texts: ['null', 'true', 'false'] },
];

export const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'toJSON',
  'then',
  'hasOwnProperty',
  'length',
  '0',
  '',
  'jsonrpc',
  'id',
  'method',
  'params',
  'arguments',
  '_meta',
  'result',
  'error',
  'idempotencyKey',
  'x'.repeat(8192),
];
