import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asFolderError, ReconcileError } from '../../../controller/reconcile/index.ts';

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });

test('the error for a full disk names the folder and what to do, and the controller tries again', () => {
  expect(asFolderError(full, '/var/lib/lintel')).toMatchObject({
    reason: 'ProgressingWithRetry',
    next: 'retry',
    message: '/var/lib/lintel: no space is left; free some space',
  });
});

test('an unknown error of the file system keeps its message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-'));
  const error = await writeFile(folder, '').catch(error => error);
  expect((asFolderError(error, folder) as Error).message).toBe(
    `${folder}: ${error.message}; check whether the folder is damaged`,
  );
  await rm(folder, { recursive: true });
});

test('the controller does not change an error that does not come from the file system', () => {
  for (const error of [new Error('x'), new ReconcileError('FetchFailed', 'retry', 'x'), undefined])
    expect(asFolderError(error, '/')).toBe(error);
});
