/**
 * Settings of an experienced user: nothing is asked, fetched or shown at start. Keys
 * that one of the versions does not know are ignored by it.
 */
export const quietSettings: Readonly<Record<string, unknown>> = {
  'security.workspace.trust.enabled': false,
  // In a browser the default is afterDelay; on a desktop it is off.
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  // The newest version shows its settings in a box over the window, where nothing else can be clicked.
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
  'json.schemaDownload.enable': false,
  'npm.fetchOnlinePackageInfo': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  // The DOM renderer: what a terminal shows can be read from the page.
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.defaultProfile.linux': 'bash',
  'terminal.integrated.enablePersistentSessions': false,
  // Small, so that an agent's whole question fits into the panel.
  'terminal.integrated.fontSize': 7,
  'terminal.integrated.stickyScroll.enabled': false,
  'terminal.integrated.initialHint': false,
  'terminal.integrated.suggest.enabled': false,
};
