export { placeDefaults, readSettingsFile } from './defaultsFile.js';
export { type HookProgram, placeHooks, placeProgram } from './placeHooks.js';
