import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendToChain } from '#shared/plan';
import { MAX_PROBLEMS, readLogLines, verifyChain } from '../../../compiler/audit-log/index.ts';
import { temporaryFolder } from '../../support/process.ts';
import { runs } from '../../support/runs.ts';
import { chained, formatLog } from './logs.ts';

async function verified(texts: Readonly<Record<string, string | Buffer>>) {
  await using folder = await temporaryFolder();
  const files = Object.keys(texts).map(name => folder.file(name));
  for (const [name, text] of Object.entries(texts)) await writeFile(folder.file(name), text);
  const { problems, ...verdict } = await verifyChain(readLogLines(files));
  const messages = problems.map(
    ({ file, line, message }) => `${file.slice(folder.path.length + 1)}:${line}: ${message}`,
  );
  return { ...verdict, messages };
}

const { lines, head } = chained(9);
/** The lines with some of them replaced. */
const with_ = (changes: Readonly<Record<number, string | null>>) =>
  lines.flatMap((line, index) => changes[index + 1] ?? (changes[index + 1] === null ? [] : line));
const line = (number: number) => lines[number - 1] as string;
const edited = (number: number) => line(number).replace('search', 'delete');
const HASH = /"hash":"[0-9a-f]{64}"/;

/** A line with changed text whose hash matches that text. */
function forged(number: number): string {
  const record = edited(number).replace(/,"chain":.*$/, '}');
  const before = number === 1 ? chained(0).head : chained(number - 1).head;
  return appendToChain(record, before).line;
}

test('lintel audit verify finds no problem in a complete audit log', async () => {
  const { messages, ...verdict } = await verified({ a: formatLog(lines) });
  expect(messages).toEqual([]);
  expect(verdict).toEqual({ records: 9, first: 1, head, problemCount: 0, unchained: 0, torn: 0 });
});

describe('an incomplete or edited log', () => {
  test.each<[what: string, lines: readonly string[], messages: readonly string[]]>([
    ['has an edited line', with_({ 4: edited(4) }), ['a:4: record 4 was changed: its hash is not that of its text']],
    [
      'has an edited line with a hash that fits its text',
      with_({ 4: forged(4) }),
      ['a:5: record 5 does not follow record 4: one was replaced'],
    ],
    [
      'has a line with the hash of another',
      with_({ 4: line(4).replace(HASH, `"hash":"${'0'.repeat(64)}"`) }),
      [
        'a:4: record 4 was changed: its hash is not that of its text',
        'a:5: record 5 does not follow record 4: one was replaced',
      ],
    ],
    ['lacks a line', with_({ 4: null }), ['a:4: record 4 is missing']],
    ['lacks several lines', with_({ 4: null, 5: null, 6: null }), ['a:4: records 4 to 6 are missing']],
    ['has a line twice', with_({ 4: `${line(4)}\n${line(4)}` }), ['a:5: record 4 is out of place, behind record 4']],
    [
      'has two lines in the wrong order',
      with_({ 4: line(5), 5: line(4) }),
      ['a:4: record 4 is missing', 'a:5: record 4 is out of place, behind record 5'],
    ],
    [
      'has a line of something else',
      with_({ 4: `${line(4)}\n{"audit_id":"x"}` }),
      ['a:5: the line has no place in the chain'],
    ],
    [
      'has a line without its place',
      with_({ 4: edited(4).replace(/,"chain":.*$/, '}') }),
      ['a:4: the line has no place in the chain', 'a:5: record 4 is missing'],
    ],
    [
      'begins again',
      [...lines, ...chained(2).lines],
      ['a:10: another chain begins, behind record 9: records may be missing'],
    ],
  ])('lintel audit verify names the line and the fault of an audit log that %s', async (_, changed, messages) => {
    expect((await verified({ a: formatLog(changed) })).messages).toEqual(messages);
  });

  test('lintel audit verify finds that an audit log was cut off within a line', async () => {
    const text = formatLog(lines);
    const { messages, records } = await verified({ a: text.slice(0, -20) });
    expect(messages).toEqual(['a:9: the line has no end: the log was cut off, or its writer was killed']);
    expect(records).toBe(8);
    expect((await verified({ a: text.slice(0, -1) })).messages, 'within the last byte').toHaveLength(1);
  });

  test('lintel audit verify finds no fault in an audit log that was cut off between two lines, but prints another head of the hash chain', async () => {
    const { messages, head: newest } = await verified({ a: formatLog(lines.slice(0, 5)) });
    expect([messages, newest?.sequence]).toEqual([[], 5]);
    expect(newest).not.toEqual(head);
  });

  test('lintel audit verify finds bytes in an audit log that are not UTF-8', async () => {
    const bytes = Buffer.from(formatLog(lines));
    bytes[bytes.indexOf('é')] = 0xff;
    expect((await verified({ a: bytes })).messages).toEqual(['a:1: the line is not UTF-8']);
  });

  test('lintel audit verify lists the first problems of an audit log with many, and counts all problems', async () => {
    const { messages, problemCount } = await verified({
      a: formatLog(chained(100).lines.map(each => each.replace('search', 'delete'))),
    });
    expect([messages.length, problemCount]).toEqual([MAX_PROBLEMS, 100]);
  });
});

describe('rotated files', () => {
  const rotated = {
    log: formatLog(lines.slice(6)),
    'log.1': formatLog(lines.slice(3, 6)),
    'log.2': formatLog(lines.slice(0, 3)),
  };

  test('lintel audit verify reads rotated audit files as one log, in any order', async () => {
    for (const names of [
      ['log', 'log.1', 'log.2'],
      ['log.1', 'log.2', 'log'],
    ] as const) {
      const files = Object.fromEntries(names.map(name => [name, rotated[name]]));
      expect(await verified(files)).toMatchObject({ messages: [], records: 9, first: 1, head });
    }
  });

  test('lintel audit verify reads compressed rotated audit files', async () => {
    const files = { log: rotated.log, 'log.1': rotated['log.1'], 'log.2.gz': gzipSync(rotated['log.2']) };
    expect(await verified(files)).toMatchObject({ messages: [], records: 9, head });
    await expect(verified({ 'log.gz': 'no gzip' })).rejects.toThrow(/log\.gz cannot be read: incorrect header check/);
  });

  test('lintel audit verify reports the records of a missing rotated audit file, unless it is the oldest file', async () => {
    expect(await verified({ log: rotated.log, 'log.2': rotated['log.2'] })).toMatchObject({
      messages: ['log:1: records 4 to 6 are missing'],
    });
    expect(await verified({ log: rotated.log, 'log.1': rotated['log.1'] })).toMatchObject({
      messages: [],
      first: 4,
      records: 6,
    });
  });

  test('lintel audit verify accepts an incomplete last line of a rotated audit file if the next file has the whole line', async () => {
    const part = `${rotated['log.1']}${line(7).slice(0, 30)}`;
    expect(await verified({ log: rotated.log, 'log.1': part, 'log.2': rotated['log.2'] })).toMatchObject({
      messages: [],
      records: 9,
      torn: 1,
    });
  });
});

test('lintel audit verify counts the lines of an audit log that come before its hash chain', async () => {
  expect(await verified({ a: `{"audit_id":"1"}\n{"audit_id":"2"}\n${formatLog(lines)}` })).toMatchObject({
    messages: [],
    unchained: 2,
    records: 9,
  });
});

test('lintel audit verify accepts a partly written line when the hash chain continues after the line', async () => {
  const torn = with_({ 4: `${line(4)}\n{"audit_id":"lo` });
  expect(await verified({ a: formatLog(torn) })).toMatchObject({ messages: [], torn: 1, records: 9 });
  const hidden = with_({ 4: '{"audit_id":"lo' });
  expect((await verified({ a: formatLog(hidden) })).messages, 'in place of a record').toHaveLength(2);
});

test('lintel audit verify reports no head for an audit log without a hash chain', async () => {
  expect(await verified({ a: '{"audit_id":"1"}\n' })).toMatchObject({ head: null, records: 0, unchained: 1 });
  expect(await verified({ a: '' })).toMatchObject({ head: null, records: 0 });
});

describe('every change to a log', () => {
  const text = Buffer.from(formatLog(lines));

  test('lintel audit verify notices a change of any byte of an audit log', async () => {
    const change = fc.tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(change, async ([at, by]) => {
        const changed = Buffer.from(text);
        changed[at] = ((changed[at] as number) + by) % 256;
        const { problemCount, unchained, head: newest } = await verified({ a: changed });
        expect(problemCount > 0 || unchained > 0 || newest?.hash !== head.hash).toBe(true);
      }),
      { numRuns: runs(400) },
    );
  });

  test('lintel audit verify notices lines of an audit log that were moved, repeated or removed', async () => {
    const order = fc.array(fc.nat(lines.length - 1), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(order, async chosen => {
        const { problemCount, first, head: newest } = await verified({ a: formatLog(chosen.map(at => line(at + 1))) });
        const isRun = chosen.every((at, index) => at === (chosen[0] as number) + index);
        expect(problemCount === 0).toBe(isRun);
        if (isRun)
          expect([first, newest?.sequence]).toEqual(
            chosen.length === 0 ? [null, undefined] : [(chosen[0] as number) + 1, (chosen.at(-1) as number) + 1],
          );
      }),
      { numRuns: runs(400) },
    );
  });
});
