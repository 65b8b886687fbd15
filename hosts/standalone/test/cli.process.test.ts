import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { createProgram } from '../src/program.js';
import { Scratch } from './support/tandemProcess.js';

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
});
afterEach(() => scratch.dispose());

const tandem = (args: string) => scratch.run(args.split(' '));

describe('tandem', () => {
  test('prints its version', async () => {
    for (const args of ['--version', '-V']) {
      expect(await tandem(args)).toMatchObject({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    }
  });

  test('prints help for every command', async () => {
    const help = await tandem('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const { name } of commandsBelow(createProgram('0'))) {
      // Another name of it follows a bar.
      if (!name.includes(' ')) expect(help.stdout).toMatch(new RegExp(`\\n  ${name}[ |]`));
    }
    for (const line of help.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    expect(await tandem('review accept --help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: tandem review accept [options] [id]'),
    });
    expect((await tandem('run --help')).stdout).toContain('Usage: tandem run [options] <agent> [args...]');
    expect((await tandem('help focus')).stdout).toContain('FILE[:LINE[:COL][-LINE[:COL]]]');
  });

  test('explains a wrong command line with exit code 2', async () => {
    for (const [args, words] of [
      ['stauts', 'Unknown command "stauts". Did you mean status? See: tandem --help\n'],
      ['serve --josn', 'Unknown option --josn. Did you mean --json? See: tandem serve --help\n'],
      ['foo', 'Unknown command "foo". See: tandem --help\n'],
      ['codex', 'To start Codex CLI: tandem run codex. See: tandem --help\n'],
      ['run cursor', 'Unknown agent "cursor". Choose one of: claude, '],
      ['run', 'Name the agent to start: claude, '],
      ['review acept', 'Unknown command "acept". Did you mean accept? See: tandem review --help\n'],
      ['review foo', 'Unknown command "foo". See: tandem review --help\n'],
      ['review accept 1 2', 'Too many arguments: 2. See: tandem review accept --help\n'],
      [
        'review comment 1 --edit',
        'The option --edit <number> needs a value. See: tandem review comment --help\n',
      ],
      ['review drop', 'Name the number of the review. See: tandem review drop --help\n'],
      ['review drop zero', 'It must be a whole number of at least 1.'],
      ['status --companion me', 'It must be a whole number of at least 1.'],
      [
        'completion tcsh',
        'Unknown shell "tcsh". Choose one of: bash, zsh, fish, powershell. See: tandem completion --help\n',
      ],
    ] as const) {
      const { code, stdout, stderr } = await tandem(args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain(words);
    }
  });

  // /dev/full exists only on Linux, which the whole suite needs for the agent CLIs.
  test('fails when its output cannot be written', async () => {
    const shell = scratch.startProgram('sh', [
      '-c',
      '"$@" > /dev/full',
      'sh',
      ...scratch.commandLine(['--version']),
    ]);
    expect(await shell.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tandem: standard output cannot be written: ENOSPC'),
    });
  });

  test('exits with 3 if no companion runs here, and explains how to start one', async () => {
    const commands = [
      'env',
      'stop',
      'review list',
      'review show',
      'focus x',
      'mention x',
      'share pause',
      'trace',
    ];
    const answers = await Promise.all(commands.map(tandem));
    for (const { code, stdout, stderr } of answers) {
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('Start one there: tandem');
    }
    expect(await tandem('status --json')).toMatchObject({ code: 3, stdout: '[]\n', stderr: '' });
    expect(await tandem('review list --companion 1')).toMatchObject({
      code: 3,
      stderr: 'No companion is running as process 1.\nNone is running.\n',
    });
  });
});

describe('two companions', () => {
  test('are found from their own folders if these are nested', async () => {
    const inner = join(scratch.workspace, 'inner');
    mkdirSync(join(inner, 'deep'), { recursive: true });
    const [ofOuter, ofInner] = [await scratch.serve(), await scratch.serve([inner])];
    const portFrom = async (cwd: string) => {
      const { stdout } = await scratch.run(['env', '--agents', 'claude', '--shell', 'json'], { cwd });
      return Number(JSON.parse(stdout).CLAUDE_CODE_SSE_PORT);
    };
    const port = async (companion: typeof ofOuter) =>
      Number(new URL((await companion.event('ready')).agents.claude.url).port);
    expect(await portFrom(scratch.workspace)).toBe(await port(ofOuter));
    expect(await portFrom(join(inner, 'deep'))).toBe(await port(ofInner));

    const { stdout } = await scratch.run(['status'], { cwd: join(inner, 'deep') });
    expect(stdout).toContain(`${inner}  process ${ofInner.pid}  <- serves this folder\n`);
    expect(stdout).toContain(`${scratch.workspace}  process ${ofOuter.pid}\n`);

    expect((await scratch.run(['stop'], { cwd: inner })).stdout).toBe(
      `Stopped the companion of ${inner} (process ${ofInner.pid}).\n`,
    );
    expect((await ofInner.ended).code).toBe(0);
    expect(await portFrom(join(inner, 'deep'))).toBe(await port(ofOuter));
  });

  test('are identified by their process if they serve one folder', async () => {
    const [first, second] = [await scratch.serve(), await scratch.serve(['--another'])];
    const unclear = await tandem('review list');
    expect(unclear).toMatchObject({ code: 2, stdout: '' });
    expect(unclear.stderr).toContain('Several companions serve');
    for (const { pid } of [first, second])
      expect(unclear.stderr).toContain(`\n  ${pid}  Tandem  ${scratch.workspace}`);
    for (const args of [
      `review list --companion ${first.pid}`,
      `--companion ${first.pid} review list`,
      `review --companion ${first.pid} list`,
    ]) {
      expect(await tandem(args)).toMatchObject({ code: 0, stdout: 'No pending reviews.\n' });
    }
    expect(JSON.parse((await tandem(`status --json --companion ${second.pid}`)).stdout)).toMatchObject([
      { pid: second.pid },
    ]);
    expect((await tandem(`stop --companion ${first.pid}`)).code).toBe(0);
    await first.ended;
    expect((await tandem('review list')).code).toBe(0);
    expect(JSON.parse((await tandem('status --json')).stdout)).toMatchObject([{ pid: second.pid }]);
  });
});

function commandsBelow(command: ReturnType<typeof createProgram>, prefix = ''): { name: string }[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .flatMap((each) => {
      const name = `${prefix}${each.name()}`;
      return [{ name }, ...commandsBelow(each as typeof command, `${name} `)];
    });
}
