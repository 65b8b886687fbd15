export { placeDefaults, readSettingsFile } from './defaultsFile.js';
export { type HookFile, hookFileOf, type InstalledMode, type PreparedHooks } from './installedHooks.js';
export { type HookProgram, placeHooks, placeProgram } from './placeHooks.js';
