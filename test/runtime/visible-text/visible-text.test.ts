import { expect, test } from 'vitest';
import { toVisibleJson } from '../../../runtime/observe/visible-text.ts';

test.each(['\u007f', '\u009b31m', '\u2028', '\u202egpj', '\u200f', '\u061c', '\u2066', 'größe 日本 😀', '"\\\n'])(
  'toVisibleJson writes %j in visible characters with the same meaning',
  text => {
    const json = toVisibleJson(JSON.stringify({ text }));
    expect(JSON.parse(json)).toEqual({ text });
    expect(json).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
  },
);
