/**
 * The tests that also run on the oldest supported editor: what shows that the extension works there. They are in one
 * file, so that they share an editor.
 *
 * @module-tag exhaustive
 */
import './test/contract.test.js';
import './test/review.test.js';
import './test/terminals.test.js';
import './test/warnings.test.js';
