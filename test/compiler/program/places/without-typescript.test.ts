import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CallSiteLocator } from '../../../../compiler/program/locations/call-site-locator.ts';
import { BundleCalls } from '../../../../compiler/program/locations/frames.ts';
import { Modules } from '../../../../compiler/program/locations/modules.ts';
import { ProgramFiles } from '../../../../compiler/program/locations/program-files.ts';
import { ProgramTexts } from '../../../../compiler/program/program-texts.ts';
import { runFiles } from './programs.ts';

/** The files of a program in a project where the TypeScript package is not installed. */
class PlainFiles extends ProgramFiles {
  override get typescript(): undefined {
    return undefined;
  }
}

test('without the package typescript, the compiler takes the call that made an object as the place of each field of the object', async () => {
  const { folder, synthesized } = await runFiles({
    'app.ts': `import { App, ApiObject, Chart } from 'cdk8s';
const chart = new Chart(new App(), 'Eng');
  new ApiObject(chart, 'thing', {
    apiVersion: 'v1', kind: 'Thing',
  });
export const app = chart;
`,
  });
  const texts = new ProgramTexts(folder, join(folder, 'app.ts'), 'app.ts');
  const files = new PlainFiles(file => texts.getText(file), folder);
  const { inputs, sourceMap, charts } = synthesized;
  const context = { files, calls: new BundleCalls(files, inputs, sourceMap), modules: new Modules(files, inputs) };
  const [object] = charts.flatMap(({ objects }) => objects);
  if (object === undefined) throw new Error('no object');
  const places = new CallSiteLocator(object, context);
  const found = places.locate(['kind'], 'value');
  expect(found?.range.start).toMatchObject({ line: 3, column: 3 });
  expect(found?.source.text.slice(found.range.start.offset, found.range.end.offset)).toBe('new ApiObject');
  expect(places.calls([])).toEqual([found]);
});
