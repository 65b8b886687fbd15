/**
 * Settings of an experienced user: no questions, downloads or welcome pages at start. Each version ignores keys that it
 * does not know.
 */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'security.workspace.trust.enabled': false,
  // The default is afterDelay in a browser, and off on a desktop.
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  // The newest version shows its settings in a modal editor, which blocks other clicks.
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  // A web worker for extensions, in addition to their process.
  'extensions.webWorker': false,
  'json.schemaDownload.enable': false,
  'npm.fetchOnlinePackageInfo': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  // One server instead of two.
  'typescript.tsserver.useSyntaxServer': 'never',
  // The DOM renderer, so that the text of a terminal can be read from the page.
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.defaultProfile.linux': 'bash',
  'terminal.integrated.enablePersistentSessions': false,
  // Small, so that an agent's complete question fits into the panel.
  'terminal.integrated.fontSize': 7,
  'terminal.integrated.stickyScroll.enabled': false,
  'terminal.integrated.initialHint': false,
  'terminal.integrated.suggest.enabled': false,
};
