/**
 * What a single executable runs first. It has the files of the package as assets, whose paths lie below its own, where the disk has none:
 * `/usr/bin/lintel/dist/lintel-runtime.js`. Modules below it are loaded from the assets, and the executable runs one of these programs when
 * its first argument is the path of one, as Node does: so our programs start each other the same way as in the package.
 */
import { registerHooks } from 'node:module';
import sea from 'node:sea';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = pathToFileURL(`${process.execPath}/`).href;

/** The path of an asset in the package; undefined for every other module. */
function assetAt(url: string): string | undefined {
  return url.startsWith(root) ? decodeURIComponent(url.slice(root.length)) : undefined;
}

registerHooks({
  resolve(specifier, context, next) {
    const isRelative = /^\.\.?\//.test(specifier) && context.parentURL?.startsWith(root);
    const url = isRelative ? new URL(specifier, context.parentURL).href : fileUrl(specifier);
    return assetAt(url) === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
  load(url, context, next) {
    const asset = assetAt(url);
    if (asset === undefined) return next(url, context);
    const format = asset.endsWith('.cjs') ? 'commonjs' : 'module';
    return { format, source: sea.getAsset(asset, 'utf8'), shortCircuit: true };
  },
});

function fileUrl(specifier: string): string {
  return specifier.startsWith('/') ? pathToFileURL(specifier).href : specifier;
}

// As Node has them: itself, the program, the arguments. A single executable has its own name, as the caller wrote it, in the second place.
const asked = process.argv[2] ?? '';
if (asked.startsWith(`${process.execPath}/`)) process.argv.splice(1, 1);
else process.argv[1] = fileURLToPath(new URL(sea.getAsset('program', 'utf8'), root));
import(fileUrl(process.argv[1] as string)).catch(error => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(70);
});
