#!/usr/bin/env node
process.stderr.write(
  'lintel-controller: not built yet; `lintel build` and `lintel dev` do the compiling until it is\n',
);
process.exitCode = 2;
