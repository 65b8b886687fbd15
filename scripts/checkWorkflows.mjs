/**
 * The step "workflows" of `npm run check`: GitHub's own validator reads .github/workflows. It also fails if a step runs
 * anything but our commands, so that what a workflow does can be run and tested on any machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './devTool.mjs';

const folder = '.github/workflows';
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const { validate, registerLogger } = await loadValidator();

let problems = 0;
// It logs its own failures, and then finds no problem.
registerLogger({ warn() {}, error: (message) => report('', 0, message) });
for (const name of readdirSync(`${root}${folder}`)) {
  const text = readFileSync(`${root}${folder}/${name}`, 'utf8');
  const found = await validate({ uri: `file:///${folder}/${name}`, getText: () => text });
  for (const { range, message } of found) report(name, range.start.line + 1, message);
  for (const [at, line] of text.split('\n').entries()) {
    const command = /^[\s-]*run:(.*)$/.exec(line)?.[1]?.trim();
    if (command === undefined || isOurs(command)) continue;
    report(name, at + 1, `runs none of our commands: ${command}`);
  }
}
process.exitCode = problems === 0 ? 0 : 1;

function report(name, line, message) {
  problems += 1;
  console.log(`${folder}/${name}:${line} ${message}`);
}

/** A script of package.json, `npm ci`, `npm test` or `.ci/run`. */
function isOurs(command) {
  const script = /^npm run ([\w:]+)( -- .*)?$/.exec(command)?.[1];
  if (script !== undefined) return Object.hasOwn(scripts, script);
  return ['npm ci', 'npm test', '.ci/run'].includes(command);
}

/** It is written for bundlers: it imports JSON in a way that Node.js refuses. */
async function loadValidator() {
  const outfile = `${root}node_modules/.cache/tandem/languageservice.mjs`;
  await build({
    stdin: {
      contents: `export { validate, registerLogger } from '@actions/languageservice'`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    format: 'esm',
    logLevel: 'silent',
  });
  return import(pathToFileURL(outfile).href);
}
