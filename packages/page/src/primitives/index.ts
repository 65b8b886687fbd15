/** The parts that all views of page and chat are made of. */

export { Button, IconButton, joinClasses } from './button.js';
export { ConfirmDialog, Dialog } from './dialog.js';
export { Choice, Field, Menu, optionId, Select } from './field.js';
export { ariaKeys, keyText } from './keys.js';
export {
  Badge,
  Banner,
  Card,
  Count,
  EmptyState,
  ErrorBoundary,
  KeyHint,
  List,
  LiveRegion,
  Row,
  RowButton,
  Spacer,
  StatusDot,
  Toolbar,
} from './layout.js';
