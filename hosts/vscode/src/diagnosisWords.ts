import type { Finding } from '@tandem/companion/doctor';
import * as vscode from 'vscode';

/**
 * The heading of a finding in the person's language, where it says no more than which agent it is about; else the
 * doctor's own, in English as cause and consequence are.
 */
export function titleOf({ id, title }: Finding, agent: string): string {
  const { t } = vscode.l10n;
  switch (id) {
    case 'ide-mode-off':
      return t('The IDE mode of {0} is off', agent);
    case 'refused-settings':
      return t('A settings file of {0} is not read', agent);
    case 'no-diffs':
      return t('{0} opens no diffs in its current mode', agent);
    case 'dev-container':
      return t('{0} looks for the companion outside this container', agent);
    case 'by-hand':
      return t('{0} must be connected by hand in this terminal', agent);
    case 'gate':
      return t('{0} does not look for an IDE in this terminal', agent);
    case 'not-served':
      return t('The companion here does not serve {0}', agent);
    case 'not-written':
      return t('The companion could not write its file for {0}', agent);
    case 'file-gone':
      return t("The companion's discovery file for {0} is missing", agent);
    case 'elsewhere':
      return t('{0} looks in a different folder than the companion writes to', agent);
    case 'sharing-paused':
      return t('Sharing is paused');
    case 'wrong-folder':
      return t('No companion serves this folder');
    case 'no-companion':
      return t('No companion is running');
    case 'proxy':
      return t('A proxy may intercept connections to the companion');
    case 'broken-file':
      return t('A discovery file cannot be understood');
    case 'open-file':
      return t('Other users can read a token');
    case 'open-folder':
      return t('Other users can write to a discovery folder');
    case 'linked-folder':
      return t('A discovery folder is a link');
    case 'foreign-folder':
      return t("A discovery folder is another user's");
    default:
      return title;
  }
}
