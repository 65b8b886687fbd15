/**
 * The contract that every editor passes, and an editor in memory.
 *
 * @module @tandem/testing
 */

export { contractTimeoutMs } from './contract/expect.js';
export { runEditorContract } from './editorContract.js';
export { type EditorUnderTest, type EditorUser, type UserAction, userActions } from './editorUnderTest.js';
export { FakeClock } from './fakeClock.js';
export type { FakeDocuments, FakeEditorFiles } from './fakeDocuments.js';
export { type FakeCapability, FakeEditor, type FakeEditorOptions } from './fakeEditor.js';
export { FakeFiles } from './fakeFiles.js';
export type { FakeUser } from './fakeUser.js';
