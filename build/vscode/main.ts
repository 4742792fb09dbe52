/** `npm run vsix`: writes the extension for VS Code into `release/`. */
import { makeVsix } from './vsix.ts';

const { file, size, files } = await makeVsix('release');
process.stdout.write(`${file}: ${(size / 1e6).toFixed(1)} MB, ${files.size} files\n`);
