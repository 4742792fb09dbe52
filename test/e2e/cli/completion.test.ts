/** What real shells complete after `lintel` with Lintel's scripts. */
import { execFile, spawn } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FORMATS } from '../../../compiler/diagnostics/render/index.ts';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { Output, ROOT, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN } from '../specs.ts';

/** The typed line, and what is offered; the last word may be incomplete. */
const OFFERED: readonly (readonly [line: string, offered: readonly string[]])[] = [
  ['lintel ch', ['check']],
  ['lintel audit ', ['verify']],
  ['lintel check --dry', ['--dry-run']],
  ['lintel check --format ', [...FORMATS].sort()],
  ['lintel check specs --format sa', ['sarif']],
  ['lintel connect claude-', ['claude-desktop']],
  ['lintel completion f', ['fish']],
  ['lintel serve --gateway ', ['eng']],
  ['lintel diff --fail', ['--fail-on']],
  ['lintel diff before after --fail-on ', ['alarm', 'any', 'wider']],
  ['lintel matrix --exp', ['--expect']],
  ['lintel can ', ['call', 'get', 'read', 'see']],
  ['lintel can r', ['read']],
  ['lintel can call search --ar', ['--args']],
  ['lintel call --tok', ['--token-file']],
  ['lintel call search --format ', ['json', 'text']],
];

let folder: TemporaryFolder;

/** The shells' scripts start `lintel` to complete the names of gateways, so there is one on the PATH. */
beforeAll(async () => {
  folder = await temporaryFolder({
    ...CLEAN,
    'bin/lintel': `#!/bin/sh\nexec ${process.execPath} --conditions=lintel-source ${join(ROOT, 'compiler/main.ts')} "$@"\n`,
  });
  await chmod(folder.file('bin/lintel'), 0o755);
});

afterAll(() => folder[Symbol.asyncDispose]());

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runLintel(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const environment = () => ({
  HOME: folder.path,
  PATH: `${folder.file('bin')}${delimiter}${process.env.PATH}`,
  TERM: 'xterm',
});

async function runShell(program: string, args: readonly string[], commands: string): Promise<readonly string[]> {
  const options = { cwd: folder.path, env: environment() };
  const { stdout, stderr } = await promisify(execFile)(program, [...args, '-c', commands], options);
  expect(stderr).toBe('');
  return stdout.split('\n').filter(line => line !== '');
}

test('the completion script for bash completes commands and options', async () => {
  const script = await scriptOf('bash');
  for (const [line, offered] of OFFERED) {
    const words = line.split(' ');
    const call = `COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _lintel`;
    const shown = await runShell('bash', ['--norc'], `${script}\n${call}; printf '%s\\n' "\${COMPREPLY[@]}"\n`);
    expect([...shown].sort(), line).toEqual(offered);
  }
});

withPeers('fish').test('the completion script for fish completes commands and options', async () => {
  const script = await scriptOf('fish');
  for (const [line, offered] of OFFERED) {
    const shown = await runShell('fish', ['--no-config'], `${script}\ncomplete -C '${line}'\n`);
    expect(shown.map(row => row.split('\t')[0]).sort(), line).toEqual(offered);
  }
});

withPeers('zsh', 'script').test(
  'the completion script for zsh completes a word that is begun, and lists choices',
  async () => {
    await using scripts = await temporaryFolder({ 'lintel.zsh': await scriptOf('zsh') });
    const child = spawn('script', ['-qec', 'stty cols 200 rows 40; exec zsh -f -i', '/dev/null'], {
      cwd: folder.path,
      env: environment(),
    });
    const ended = new Promise(resolve => child.once('exit', resolve));
    const screen = new Output('zsh', child.stdout);
    try {
      child.stdin.write(`autoload -Uz compinit; compinit -u -D; source ${scripts.file('lintel.zsh')}; echo rea''dy\n`);
      await screen.next(/ready/);
      for (const [line, offered] of OFFERED) {
        child.stdin.write(`${line}\t`);
        const last = offered.at(-1) ?? '';
        // The shell completes the typed word on the line, so only the rest of the word is printed.
        const begun = line.split(' ').at(-1) ?? '';
        await screen.next(new RegExp(last.slice(begun.length)));
        // Ctrl-U: clears the line.
        child.stdin.write('\u0015');
      }
      expect(stripVTControlCharacters(screen.text)).not.toMatch(/parse error|command not found|bad /);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  },
);

test('descriptions in completion scripts fit a terminal of 80 columns, and are cut between words', async () => {
  const script = await scriptOf('fish');
  const descriptions = [...script.matchAll(/ -d '((?:\\.|[^'])*)'/g)].map(([, text = '']) => text);
  expect(descriptions.length).toBeGreaterThan(100);
  expect(descriptions.filter(text => text.replaceAll('\\', '').length > 52)).toEqual([]);
  expect(descriptions).toContain('Check specs and print every finding');
  expect(descriptions).toContain('connect to no backend, token endpoint or upstream …');
});
