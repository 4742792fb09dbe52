import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asFolderError, ReconcileError } from '../../../controller/reconcile/index.ts';

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });

test('a full disk names the folder and what to do, and is tried again', () => {
  expect(asFolderError(full, '/var/lib/lintel')).toMatchObject({
    reason: 'ProgressingWithRetry',
    next: 'retry',
    message: '/var/lib/lintel: there is no space left; free some space',
  });
});

test('an error of the file system that is not known keeps its words', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-'));
  const error = await writeFile(folder, '').catch(error => error);
  expect((asFolderError(error, folder) as Error).message).toBe(
    `${folder}: ${error.message}; check whether the folder is damaged`,
  );
  await rm(folder, { recursive: true });
});

test('what is no error of the file system is left as it is', () => {
  for (const error of [new Error('x'), new ReconcileError('FetchFailed', 'retry', 'x'), undefined])
    expect(asFolderError(error, '/')).toBe(error);
});
