/** Entries of a newer version of `server.json` than the known ones, in files of every kind. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { RegistryOrigin } from '#schemas';
import { TestRepository } from '../../support/git-repository.ts';
import { sendJson } from '../../support/raw-server.ts';
import {
  createSources,
  findSourceStatus,
  listed,
  readContents,
  server,
  source,
  sourceFile,
  upstream,
  writeFolder,
} from './harness.ts';

interface Kept {
  readonly from: RegistryOrigin;
  write(text: string): Promise<void> | void;
}

const KINDS: readonly [string, () => Promise<Kept>][] = [
  [
    'a file',
    async () => {
      const path = join(await writeFolder(), 'servers.json');
      return { from: { type: 'file', path }, write: text => writeFile(path, text) };
    },
  ],
  [
    'a URL',
    async () => {
      let text = '';
      const peer = await upstream((_, response) => sendJson(response, text));
      return {
        from: { type: 'url', url: `${peer.origin}/servers.json`, timeoutMs: 10_000 },
        write: next => {
          text = next;
        },
      };
    },
  ],
  [
    'a Git repository',
    async () => {
      const made = new TestRepository(await writeFolder(), 'servers.git');
      const repository = pathToFileURL(made.path).href;
      return {
        from: { type: 'git', repository, ref: { type: 'default' }, path: 'registry.json', credentials: null },
        write: text => void made.commit({ 'registry.json': text }),
      };
    },
  ],
];

const dated = (name: string, date: string, more = {}) =>
  server(name, '1.0.0', {
    $schema: `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`,
    ...more,
  });
const NOTICE =
  '1 of 2 servers is of a newer $schema than 2025-12-11; the registry lists servers that are valid in that version';
const notices = (log: readonly { readonly msg: string; readonly cause?: unknown }[]) =>
  log.filter(({ msg }) => msg === 'the source was read with a notice').map(({ cause }) => cause);

describe.each(KINDS)('in %s', (_name, kept) => {
  test('the registry server lists an entry with a newer $schema that fits the newest known schema, with a notice', async () => {
    const { from, write } = await kept();
    await write(sourceFile(dated('io.example/a', '2999-01-31', { later: true }), dated('io.example/b', '2025-12-11')));
    const stateDir = await writeFolder();
    const { contents, log } = await readContents([source(from)], { stateDir });
    expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', message: NOTICE });
    expect(notices(log)).toEqual([NOTICE]);
    // Nothing has changed, and the notice still applies.
    await contents.refresh();
    expect(findSourceStatus(contents).message).toBe(NOTICE);
    expect(notices(log)).toEqual([NOTICE]);
    await contents.close();
    const again = createSources([source(from)], { stateDir });
    await again.contents.start();
    expect(findSourceStatus(again.contents).message).toBe(NOTICE);
    await again.contents.refresh();
    expect(notices(again.log)).toEqual([NOTICE]);
    await write(sourceFile(dated('io.example/b', '2025-12-11')));
    await again.contents.refresh();
    expect(findSourceStatus(again.contents).message).toBe('');
  });

  test.each([
    ['that does not fit', dated('io.example/a', '2999-01-31', { title: 5 }), '/data/servers/0/title must be a string'],
    ['with an impossible date', dated('io.example/a', '2999-02-30'), '/data/servers/0/$schema must be the URL'],
  ])('the registry server rejects a file with an entry of a newer $schema %s', async (_what, bad, cause) => {
    const { from, write } = await kept();
    await write(sourceFile(bad, dated('io.example/b', '2025-12-11')));
    const { contents } = await readContents([source(from)]);
    expect([listed(contents), findSourceStatus(contents).phase]).toEqual([[], 'failed']);
    expect(findSourceStatus(contents).message).toContain(cause);
  });
});
