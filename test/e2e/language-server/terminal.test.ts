/** A person who starts the language server in a terminal reads that an editor does that. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { withPeers } from '../../support/peers.ts';
import { Output, PROGRAM } from '../../support/process.ts';

withPeers('script').test('`lintel lsp` on a terminal says that an editor starts it, and ends with Ctrl-C', async () => {
  const command = `'${process.execPath}' '${PROGRAM.lintel}' lsp`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  try {
    await new Output('terminal', child.stdout).next(/an editor starts this command/);
    child.stdin.write('\u0003');
    await ended;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});
