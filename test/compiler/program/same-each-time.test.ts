/** Programs that ask for the time, for chance, for keys or for variables get the same each time, and a finding says so. */
import { expect, test } from 'vitest';
import { line, ProgramWorld } from '../../support/program-world.ts';
import { type BadProgram, expectFindings } from './bad-programs.ts';

const CHANGING: readonly BadProgram[] = [
  [
    'reads the time and random values',
    `import { randomUUID } from 'node:crypto';\nDate.now();\nexport const day = new Date();\nMath.random();\nrandomUUID();\ncrypto.getRandomValues(new Uint8Array(2));`,
    [
      'LNT1090 warning app.ts:7:6 Date.now gives the same time each time, not the time of day',
      'LNT1090 warning app.ts:8:20 new Date() gives the same time each time, not the time of day',
      'LNT1090 warning app.ts:9:6 Math.random gives the same values each time, so they are not secret',
      'LNT1090 warning app.ts:10:1 crypto.randomUUID gives the same values each time, so they are not secret',
      'LNT1090 warning app.ts:11:8 crypto.getRandomValues gives the same values each time, so they are not secret',
    ],
  ],
  [
    'reads random values in other ways',
    `import crypto from 'node:crypto';
crypto.randomFill(Buffer.alloc(4), () => {});
crypto.pseudoRandomBytes(4);`,
    [
      'LNT1090 warning app.ts:7:8 crypto.randomFill gives the same values each time, so they are not secret',
      'LNT1090 warning app.ts:8:8 crypto.randomBytes gives the same values each time, so they are not secret',
    ],
  ],
  [
    'reads the time in other ways',
    `new Intl.DateTimeFormat('en').format();
new Intl.DateTimeFormat('en').formatToParts();
new File([], 'x');
new Event('x').timeStamp;`,
    [
      'LNT1090 warning app.ts:6:31 Intl.DateTimeFormat gives the same time each time, not the time of day',
      'LNT1090 warning app.ts:7:31 Intl.DateTimeFormat gives the same time each time, not the time of day',
      'LNT1090 warning app.ts:8:1 new File() gives the same time each time, not the time of day',
      'LNT1090 warning app.ts:9:16 event.timeStamp gives the same time each time, not the time of day',
    ],
  ],
  [
    'formats dates of its own, which is allowed',
    `new Intl.DateTimeFormat('en').format(0);
new Intl.DateTimeFormat('en').formatToParts(new Date(0));
new File([], 'x', { lastModified: 0 });`,
    [],
  ],
  [
    'generates a key',
    `import { generateKeySync } from 'node:crypto';\ngenerateKeySync('hmac', { length: 64 });`,
    [
      'LNT1070 error app.ts:7:1 the program throws Error: crypto.generateKeySync is refused: programs make no keys, which would be others each time',
    ],
  ],
  [
    'generates a key pair',
    `import { generateKeyPairSync } from 'node:crypto';\ngenerateKeyPairSync('ed25519');`,
    [
      'LNT1070 error app.ts:7:1 the program throws Error: crypto.generateKeyPairSync is refused: programs make no keys, which would be others each time',
    ],
  ],
  [
    'generates a key by the Web Crypto API',
    `await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);`,
    [
      'LNT1070 error app.ts:6:21 the program throws Error: crypto.subtle.generateKey is refused: programs make no keys, which would be others each time',
    ],
  ],
  [
    'generates a key by ECDH',
    `import { createECDH } from 'node:crypto';\ncreateECDH('prime256v1').generateKeys();`,
    [
      'LNT1070 error app.ts:7:26 the program throws Error: ECDH.generateKeys is refused: programs make no keys, which would be others each time',
    ],
  ],
  ['gives a fixed date, which is allowed', `object('a', { data: { day: new Date(0).toISOString() } });`, []],
  [
    'reads environment variables',
    'process.env.PATH;\nprocess.env.LINTEL_NOT_SET;',
    ['LNT1091 hint app.ts:6:13 PATH is set here, and the program does not get it'],
  ],
];

test.concurrent.each(CHANGING)(
  'lintel check reports what may change the result of a program that %s',
  (_name, body, expected, options) => expectFindings(body, expected, options),
);

test('no finding repeats the value of an environment variable of a program', async () => {
  await using world = await ProgramWorld.with({
    'app.ts': `throw new Error('cannot use ' + process.env.LINTEL_TEST_STAGE);\n`,
  });
  process.env.LINTEL_TEST_STAGE = 's3cr3t-stage';
  const { outcome } = await world.run('app.ts', { environment: ['LINTEL_TEST_STAGE'] });
  delete process.env.LINTEL_TEST_STAGE;
  expect(outcome.diagnostics.map(line)).toEqual([
    'LNT1070 error app.ts:1:7 the program throws Error: cannot use [LINTEL_TEST_STAGE]',
  ]);
});
