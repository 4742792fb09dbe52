/** `npm run chart`: writes the controller's Helm chart to release/chart/, from its templates and from what the kustomization installs. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chartFiles } from './chart-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const OUT = join(ROOT, 'release', 'chart', 'lintel-controller');

rmSync(OUT, { recursive: true, force: true });
for (const [path, text] of chartFiles(ROOT)) {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  writeFileSync(join(OUT, path), text);
}
process.stdout.write(
  `wrote release/chart/lintel-controller: helm install lintel release/chart/lintel-controller --set images.registry=…\n`,
);
