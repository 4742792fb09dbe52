import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isListening, ROOT, run } from '../../support/process.ts';

const QUICKSTART = join(ROOT, 'examples', 'quickstart', 'quickstart.mjs');

test('`quickstart --once` shows the tools of its two servers and the result of a call, exits with code 0 and leaves no process behind', async () => {
  const { code, stdout, stderr } = await run(QUICKSTART, ['--once']);
  expect([code, stderr]).toEqual([0, '']);
  const [servers, story] = stdout.split(/^(?=gateway)/m);
  expect(servers?.replaceAll(/:\d+/g, ':PORT').trimEnd().split('\n').sort()).toEqual([
    'climate  http://127.0.0.1:PORT/mcp',
    'notes    http://127.0.0.1:PORT/mcp',
  ]);
  expect(story?.replace(/:\d+/, ':PORT')).toBe(`gateway  http://127.0.0.1:PORT/mcp

Tools of default/quickstart:

  name             backend  description
  climate_monthly  climate  Mean temperature and rainfall of a city for each month.
  climate_search   climate  Find cities by name or country.
  notes_read       notes    Read one note by its name.
  notes_search     notes    Find notes that contain every word of the query.
  notes_write      notes    Write a new note for the whole team. Ask the person before you use it.

A call of notes_search with {"query":"rollback"}:

  Incident: slow checkout, February 2026
    14:31 The rollback was ready, but waited for an approval from somebody on a train.
  On-call runbook
    Did something go out in the last hour? Start a rollback before you understand the cause.
  Release checklist
    A rollback was rehearsed with the new schema in place

`);
  const urls = stdout.match(/http:\/\/127\.0\.0\.1:\d+/g) ?? [];
  expect(urls).toHaveLength(3);
  expect(await Promise.all(urls.map(isListening))).toEqual([false, false, false]);
});

test('quickstart exits with code 2 for an unknown option', async () => {
  expect(await run(QUICKSTART, ['--twice'])).toMatchObject({ code: 2, stdout: '' });
});
