import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseJson, pick, pickList } from '../src/json.js';
import { pinned } from '../src/pinnedPrograms.js';
import { openSandbox, serve } from '../src/stage.js';
import { startTokenProxy } from '../src/tokenProxy.js';

/** Server scenarios of the suite that apply to a companion. */
const APPLICABLE = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  // Both lists are empty; clients receive them even though the capability is not offered.
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

/** Why the other scenarios do not apply. A test checks that the two lists cover the whole suite. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'tools-call-simple-text': 'calls the demo tool test_simple_text',
  'tools-call-image': 'calls the demo tool test_image_content',
  'tools-call-audio': 'calls the demo tool test_audio_content',
  'tools-call-embedded-resource': 'calls the demo tool test_embedded_resource',
  'tools-call-mixed-content': 'calls the demo tool test_multiple_content_types',
  'tools-call-with-logging': 'calls the demo tool test_tool_with_logging',
  'tools-call-error': 'calls the demo tool test_error_handling',
  'tools-call-with-progress': 'calls the demo tool test_tool_with_progress',
  'tools-call-sampling': 'calls the demo tool test_sampling',
  'tools-call-elicitation': 'calls the demo tool test_elicitation',
  'elicitation-sep1034-defaults': 'calls the demo tool test_elicitation_sep1034_defaults',
  'elicitation-sep1330-enums': 'calls the demo tool test_elicitation_sep1330_enums',
  'server-sse-polling': 'calls the demo tool test_reconnection',
  'json-schema-2020-12': 'wants the demo tool json_schema_2020_12_tool to be listed',
  'logging-set-level': 'the optional logging capability is not offered: agents show no server logs',
  'completion-complete': 'completes an argument of the demo prompt test_prompt_with_arguments',
  'resources-read-text': 'reads the demo resource test://static-text',
  'resources-read-binary': 'reads the demo resource test://static-binary',
  'resources-templates-read': 'reads the demo template test://template/{id}/data',
  'resources-subscribe': 'subscribes to the demo resource test://watched-resource',
  'resources-unsubscribe': 'unsubscribes from the demo resource test://watched-resource',
  'prompts-get-simple': 'gets the demo prompt test_simple_prompt',
  'prompts-get-with-args': 'gets the demo prompt test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'gets the demo prompt test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'gets the demo prompt test_prompt_with_image',
};

describe('the MCP conformance suite', () => {
  it('has each scenario either run or declined with a reason', async () => {
    const { stdout } = await conformance('list', '--server');
    const offered = [...stdout.matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]);
    expect(offered.toSorted()).toEqual([...APPLICABLE, ...Object.keys(NOT_APPLICABLE)].toSorted());
  });

  it.each(APPLICABLE)(
    'passes %s as Gemini CLI and as Qwen Code find it [GEM-2 QWN-2 QWL-2]',
    async (scenario) => {
      const sandbox = await openSandbox();
      const tandem = await serve(sandbox, await sandbox.folder('workspace'));
      for (const kind of ['gemini', 'qwen']) {
        const { url, token } = tandem.endpoint(kind);
        const proxy = await startTokenProxy(url, token);
        onTestFinished(() => proxy.close());
        const results = await sandbox.folder(`results ${kind}`);
        const run = await conformance('server', '--url', proxy.url, '--scenario', scenario, '-o', results);
        const checks = await checksIn(results);
        expect(checks.length, run.stderr).toBeGreaterThan(0);
        const failed = checks.filter((check) =>
          ['FAILURE', 'WARNING'].includes(String(pick(check, 'status'))),
        );
        expect(failed, kind).toEqual([]);
        expect(run.code).toBe(0);
      }
    },
  );
});

/** Runs the suite's command on the pinned Node: it needs 22 or later. */
function conformance(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1' };
    execFile(
      pinned.node24,
      [pinned.conformance, ...args],
      { env, timeout: 60_000 },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      },
    );
  });
}

async function checksIn(folder: string): Promise<unknown[]> {
  const [run] = await readdir(folder);
  if (run === undefined) return [];
  return pickList(parseJson(await readFile(`${folder}/${run}/checks.json`, 'utf8')));
}
