/** A machine without access to an image registry: the message names the image, the cause and the workaround. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildah } from '../../build/images/buildah.ts';
import { asRoot } from '../support/peers.ts';
import { temporaryFolder } from '../support/process.ts';

asRoot('buildah').describe('buildah', () => {
  test('the error of an image build says what to do when a base image cannot be pulled', async () => {
    await using folder = await temporaryFolder({ Containerfile: 'FROM 127.0.0.1:9/none:1\n', 'context/.keep': '' });
    const build = buildah(folder.path, ['bud', '--file', folder.file('Containerfile'), join(folder.path, 'context')]);
    await expect(build).rejects.toThrow(
      /^the image \S*127\.0\.0\.1:9\/none:1 cannot be pulled: .*connection refused; where no registry can be reached, --debian makes the bases of Debian's packages$/,
    );
  });
});
