export { type EditorServices, serveEditor } from './serveEditor.js';
