import type { DoctorReport, Finding, WindowCure } from '@tandem/companion/doctor';
import { beforeEach, describe, expect, it } from 'vitest';
import { diagnosisPage, diagnosisText } from '../src/diagnosisPage.js';
import { openFakeWindow } from './support/fakeVscode/index.js';

beforeEach(() => {
  openFakeWindow();
});

function finding(over: Partial<Finding>): Finding {
  const fix = { command: 'tandem stop', place: 'shell', isAutomatic: false } as const;
  return {
    id: 'x',
    severity: 'warning',
    title: 'A title',
    cause: 'A cause.',
    consequence: 'So.',
    fix,
    ...over,
  };
}

const report: DoctorReport = {
  schema: 1,
  at: 0,
  folder: '/ws/<b>',
  isHealthy: true,
  companions: [],
  agents: [
    {
      id: 'claude',
      displayName: 'Claude Code',
      program: { path: '/bin/claude', version: '2.1.0', isTested: true },
      isUsed: true,
      connection: { kind: 'connects', ideName: 'Fake Code' },
    },
    { id: 'gemini', displayName: 'Gemini CLI', isUsed: false, connection: { kind: 'nothing' } },
  ],
  findings: [
    finding({ id: 'sharing-paused', severity: 'note', title: 'Sharing is paused' }),
    finding({
      id: 'no-diffs',
      agent: 'claude',
      title: 'Claude Code opens no diffs in its current mode',
      cause: 'mode "acceptEdits"',
    }),
  ],
};

const cureOf = ({ id }: Finding): WindowCure =>
  id === 'sharing-paused'
    ? { kind: 'resume-sharing' }
    : { kind: 'type', command: 'claude --permission-mode default', place: 'shell' };

/** The labels of the buttons, with their commands. */
function buttonsOf(page: string): [label: string, command: string][] {
  return [...page.matchAll(/<a class="button" role="button" href="command:([^"]*)">([^<]*)<\/a>/g)].map(
    ([, command = '', label = '']) => [label, decodeURIComponent(command.replaceAll('&#38;', '&'))],
  );
}

describe('the diagnosis in a window', () => {
  it('shows each finding, with the fix that is possible in the window', () => {
    const page = diagnosisPage(report, cureOf);
    expect(page).toContain('Note: Sharing is paused');
    expect(page).toContain('Warning: Claude Code opens no diffs in its current mode');
    expect(page).toContain('Version 2.1.0. It finds Fake Code.');
    expect(page).toContain('Not found on the PATH.');
    expect(page).not.toMatch(/\btandem (stop|serve|doctor)/);
    expect(buttonsOf(page)).toEqual([
      ['Run Again', 'tandem.diagnose'],
      ['Copy All', 'tandem.copyDiagnosis'],
      ['Resume Sharing', 'tandem.resumeSharing'],
      ['Copy', 'tandem.copyDiagnosis?["claude --permission-mode default"]'],
    ]);
  });

  it('runs no script, and shows data from the machine as text', () => {
    const page = diagnosisPage({ ...report, folder: '<script>alert(1)</script>\u202e' }, cureOf);
    expect(page).toContain("default-src 'none'; style-src 'nonce-");
    expect(page).not.toMatch(/<script|\u202e/);
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;⟨202E⟩');
  });

  it('is copied as text', () => {
    expect(diagnosisText(report, cureOf)).toBe(`Tandem: Diagnosis
/ws/<b>
Errors: 0. Warnings: 1. Notes: 1.
Claude Code: Version 2.1.0. It finds Fake Code.
Gemini CLI: Not found on the PATH.

Note: Sharing is paused
A cause.
So.

Warning: Claude Code opens no diffs in its current mode
mode "acceptEdits"
So.
Type in a terminal:
    claude --permission-mode default
`);
  });
});
