/** The parts that all views of page and chat are made of. */
export { Banner } from './banner.js';
export { Button, IconButton } from './button.js';
export { ConfirmDialog, Dialog } from './dialog.js';
export { Choice, Field, Select } from './field.js';
export { joinClasses } from './joinClasses.js';
export { ariaKeys, keyText } from './keys.js';
export {
  Badge,
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
export { Menu, optionId } from './menu.js';
