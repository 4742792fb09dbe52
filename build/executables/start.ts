/**
 * What a single executable runs first. The files of the package are assets. Their paths lie below the path of the executable, where no real
 * file can be: `/usr/bin/lintel/dist/lintel-runtime.js`. Modules below it are loaded from the assets. When the first argument is the path
 * of such a program, the executable runs it, as Node would. So Lintel's programs start each other in the same way as in the package.
 */
import { registerHooks } from 'node:module';
import sea from 'node:sea';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = pathToFileURL(`${process.execPath}/`).href;

/** The asset path of a module in the package; undefined for every other module. */
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

// `argv` in Node's form: executable, program, arguments. In a single executable, Node puts the name that the user typed into the second place.
const asked = process.argv[2] ?? '';
if (asked.startsWith(`${process.execPath}/`)) process.argv.splice(1, 1);
else process.argv[1] = fileURLToPath(new URL(sea.getAsset('program', 'utf8'), root));
import(fileUrl(process.argv[1] as string)).catch(error => {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(70);
});
