import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findProgram } from './aptInstall.mjs';

/** The oldest version that the plugin supports. */
const oldest = [0, 10];

/** The Debian release whose packages are used where the machine's own Neovim is too old. */
const release = 'trixie';

/** Increase this when the steps change, so that they run again. */
const recipe = 1;

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tandem-tests');
const folder = join(cache, `neovim-${release}-${recipe}`);

/** With the libraries that they need, including those of patchelf. */
const packages = [
  ...['neovim', 'neovim-runtime', 'libluajit-5.1-2', 'libmsgpack-c2', 'libtree-sitter0.22', 'libunibilium4'],
  ...['libuv1t64', 'libvterm0', 'lua-lpeg', 'lua-luv', 'libc6', 'libgcc-s1', 'libstdc++6', 'patchelf'],
  ...['lua-check', 'lua5.1', 'lua-argparse', 'lua-filesystem', 'libreadline8t64', 'libtinfo6'],
];

/**
 * Provides Neovim and luacheck for the tests of the Neovim plugin: those on the PATH, otherwise Debian's packages,
 * unpacked into the user's cache folder. That needs apt, but not root.
 *
 * @returns {string | undefined} the problem and its solution, in one line
 */
export function installNeovim() {
  if (missingPrograms().length === 0) return undefined;
  const problem = unpack() ?? 'what was unpacked does not run';
  const missing = missingPrograms().join(' and ');
  if (missing === '') return undefined;
  return `the tests of the Neovim plugin need ${missing}: install it and put it on the PATH (${problem})`;
}

function missingPrograms() {
  const { nvim, luacheck } = neovimPrograms();
  return [
    ...(nvim === undefined ? [`Neovim ${oldest.join('.')} or newer`] : []),
    ...(luacheck === undefined ? ['luacheck'] : []),
  ];
}

/** @returns {{ nvim: string | undefined, luacheck: string | undefined }} absolute paths */
export function neovimPrograms() {
  const unpacked = (name) => join(folder, name);
  return {
    nvim: [findProgram(['nvim']), unpacked('nvim')].find((path) => path !== undefined && isNewEnough(path)),
    luacheck: [findProgram(['luacheck']), unpacked('luacheck')].find(
      (path) => path !== undefined && existsSync(path),
    ),
  };
}

function isNewEnough(nvim) {
  const { stdout } = spawnSync(nvim, ['--version'], { encoding: 'utf8' });
  const [major, minor] = (/^NVIM v(\d+)\.(\d+)/.exec(stdout ?? '') ?? []).slice(1).map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/**
 * Downloads and unpacks the packages.
 *
 * @returns {string | undefined} the problem
 */
function unpack() {
  if (findProgram(['apt-get']) === undefined) return 'there is no apt-get to download it';
  const sources = sourcesOfRelease();
  if (sources === undefined) return 'this machine has no sources of Debian packages';
  console.log('\nDownloading Neovim for the tests of the plugin (apt-get) …');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'unpacking-'));
  try {
    const list = join(work, sources.name);
    writeFileSync(list, sources.text);
    for (const each of ['lists/partial', 'archives/partial', 'debs', 'root']) {
      mkdirSync(join(work, each), { recursive: true });
    }
    const options = Object.entries({
      'Dir::Etc::SourceList': list,
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::State::status': '/dev/null',
      'Dir::Cache': work,
      'Acquire::Languages': 'none',
      // Root, too, can write here.
      'APT::Sandbox::User': '',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt = (...args) => run('apt-get', ['-qq', ...options, ...args], join(work, 'debs'));
    apt('update');
    apt('download', ...packages);
    for (const name of readdirSync(join(work, 'debs'))) {
      run('dpkg', ['-x', join(work, 'debs', name), join(work, 'root')]);
    }
    link(join(work, 'root'));
    // Another run may have unpacked it meanwhile. What does not work is replaced.
    if (missingPrograms().length > 0) {
      if (existsSync(folder)) renameSync(folder, join(work, 'broken'));
      renameSync(join(work, 'root'), folder);
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Makes the programs use the libraries beside them, and writes the two commands. `root` is renamed to `folder` afterwards. */
function link(root) {
  const [architecture] = readdirSync(join(root, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
  const libraries = `usr/lib/${architecture}`;
  const loader = `${libraries}/${readdirSync(join(root, libraries)).find((name) => name.startsWith('ld-linux'))}`;
  const load = [join(root, loader), '--library-path', join(root, libraries)];
  // Neovim's user interface starts its own executable again, so that the loader cannot be its first word.
  run(load[0], [
    ...load.slice(1),
    join(root, 'usr/bin/patchelf'),
    ...['--set-interpreter', join(folder, loader)],
    ...['--force-rpath', '--set-rpath', join(folder, libraries)],
    join(root, 'usr/bin/nvim'),
  ]);
  const runtime = join(folder, 'usr/share/nvim/runtime');
  command(root, 'nvim', `VIMRUNTIME='${runtime}' exec '${folder}/usr/bin/nvim' "$@"`);
  const modules = join(folder, 'usr/share/lua/5.1');
  command(
    root,
    'luacheck',
    `LUA_PATH='${modules}/?.lua;${modules}/?/init.lua' LUA_CPATH='${folder}/${libraries}/lua/5.1/?.so' \\
  exec '${folder}/${loader}' --library-path '${folder}/${libraries}' '${folder}/usr/bin/lua5.1' '${folder}/usr/bin/luacheck' "$@"`,
  );
}

function command(root, name, line) {
  writeFileSync(join(root, name), `#!/bin/sh\n${line}\n`);
  chmodSync(join(root, name), 0o755);
}

function run(file, args, cwd) {
  const { status, error } = spawnSync(file, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${basename(file)} ended with code ${status}`);
}

/** The machine's own Debian sources, with the release replaced. */
function sourcesOfRelease() {
  const codename = /^VERSION_CODENAME=(\w+)/m.exec(readText('/etc/os-release'))?.[1];
  if (codename === undefined) return undefined;
  const parts = '/etc/apt/sources.list.d';
  const files = existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : [];
  for (const file of ['/etc/apt/sources.list', ...files]) {
    const text = readText(file);
    if (file.endsWith('.sources')) {
      const stanza = text
        .split(/\n\s*\n/)
        .find((each) => new RegExp(`^Suites:.*\\b${codename}(\\s|$)`, 'm').test(each));
      if (stanza !== undefined) {
        return { name: 'tandem.sources', text: `${stanza.replace(/^Suites:.*$/m, `Suites: ${release}`)}\n` };
      }
    } else if (file.endsWith('.list')) {
      const line = text
        .split('\n')
        .find((each) => /^deb\s/.test(each) && each.split(/\s+/).includes(codename));
      if (line !== undefined) {
        return { name: 'tandem.list', text: `${line.replace(` ${codename} `, ` ${release} `)}\n` };
      }
    }
  }
  return undefined;
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

// Can also run alone: prints where the programs are.
if (import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? '')).href) {
  const problem = installNeovim();
  if (problem === undefined) console.log(JSON.stringify(neovimPrograms()));
  else {
    console.error(problem);
    process.exitCode = 1;
  }
}
