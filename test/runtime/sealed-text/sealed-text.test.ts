import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openText, SEAL_KEY_BYTES, sealText } from '../../../runtime/sealed-text.ts';

const KEY = randomBytes(SEAL_KEY_BYTES);
const SEALED = sealText('a “text”', KEY, 'here');

test('a sealed text opens with the key and the purpose of its seal', () => {
  expect(openText(SEALED, KEY, 'here')).toBe('a “text”');
});

test('two seals of the same text differ', () => {
  expect(sealText('a “text”', KEY, 'here')).not.toBe(SEALED);
});

test.each([
  ['with another key', SEALED, randomBytes(SEAL_KEY_BYTES), 'here'],
  ['for another purpose', SEALED, KEY, 'there'],
  ['that is not a seal', 'seal', KEY, 'here'],
  ['that is empty', '', KEY, 'here'],
])('a sealed text %s does not open', (_, sealed, key, purpose) => {
  expect(openText(sealed, key, purpose)).toBeUndefined();
});

test('a sealed text with a changed or missing byte does not open', () => {
  const bytes = Buffer.from(SEALED, 'base64url');
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openText(changed.toString('base64url'), KEY, 'here')).toBeUndefined();
    expect(openText(bytes.subarray(0, at).toString('base64url'), KEY, 'here')).toBeUndefined();
  }
});
