// Only reads a folder with the `yaml` package. The cost of this process is compared with that of `lintel check`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const [folder] = process.argv.slice(2);
for (const path of readdirSync(folder, { recursive: true })) {
  if (!path.endsWith('.yaml')) continue;
  for (const document of parseAllDocuments(readFileSync(join(folder, path), 'utf8'))) document.toJS();
}
