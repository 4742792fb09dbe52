#!/usr/bin/env node
import { main } from './cli.ts';

// A reader of the output may stop early, as `head` does. The rest is lost on purpose, and the exit code does not change.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await main(process.argv.slice(2));
